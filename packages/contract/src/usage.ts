import { isId, type KeyId, SLUG_PATTERN, type TenantId } from "@turnpike/domain/ids/ids";
import { ENVIRONMENTS } from "@turnpike/domain/keys/key-format";
import { CALL_METHODS } from "@turnpike/domain/metering/call-method";
import { isModelName } from "@turnpike/domain/metering/model-registry";
import { isOutcome, type Outcome } from "@turnpike/domain/metering/outcome";
import { isStorableText } from "@turnpike/domain/text/storable-text";
import { GRAINS, isTimeZone } from "@turnpike/domain/time/zoned-buckets";
import { z } from "zod";
import { commaList, wordList } from "./comma-list.ts";
import {
  type EventDimension,
  isEventDimension,
  isMeterMeasure,
  type MeterMeasure,
  parseEventFilter,
} from "./meter-measure.ts";
import { operation } from "./operation.ts";
import { instant, keyId, tenantId } from "./shapes.ts";

/**
 * What can be counted. `errors` are answers of 500 and above to calls that were let through, `error_rate` is their share of
 * those calls; `denied` are calls that were refused. Latencies are those of the upstream, in milliseconds.
 */
export const USAGE_MEASURES = [
  "requests",
  "billable",
  "errors",
  "error_rate",
  "denied",
  "latency_avg",
  "latency_p50",
  "latency_p95",
  "latency_p99",
  "bytes_in",
  "bytes_out",
] as const;
export type CallMeasure = (typeof USAGE_MEASURES)[number];
/** A measure of calls, or the result of a meter. */
export type UsageMeasure = CallMeasure | MeterMeasure;

/** The dimensions of one tenant's usage. */
export const USAGE_DIMENSIONS = [
  "key",
  "route",
  "method",
  "status",
  "status_class",
  "outcome",
  "environment",
  "model",
] as const;
/** The dimensions of several tenants' usage. `plan` is the current plan of the tenant. */
export const ALL_USAGE_DIMENSIONS = [...USAGE_DIMENSIONS, "tenant", "plan"] as const;
export type NamedDimension = (typeof ALL_USAGE_DIMENSIONS)[number];
/** A dimension of calls and events alike, or one that meters keep of events. */
export type UsageDimension = NamedDimension | EventDimension;

export const STATUS_CLASSES = ["1xx", "2xx", "3xx", "4xx", "5xx"] as const;

/** The most rows in one answer. */
export const USAGE_ROWS_MAX = 10_000;
/** The most keys in one summary. */
export const SUMMARISED_KEYS_MAX = 100;
/** Days in a key's summary, including the current one. */
export const KEY_SUMMARY_DAYS = 14;
/** The most meters in one question: each is summed separately. */
export const ASKED_METERS_MAX = 10;
/** The most values of one filter. */
const FILTER_VALUES_MAX = 100;
const EVENT_DIMENSIONS_MAX = 8;
const ORDER_TERMS_MAX = 5;

function toWord<Word extends string>(words: readonly Word[]): (text: string) => Word | undefined {
  const known = new Map<string, Word>(words.map((word) => [word, word]));
  return (text) => known.get(text);
}

const toCallMeasure = toWord(USAGE_MEASURES);
const MEASURES_EXPECTED = `one of ${USAGE_MEASURES.join(", ")}, or meter: and the id of a meter, such as meter:tokens`;

const measures = commaList<UsageMeasure>({
  countMax: USAGE_MEASURES.length + ASKED_METERS_MAX,
  expected: MEASURES_EXPECTED,
  parse: (text) => (isMeterMeasure(text) ? text : toCallMeasure(text)),
})
  .refine((asked) => asked.filter(isMeterMeasure).length <= ASKED_METERS_MAX, {
    message: `At most ${String(ASKED_METERS_MAX)} meters.`,
  })
  .meta({ description: `A comma list; each is ${MEASURES_EXPECTED}.` });

