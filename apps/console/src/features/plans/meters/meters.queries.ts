import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import { askAgainIn } from "#platform/ask-again-in.ts";

export type MeterVersion = Awaited<
  ReturnType<ApiClient["catalog"]["listMeterVersions"]>
>["items"][number];
export type MeterActivity = Awaited<
  ReturnType<ApiClient["events"]["meterActivity"]>
>["items"][number];
export type RejectedEvent = Awaited<
  ReturnType<ApiClient["events"]["listAllRejected"]>
>["items"][number];
export type MeterPreview = Awaited<ReturnType<ApiClient["events"]["previewMeter"]>>;

/** A page of rejected events, and its filters. */
export type RejectedPage = Omit<Parameters<ApiClient["events"]["listAllRejected"]>[0], "limit">;

/** How often received events are refreshed, in milliseconds; more often while a meter is open. */
const ACTIVITY_REFRESH_MS = 15_000;
const ACTIVITY_LIVE_MS = 2_000;
const PAGE = 25;

export const metersQueries = {
  /** The events received for each meter, by its id. */
  activity: (api: ApiClient, isLive: boolean) =>
    queryOptions({
      queryKey: ["meters", "activity"],
      queryFn: async ({ signal }): Promise<ReadonlyMap<string, MeterActivity>> => {
        const { items } = await api.events.meterActivity({}, { signal });
        return new Map(items.map((item) => [item.meterId, item]));
      },
      refetchInterval: askAgainIn(isLive ? ACTIVITY_LIVE_MS : ACTIVITY_REFRESH_MS),
      staleTime: 0,
    }),

  versions: (api: ApiClient, meterId: string) =>
    queryOptions({
      queryKey: ["meters", "versions", meterId],
      queryFn: async ({ signal }): Promise<MeterVersion[]> =>
        (await api.catalog.listMeterVersions({ meterId }, { signal })).items,
      staleTime: 0,
    }),

  rejected: (api: ApiClient, page: RejectedPage) =>
    queryOptions({
      queryKey: ["meters", "rejected", page],
      queryFn: ({ signal }) => api.events.listAllRejected({ limit: PAGE, ...page }, { signal }),
      staleTime: 0,
    }),
};
