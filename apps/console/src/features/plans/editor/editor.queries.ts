import { infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";

type Catalog = ApiClient["catalog"];

/** A plan that is being written, as it is stored. */
export type StoredDraft = Awaited<ReturnType<Catalog["getPlanDraft"]>>;
export type DraftSummary = Awaited<ReturnType<Catalog["listPlanDrafts"]>>["items"][number];
export type PlanVersion = Awaited<ReturnType<Catalog["listPlanVersions"]>>["items"][number];
export type PlanChange = Awaited<ReturnType<Catalog["diffPlanVersions"]>>["items"][number];
export type Coupon = Awaited<ReturnType<Catalog["listCoupons"]>>["items"][number];
export type CouponInput = Parameters<Catalog["createCoupon"]>[0];
/** A version by its number, or the draft. */
export type PlanSide = Parameters<Catalog["diffPlanVersions"]>[0]["from"];

/** The first part of the key of everything that the editor loads. */
const EDITOR_KEY = "plan-editor";
const VERSIONS_PER_PAGE = 20;

/** Subscribers of a plan by version. */
export type Subscribers = { byVersion: ReadonlyMap<number, number>; count: number };

export const editorQueries = {
  drafts: (api: ApiClient) =>
    queryOptions({
      queryKey: [EDITOR_KEY, "drafts"],
      queryFn: async ({ signal }): Promise<DraftSummary[]> =>
        (await api.catalog.listPlanDrafts({}, { signal })).items,
      staleTime: 0,
    }),

  /** The draft of a plan; null while there is none. */
  draft: (api: ApiClient, planId: string) =>
    queryOptions({
      queryKey: [EDITOR_KEY, "draft", planId],
      queryFn: async ({ signal }): Promise<StoredDraft | null> => {
        // The list tells: asking for a draft that is not there would be logged as an error.
        const { items } = await api.catalog.listPlanDrafts({}, { signal });
        return items.some((draft) => draft.planId === planId)
          ? await api.catalog.getPlanDraft({ planId }, { signal })
          : null;
      },
      staleTime: 0,
      // What is typed starts from what is stored now, not from what an earlier visit found.
      gcTime: 0,
    }),

  versions: (api: ApiClient, planId: string) =>
    infiniteQueryOptions({
      queryKey: [EDITOR_KEY, "versions", planId],
      queryFn: ({ pageParam, signal }) =>
        api.catalog.listPlanVersions(
          {
            planId,
            limit: VERSIONS_PER_PAGE,
            ...(pageParam === undefined ? {} : { cursor: pageParam }),
          },
          { signal },
        ),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ nextCursor }) => nextCursor,
      staleTime: 0,
    }),

  changes: (api: ApiClient, input: { planId: string; from: PlanSide; to: PlanSide }) =>
    queryOptions({
      queryKey: [EDITOR_KEY, "changes", input],
      queryFn: async ({ signal }): Promise<PlanChange[]> =>
        (await api.catalog.diffPlanVersions(input, { signal })).items,
      // Versions never change; a draft does.
      staleTime: input.to === "draft" ? 0 : Number.POSITIVE_INFINITY,
    }),

  subscribers: (api: ApiClient, planId: string) =>
    queryOptions({
      queryKey: [EDITOR_KEY, "subscribers", planId],
      queryFn: async ({ signal }): Promise<Subscribers> => {
        const { items } = await api.planMigrations.countSubscribers({ planId }, { signal });
        return {
          byVersion: new Map(items.map(({ version, subscribers }) => [version, subscribers])),
          count: items.reduce((sum, { subscribers }) => sum + subscribers, 0),
        };
      },
    }),

  coupons: (api: ApiClient) =>
    queryOptions({
      queryKey: [EDITOR_KEY, "coupons"],
      queryFn: async ({ signal }): Promise<Coupon[]> =>
        (await api.catalog.listCoupons({}, { signal })).items,
      staleTime: 0,
    }),
};

/** Asks again for what a change of the catalogue has made old. */
export async function refreshCatalogue(client: QueryClient): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: ["catalog"] }),
    client.invalidateQueries({
      queryKey: [EDITOR_KEY],
      // Versions never change, and a draft that was published or discarded has no differences to ask for.
      predicate: ({ queryKey }) => queryKey[1] !== "changes",
    }),
  ]);
}