/** The given dimensions, and dimensions of events. */
function dimensionList<const Name extends NamedDimension>(names: readonly Name[]) {
  const toName = toWord(names);
  const expected = `one of ${names.join(", ")}, or event: and a dimension of the asked meters, such as event:model`;
  return commaList<Name | EventDimension>({
    countMax: names.length + EVENT_DIMENSIONS_MAX,
    canBeEmpty: true,
    expected,
    parse: (text) => (isEventDimension(text) ? text : toName(text)),
  }).meta({ description: `A comma list; each is ${expected}.` });
}

const toOrderName = toWord([...USAGE_MEASURES, ...ALL_USAGE_DIMENSIONS, "time"]);
const ORDER_EXPECTED = "time, or an asked measure or dimension, descending with - in front";

const order = commaList({
  countMax: ORDER_TERMS_MAX,
  expected: ORDER_EXPECTED,
  parse: (text) => {
    const name = text.startsWith("-") ? text.slice(1) : text;
    const isName =
      isMeterMeasure(name) || isEventDimension(name) || toOrderName(name) !== undefined;
    return isName ? text : undefined;
  },
}).meta({ description: `A comma list; each is ${ORDER_EXPECTED}.` });

function filter<Value>(expected: string, parse: (text: string) => Value | undefined) {
  const description = `A comma list; each value is ${expected}.`;
  return commaList({ countMax: FILTER_VALUES_MAX, expected, parse })
    .meta({ description })
    .optional();
}

function wordFilter<const Word extends string>(words: readonly Word[]) {
  return wordList(words, { countMax: FILTER_VALUES_MAX }).optional();
}

/** The empty text stands for the operator's programs, which have no key. */
const keyFilter = filter<KeyId | "">(
  "an id such as key_0199f3b0c1d27a4e8f60112233445566, or empty for the operator's programs",
  (text) => (text === "" || isId("key", text) ? text : undefined),
);

/** Lengths of values that are compared with columns, which store nothing longer. */
const ROUTE_LENGTH_MAX = 200;
const PLAN_LENGTH_MAX = 64;

export const timeZone = z
  .string()
  .refine(isTimeZone, "Not a name of the IANA time zone database, such as Europe/Berlin.")
  .meta({
    description: "The time zone in which days begin: a name of the IANA time zone database.",
  })
  .default("UTC");

const filters = {
  key: keyFilter,
  /** Path templates. The empty text is the route of calls whose route is not known. */
  route: filter("a route of at most 200 characters", (text) =>
    text.length <= ROUTE_LENGTH_MAX && isStorableText(text) ? text : undefined,
  ),
  /** The empty text is the method of anything that was not HTTP, such as a verification. */
  method: wordFilter([...CALL_METHODS, ""]),
  status: filter("a status from 100 to 599", (text) =>
    /^[1-5]\d\d$/.test(text) ? Number(text) : undefined,
  ),
  status_class: wordFilter(STATUS_CLASSES),
  outcome: filter<Outcome>("VALID, CLIENT_ABORTED or an error code", (text) =>
    isOutcome(text) ? text : undefined,
  ),
  environment: wordFilter(ENVIRONMENTS),
  /** Of calls to APIs that answer with tokens. The empty text is the model of every other call. */
  model: filter("a model such as gpt-large or {other}, or empty for calls without one", (text) =>
    text === "" || isModelName(text) ? text : undefined,
  ),
  /** Values of one dimension are alternatives; filters on several dimensions must all match. */
  event: filter(
    "a dimension of the asked meters, a colon and a value, such as model:small",
    parseEventFilter,
  ),
};

