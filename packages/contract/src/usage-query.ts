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
import { instant, tenantId } from "./shapes.ts";

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

/** The measure of calls with this name, if there is one. */
export const toCallMeasure = toWord(USAGE_MEASURES);
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

/** Programs of the operator have no key: theirs is the empty text. */
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
