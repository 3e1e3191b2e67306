import { isId } from "@turnpike/domain/ids/ids";
import { GRAINS } from "@turnpike/domain/time/zoned-buckets";
import { z } from "zod";
import { commaList } from "./comma-list.ts";
import { limitsContract } from "./limits.ts";
import {
  type EventDimension,
  isEventDimension,
  isMeterMeasure,
  type MeterMeasure,
} from "./meter-measure.ts";
import { operation } from "./operation.ts";
import { instant, keyId, tenantId } from "./shapes.ts";
import {
  ALL_USAGE_DIMENSIONS,
  allUsageQuery,
  timeZone,
  toCallMeasure,
  USAGE_ROWS_MAX,
  type UsageDimension,
  type UsageMeasure,
  usageQuery,
} from "./usage-query.ts";

/** The most keys in one summary. */
export const SUMMARISED_KEYS_MAX = 100;
/** Days in a key's summary, including the current one. */
export const KEY_SUMMARY_DAYS = 14;

const count = z.int().optional();
/** Null where there is nothing to divide by. */
const quotient = z.number().nullable().optional();

const callValues = z.strictObject({
  requests: count,
  /** Units of the meter, an exact decimal. */
  billable: z.string().optional(),
  errors: count,
  /** From 0 to 1; null if no call was let through. */
  error_rate: quotient,
  denied: count,
  /** Milliseconds, within 2 %; null if no call has a known latency. */
  latency_avg: quotient,
  latency_p50: quotient,
  latency_p95: quotient,
  latency_p99: quotient,
  bytes_in: count,
  bytes_out: count,
});
/** Only the requested measures. */
export type UsageValues = z.infer<typeof callValues> & Partial<Record<MeterMeasure, string | null>>;
export const usageValues: z.ZodType<UsageValues> = z
  .object(callValues.shape)
  .catchall(z.string().nullable())
  .meta({
    description:
      "The requested measures. The result of a meter is an exact decimal under its measure, such as `meter:tokens`; a mean is cut off after 12 digits. Null where a mean, extreme or latest value has no event.",
  });

function isUsageMeasure(name: unknown): name is UsageMeasure {
  return typeof name === "string" && (isMeterMeasure(name) || toCallMeasure(name) !== undefined);
}

function isUsageDimension(name: unknown): name is UsageDimension {
  const isNamed = ALL_USAGE_DIMENSIONS.some((dimension) => dimension === name);
  return isNamed || (typeof name === "string" && isEventDimension(name));
}

const groupValue = z.string().optional();
const namedGroup = z.strictObject({
  key: groupValue,
  route: groupValue,
  method: groupValue,
  status: groupValue,
  status_class: groupValue,
  outcome: groupValue,
  environment: groupValue,
  model: groupValue,
  tenant: groupValue,
  plan: groupValue,
});
export type UsageGroupValues = z.infer<typeof namedGroup> & Partial<Record<EventDimension, string>>;
const usageGroup: z.ZodType<UsageGroupValues> = z
  .object(namedGroup.shape)
  .catchall(z.string())
  .meta({
    description:
      'The value of each requested dimension: ids, names, or statuses as text. The empty text means "not known", also for events of meter versions without the dimension.',
  });

export const usageRow = z.strictObject({
  /** Start of the bucket, which may lie before `from`; null without a grain. */
  time: instant.nullable(),
  group: usageGroup,
  values: usageValues,
});
export type UsageRow = z.infer<typeof usageRow>;

const period = {
  from: instant,
  to: instant,
  /** Start of every bucket of the range, ascending, including those without usage; empty without a grain. */
  times: z.array(instant),
  /** Buckets and groups without usage have no row. */
  rows: z.array(usageRow).max(USAGE_ROWS_MAX),
  /** Over all rows, including those that were cut off. */
  totals: usageValues,
  /** True when there were more rows than `limit`. */
  truncated: z.boolean(),
};

export const usageReport = z.strictObject({
  ...period,
  grain: z.enum(GRAINS).nullable(),
  timeZone: z.string(),
  measures: z.array(z.custom<UsageMeasure>(isUsageMeasure).meta({ type: "string" })),
  dimensions: z.array(z.custom<UsageDimension>(isUsageDimension).meta({ type: "string" })),
  /** The period before, if requested. Its buckets match those of the range by index. */
  previous: z.strictObject(period).nullable(),
  /** Usage before this is no longer stored. Only present if the question reaches that far back. */
  keptFrom: instant.optional(),
});
export type UsageReport = z.infer<typeof usageReport>;

export const summariseKeysQuery = z.strictObject({
  tenantId,
  keys: commaList({
    countMax: SUMMARISED_KEYS_MAX,
    expected: "an id such as key_0199f3b0c1d27a4e8f60112233445566",
    parse: (text) => (isId("key", text) ? text : undefined),
  }),
  timeZone,
});
export type SummariseKeysQuery = z.output<typeof summariseKeysQuery>;

export const keySummary = z.strictObject({
  keyId,
  /** Minute of the key's last recorded call, refused calls included; null if there was none. */
  lastUsedAt: instant.nullable(),
  /** In the days of the summary. */
  requests: z.int(),
  denied: z.int(),
  /** Requests of each day, in the order of `times`. */
  requestsByDay: z.array(z.int()),
});

export const keySummaries = z.strictObject({
  /** Starts of the days; the last one is the current day. */
  times: z.array(instant),
  timeZone: z.string(),
  /** One for each requested key, in that order. A key that the tenant does not have looks like a key that was never used. */
  items: z.array(keySummary).max(SUMMARISED_KEYS_MAX),
});
export type KeySummaries = z.infer<typeof keySummaries>;

const tags = ["Usage"];

/** Past usage, answered from the rollups of the ledger. */
export const analyticsContract = {
  query: operation({ scope: "usage:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/usage",
      summary: "Usage of a tenant: measures by dimensions and time",
      tags,
    })
    .input(usageQuery)
    .output(usageReport),
  queryAll: operation({ scope: "usage:read" })
    .route({
      method: "GET",
      path: "/usage",
      summary: "Usage of all tenants; with a tenant's own key, of that tenant only",
      tags,
    })
    .input(allUsageQuery)
    .output(usageReport),
  keys: operation({ scope: "usage:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/usage/keys",
      summary: "Summarise keys: their last 14 days, and when each was last used",
      tags,
    })
    .input(summariseKeysQuery)
    .output(keySummaries),
};

export const usageContract = { ...analyticsContract, ...limitsContract };