const question = {
  measures: measures.prefault("requests"),
  /** Whose calls or events the measures of calls are about. Measures such as `meter:tokens` name their own meter. */
  meter: z
    .string()
    .regex(SLUG_PATTERN, "Lower-case letters, digits and dashes.")
    .default("requests"),
  from: instant
    .meta({
      description:
        "Inclusive, rounded up to the minute, or to the quarter of an hour for meters stored that way. Left out with a grain: 30 days before `to`, or as far as the grain reaches. Left out without one: all stored usage.",
    })
    .optional(),
  to: instant
    .meta({
      description:
        "Exclusive, rounded up like `from`. Left out: the end of the current minute, or quarter of an hour.",
    })
    .optional(),
  /** Length of the time buckets. Left out: no time axis. */
  grain: z.enum(GRAINS, { error: `One of ${GRAINS.join(", ")}.` }).optional(),
  /** The time zone in which days, weeks and months begin: a name of the IANA database. Weeks begin on Monday. */
  timeZone,
  /**
   * Measures, requested dimensions and `time`, descending with `-` in front. Ties are ordered by time and group. Left out: by time
   * with a grain, then by most requests, or by the first meter if no measure of calls is requested.
   */
  order: order.optional(),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(USAGE_ROWS_MAX)
    .meta({ description: "The most rows to return." })
    .default(USAGE_ROWS_MAX),
  /** `previous` adds the period of equal length before. */
  compare: z.literal("previous", { error: "Only previous." }).optional(),
};

/** The parameters of a question about the usage of one tenant. */
export const usageQuery = z.strictObject({
  tenantId,
  ...question,
  dimensions: dimensionList(USAGE_DIMENSIONS).prefault(""),
  ...filters,
});
/** The parameters of a question about the usage of all tenants. */
export const allUsageQuery = z.strictObject({
  ...question,
  dimensions: dimensionList(ALL_USAGE_DIMENSIONS).prefault(""),
  ...filters,
  tenant: filter<TenantId>("an id such as ten_0199f3b0c1d27a4e8f60112233445566", (text) =>
    isId("tenant", text) ? text : undefined,
  ),
  plan: filter("the id of a plan", (text) =>
    text.length <= PLAN_LENGTH_MAX && SLUG_PATTERN.test(text) ? text : undefined,
  ),
});

/**
 * A parsed question about usage. {@link usageQuery} gives one too, with the tenant that it names and without the dimensions
 * and filters `tenant` and `plan`.
 */
export type UsageQuestion = z.output<typeof allUsageQuery>;

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

export const limits = z.strictObject({
  planId: z.string(),
  planVersion: z.number().int(),
  /** The version that the tenant is on, which may be older than the current one or no longer offered. */
  plan: z.strictObject({
    name: z.string(),
    /** ISO 4217. */
    currency: z.string(),
    /** Price of one period, a decimal in major units. */
    pricePerMonth: z.string(),
  }),
  rateLimits: z.array(
    z.strictObject({ name: z.string(), limit: z.number(), windowSeconds: z.number() }),
  ),
  /** Calls through the gateway that may be under way at once, in each environment; null for no such limit of the plan. */
  concurrency: z.number().int().nullable(),
  quotas: z.array(
    z.strictObject({
      meter: z.string(),
      environment: z.enum(["live", "test"]),
      kind: z.enum(["hard", "soft"]),
      limit: z.number(),
      /** Committed to the ledger in this period. */
      used: z.string(),
      /** Held in leases of running processes, which may still spend them; included in the remaining units. */
      leased: z.string(),
      /** Reserved by open locks until they are settled, released or lapse. */
      locked: z.string(),
      /** Possibly used by a process that crashed: blocked until the period ends, never billed. */
      forfeited: z.string(),
      remaining: z.string(),
      periodStart: instant,
      resetAt: instant,
    }),
  ),
  /** Usage in this period of every additive meter, with or without a quota. Meters that are missing here were not used. */
  balances: z.array(
    z.strictObject({
      meter: z.string(),
      environment: z.enum(["live", "test"]),
      used: z.string(),
    }),
  ),
});

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

/** What remains. */
export const limitsContract = {
  limits: operation({ scope: "usage:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/limits",
      summary: "List every limit of a tenant, with its usage and what is left",
      tags,
    })
    .input(z.strictObject({ tenantId }))
    .output(limits),
};

export const usageContract = { ...analyticsContract, ...limitsContract };
