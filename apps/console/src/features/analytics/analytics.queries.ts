import { queryOptions } from "@tanstack/react-query";
import type { EventDimension } from "@turnpike/contract/meter-measure";
import type { TimeGrain } from "@turnpike/ui/charts/time-buckets.view-model";
import type { ApiClient } from "#platform/api-client.ts";
import {
  type ScreenQuestion,
  toInstants,
  type UsageDimension,
  type UsageReport,
  usageQuery,
} from "#platform/usage-query.ts";
import { type AnalyticsView, toUsageFilters, toUsageRange } from "./analytics-search.view-model.ts";
import {
  type CallPart,
  type Meter,
  toMeasure,
  toMeterFilters,
  toMeterGrain,
  toMeterRange,
} from "./meters.view-model.ts";
import { toModelMeasure } from "./models-timeline.view-model.ts";

export type TenantId = ScreenQuestion["tenantId"];

/** How often a range that includes now is refreshed, in milliseconds. */
export const LIVE_INTERVAL_MS = 5000;
/** Lines of a top list. */
export const TOP_MAX = 10;
/** Models that are listed: more than an API has. */
const MODELS_MAX = 100;
/** Values that a filter offers. */
const CHOICES_MAX = 100;
/** Keys that the page loads names for; the rest are shown by id. */
const KEYS_MAX = 100;

export type AnalyticsScope = {
  tenantId: TenantId;
  view: AnalyticsView;
  grain: TimeGrain;
  timeZone: string;
  isLive: boolean;
};

/** Where values of filters are looked for: a tenant, or null for all of them. */
export type ChoicesScope = { tenantId: TenantId | null; view: AnalyticsView };

function ask(
  api: ApiClient,
  scope: AnalyticsScope,
  question: Omit<ScreenQuestion, "tenantId" | "range" | "timeZone"> &
    Partial<Pick<ScreenQuestion, "range">>,
) {
  return usageQuery(
    api,
    {
      tenantId: scope.tenantId,
      range: toUsageRange(scope.view),
      filters: toUsageFilters(scope.view),
      timeZone: scope.timeZone,
      ...question,
    },
    { refetchMs: scope.isLive && LIVE_INTERVAL_MS },
  );
}

export const analyticsQueries = {
  outcomesOverTime: (api: ApiClient, scope: AnalyticsScope) =>
    ask(api, scope, {
      measures: ["requests"],
      dimensions: ["outcome", "status_class"],
      grain: scope.grain,
      isCompared: scope.view.isCompared,
    }),
  figures: (api: ApiClient, scope: AnalyticsScope) =>
    ask(api, scope, {
      measures: [
        "requests",
        "errors",
        "error_rate",
        "denied",
        "latency_p50",
        "latency_p95",
        "latency_p99",
      ],
      grain: scope.grain,
      isCompared: true,
    }),
  statuses: (api: ApiClient, scope: AnalyticsScope) =>
    ask(api, scope, { measures: ["requests"], dimensions: ["status"], order: "-requests" }),
  outcomes: (api: ApiClient, scope: AnalyticsScope) =>
    ask(api, scope, {
      measures: ["requests", "denied"],
      dimensions: ["outcome"],
      order: "-denied",
    }),
  top: (api: ApiClient, scope: AnalyticsScope, dimension: "route" | "key") =>
    ask(api, scope, {
      measures: ["requests"],
      dimensions: [dimension],
      order: "-requests",
      limit: TOP_MAX,
    }),
  /** The calls of each model, and what they cost of each meter. */
  models: (api: ApiClient, scope: AnalyticsScope, meters: readonly Meter[]) =>
    ask(api, scope, {
      measures: ["requests", ...meters.map(toMeasure)],
      dimensions: ["model"],
      order: "-requests",
      limit: MODELS_MAX,
    }),
  /** Requests or the units of a meter over time, by model. */
  modelsOverTime: (api: ApiClient, scope: AnalyticsScope, meter: Meter | undefined) =>
    ask(api, scope, {
      measures: [toModelMeasure(meter)],
      dimensions: ["model"],
      grain: scope.grain,
      isCompared: scope.view.isCompared,
    }),
  /** For a file: as many lines as one answer holds. */
  all: (api: ApiClient, scope: AnalyticsScope, dimension: "route" | "key") =>
    ask(api, scope, {
      measures: ["requests", "errors", "denied", "latency_p95"],
      dimensions: [dimension],
      order: "-requests",
    }),
  meter: (api: ApiClient, scope: AnalyticsScope, meter: Meter, events: readonly string[] = []) =>
    ask(api, scope, {
      measures: [toMeasure(meter)],
      range: toMeterRange(meter, scope.view, events.length > 0),
      grain: toMeterGrain(meter, scope.grain, events),
      isCompared: true,
      filters: toMeterFilters(meter, scope.view, events),
    }),
  /** The usage of each value of a dimension: of the meter's events, or of calls. */
  meterParts: (
    api: ApiClient,
    scope: AnalyticsScope,
    meter: Meter,
    part: EventDimension | CallPart,
  ) =>
    ask(api, scope, {
      measures: [toMeasure(meter)],
      range: toMeterRange(meter, scope.view, true),
      dimensions: [part],
      order: `-${toMeasure(meter)}`,
      limit: TOP_MAX,
      filters: toMeterFilters(meter, scope.view, scope.view.events, true),
    }),
  /** The choices of a filter: the values seen in the range regardless of the other filters. */
  choices: (api: ApiClient, { tenantId, view }: ChoicesScope, dimension: UsageDimension) =>
    queryOptions({
      queryKey: ["usage", tenantId ?? "all", "choices", toUsageRange(view), dimension],
      queryFn: async ({ signal }): Promise<UsageReport> => {
        const input = {
          measures: "requests",
          dimensions: dimension,
          order: "-requests",
          limit: CHOICES_MAX,
          ...toInstants(toUsageRange(view), Date.now()),
        };
        return tenantId === null
          ? await api.usage.queryAll(input, { signal })
          : await api.usage.query({ tenantId, ...input }, { signal });
      },
      staleTime: 60_000,
    }),
  keys: (api: ApiClient, tenantId: TenantId) =>
    queryOptions({
      queryKey: ["keys", tenantId, "names"],
      queryFn: ({ signal }) => api.keys.list({ tenantId, limit: KEYS_MAX }, { signal }),
    }),
  meters: (api: ApiClient) =>
    queryOptions({
      queryKey: ["meters"],
      queryFn: ({ signal }) => api.catalog.listMeters({}, { signal }),
    }),
};
