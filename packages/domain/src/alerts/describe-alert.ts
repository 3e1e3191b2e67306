import { said } from "../text/said.ts";
import { toPlural } from "../text/to-plural.ts";
import type { AlertCondition } from "./alert-rule.ts";

const MEASURE_NAMES: Readonly<Record<string, string>> = {
  requests: said("Requests"),
  billable: said("Billable requests"),
  errors: said("Errors"),
  error_rate: said("Error rate"),
  denied: said("Denied calls"),
  latency_avg: said("Average latency"),
  latency_p50: said("Median latency"),
  latency_p95: said("p95 latency"),
  latency_p99: said("p99 latency"),
  bytes_in: said("Bytes in"),
  bytes_out: said("Bytes out"),
};
/** The names of one counted unit, and of several. */
const COUNT_UNITS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  requests: [said("request"), said("requests")],
  billable: [said("billable request"), said("billable requests")],
  errors: [said("error"), said("errors")],
  denied: [said("denied call"), said("denied calls")],
};

function unitsOf(measure: string, meter: MeterWords | undefined) {
  return (
    COUNT_UNITS[measure] ?? (meter === undefined ? undefined : [meter.unit, toPlural(meter.unit)])
  );
}

const METER_PREFIX = "meter:";
const BYTE_UNITS = ["bytes", "kB", "MB", "GB", "TB", "PB"] as const;
const THOUSAND = 1_000;

/** The operator's name of a meter, and the name of one unit. */
export type MeterWords = { name: string; unit: string };

/** The name of a measure: said("p95 latency"). A meter has its operator's name, or its id if that is unknown. */
export function nameMeasure(measure: string, meter?: MeterWords): string {
  const name = MEASURE_NAMES[measure];
  if (name !== undefined) {
    return name;
  }
  if (!measure.startsWith(METER_PREFIX)) {
    return measure;
  }
  return meter?.name ?? `Meter ${measure.slice(METER_PREFIX.length)}`;
}

/** The id of the meter behind a measure; undefined for measures of calls. */
export function meterOfMeasure(measure: string): string | undefined {
  return measure.startsWith(METER_PREFIX) ? measure.slice(METER_PREFIX.length) : undefined;
}

function formatNumber(value: number, digits: number): string {
  return value.toLocaleString("en", { maximumFractionDigits: digits });
}

/** "5.4%". */
function formatPercent(percent: number): string {
  return `${formatNumber(percent, 2)}%`;
}

function formatBytes(bytes: number): string {
  let value = bytes;
  let place = 0;
  while (Math.abs(value) >= THOUSAND && place < BYTE_UNITS.length - 1) {
    value /= THOUSAND;
    place += 1;
  }
  return bytes === 1
    ? "1 byte"
    : `${formatNumber(value, place === 0 ? 0 : 2)} ${BYTE_UNITS[place] ?? ""}`;
}

function formatMs(ms: number): string {
  return ms >= THOUSAND
    ? `${formatNumber(ms / THOUSAND, 2)} s`
    : `${formatNumber(ms, ms < 10 ? 1 : 0)} ms`;
}

function formatCount(value: number, units: readonly (string | undefined)[] | undefined): string {
  const text = formatNumber(value, 2);
  return units === undefined ? text : `${text} ${units[value === 1 ? 0 : 1] ?? ""}`;
}

/**
 * A value with its unit, for people: `error_rate` of 0.054 is "5.4%", `latency_p95` of 1,204 is "1.2 s", `requests` of 1 is "1
 * request"; null is said("no data").
 */
export function formatMeasured(measure: string, value: number | null, meter?: MeterWords): string {
  if (value === null) {
    return said("no data");
  }
  if (measure === "error_rate") {
    return formatPercent(value * 100);
  }
  if (measure.startsWith("latency_")) {
    return formatMs(value);
  }
  if (measure.startsWith("bytes_")) {
    return formatBytes(value);
  }
  return formatCount(value, unitsOf(measure, meter));
}

/** A threshold after the name of its measure, which already says what is counted: "Requests above 1,000". */
function formatThreshold(measure: string, value: number, meter: MeterWords | undefined): string {
  const name = nameMeasure(measure, meter).toLowerCase();
  const isNamed = name === unitsOf(measure, meter)?.[1]?.toLowerCase();
  // A chosen value is shown in full, to the last digit that people type.
  if (COUNT_UNITS[measure] !== undefined || isNamed) {
    return formatNumber(value, 4);
  }
  if (measure.startsWith("latency_")) {
    return value < THOUSAND
      ? `${formatNumber(value, 4)} ms`
      : `${formatNumber(value / THOUSAND, 4)} s`;
  }
  return formatMeasured(measure, value, meter);
}

/** A duration: 90 is "90 minutes", 360 "6 hours", 1,440 "24 hours". */
export function formatMinutes(minutes: number): string {
  if (minutes === 1) {
    return said("1 minute");
  }
  if (minutes < 60 || minutes % 60 !== 0) {
    return said(`${String(minutes)} minutes`);
  }
  return minutes === 60 ? said("1 hour") : said(`${String(minutes / 60)} hours`);
}

/** The window before, after "the": "hour before", "5 minutes before". */
function nameBefore(minutes: number): string {
  return said(`${formatMinutes(minutes).replace(/^1 /, "")} before`);
}

export type DescribedRule = {
  measure: string;
  /** Of the measure, if it is a meter. */
  meter?: MeterWords | undefined;
  windowMinutes: number;
  condition: AlertCondition;
};

function describeMove(
  { measure, meter, windowMinutes }: DescribedRule,
  { direction, threshold }: Extract<AlertCondition, { kind: "change" }>,
): string {
  const name = nameMeasure(measure, meter);
  const [percent, before] = [formatPercent(threshold), nameBefore(windowMinutes)];
  switch (direction) {
    case "up":
      return said(`${name} up by more than ${percent} against the ${before}`);
    case "down":
      return said(`${name} down by more than ${percent} against the ${before}`);
    case "either":
      return said(`${name} changed by more than ${percent} against the ${before}`);
  }
}

/** A rule in words: "Requests above 1,000 in 5 minutes". */
export function describeAlert(rule: DescribedRule): string {
  const { measure, meter, condition } = rule;
  const name = nameMeasure(measure, meter);
  const window = formatMinutes(rule.windowMinutes);
  switch (condition.kind) {
    case "above":
      return said(
        `${name} above ${formatThreshold(measure, condition.threshold, meter)} in ${window}`,
      );
    case "below":
      return said(
        `${name} below ${formatThreshold(measure, condition.threshold, meter)} in ${window}`,
      );
    case "change":
      return describeMove(rule, condition);
    case "no_data":
      return said(`${name}: nothing counted in ${window}`);
  }
}

/** When it recovers, in words: "At 800 or less"; undefined where there is no threshold. */
export function describeRecovery(rule: DescribedRule): string | undefined {
  const { measure, meter, condition } = rule;
  switch (condition.kind) {
    case "above":
      return said(`At ${formatThreshold(measure, condition.clear, meter)} or less`);
    case "below":
      return said(`At ${formatThreshold(measure, condition.clear, meter)} or more`);
    case "change":
      return said(`At a change of ${formatPercent(condition.clear)} or less`);
    case "no_data":
      return undefined;
  }
}
