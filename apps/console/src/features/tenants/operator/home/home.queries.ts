import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import { askAgainIn } from "#platform/ask-again-in.ts";
import type { Environment } from "#platform/current-environment.ts";

/** Four whole weeks, so that the period before has the same weekdays; in milliseconds. */
const RANGE_MS = 28 * 86_400_000;
const REFRESH_MS = 15_000;
/** Each run asks the mail server and the providers. */
const CHECKS_STALE_MS = 60_000;
const SETUP_CHECKS: ReadonlySet<string> = new Set(["brand", "plans"]);

export type HomeScope = {
  /** Undefined for both. */
  environment: Environment | undefined;
  timeZone: string;
};

/** Whether what the steps of the setup ask of the checks is done. */
function isSetUp(data: Awaited<ReturnType<ApiClient["checks"]["run"]>> | undefined): boolean {
  return data?.checks.every(({ id, state }) => !SETUP_CHECKS.has(id) || state === "ok") === true;
}

/** What the operator's home asks about all tenants together. */
export const homeQueries = {
  figures: (api: ApiClient, { environment, timeZone }: HomeScope) =>
    queryOptions({
      queryKey: ["usage", "all", "figures", timeZone, environment ?? null],
      queryFn: ({ signal }) =>
        api.usage.queryAll(
          {
            measures: "requests,errors,error_rate,denied,latency_p95",
            from: new Date(Date.now() - RANGE_MS).toISOString(),
            grain: "day",
            compare: "previous",
            timeZone,
            ...(environment === undefined ? {} : { environment }),
          },
          { signal },
        ),
      refetchInterval: askAgainIn(REFRESH_MS),
    }),

  outcomes: (api: ApiClient, { environment, timeZone }: HomeScope) =>
    queryOptions({
      queryKey: ["usage", "all", "outcomes", timeZone, environment ?? null],
      queryFn: ({ signal }) =>
        api.usage.queryAll(
          {
            measures: "requests",
            dimensions: "outcome,status_class",
            from: new Date(Date.now() - RANGE_MS).toISOString(),
            grain: "day",
            timeZone,
            ...(environment === undefined ? {} : { environment }),
          },
          { signal },
        ),
      refetchInterval: askAgainIn(REFRESH_MS),
    }),

  /** Whether any customer ever made a call. */
  hasCalls: (api: ApiClient) =>
    queryOptions({
      queryKey: ["usage", "all", "has-calls"],
      queryFn: async ({ signal }) => {
        const { totals } = await api.usage.queryAll({ measures: "requests" }, { signal });
        return (totals.requests ?? 0) > 0;
      },
      refetchInterval: (query) =>
        query.state.data === true ? false : askAgainIn(REFRESH_MS)(query),
    }),

  /** Whether there is any customer yet. */
  hasTenants: (api: ApiClient) =>
    queryOptions({
      queryKey: ["tenants", "all", "any"],
      queryFn: async ({ signal }) =>
        (await api.tenants.list({ limit: 1 }, { signal })).items.length > 0,
      staleTime: 0,
    }),

  /** Whether the installation is ready for customers. Steps of the setup complete when the page is opened again. */
  checks: (api: ApiClient) =>
    queryOptions({
      queryKey: ["checks"],
      queryFn: ({ signal }) => api.checks.run({}, { signal }),
      staleTime: CHECKS_STALE_MS,
      refetchOnMount: ({ state }) => (isSetUp(state.data) ? true : "always"),
    }),

  /** Recurring revenue of this month, by currency. */
  revenue: (api: ApiClient) =>
    queryOptions({
      queryKey: ["operator-home", "revenue"],
      queryFn: ({ signal }) => api.revenue.getRevenue({ months: 1 }, { signal }),
    }),
};
