import { type Aggregation, DIMENSION_LENGTH_MAX, type MeterDefinition } from "../catalog/meter.ts";
import { fromScaled, toScaled } from "../money/decimal.ts";
import { findByPath, type JsonPath, parseJsonPointer } from "../text/json-pointer.ts";
import { toDecimalValue } from "./decimal-value.ts";
import type { Rejection } from "./rejection.ts";

/** A version of a meter, compiled for measuring. */
export type CompiledMeter = {
  meterId: string;
  version: number;
  aggregation: Aggregation;
  valuePath: JsonPath | undefined;
  valuePointer: string;
  dimensionPaths: readonly JsonPath[];
  /** The highest value that a sum takes, scaled by 10^12; undefined without a bound. */
  valueMax: bigint | undefined;
};

/** The measurement of one event by one meter. */
export type Measurement = {
  meter: CompiledMeter;
  /** Exact decimal that counts in the ledger; 0 for meters that cannot be added up. */
  quantity: string;
  /** Exact decimal; undefined for `count` and `unique_count`. */
  value: string | undefined;
  /** For `unique_count`: the distinct value. */
  unique: string | undefined;
  /** In the order of the meter's dimensions; empty text where the event has none. */
  dimensions: readonly string[];
};

/** @throws if a pointer is invalid, which the contract prevents. */
export function compileMeter(definition: MeterDefinition, version: number): CompiledMeter {
  const toPath = (pointer: string): JsonPath => {
    const path = parseJsonPointer(pointer);
    if (path === undefined) {
      throw new Error(`The meter ${definition.meterId} has no valid pointer ${pointer}.`);
    }
    return path;
  };
  const { meterId, aggregation, valuePointer, dimensions = [], valueMax } = definition;
  return {
    meterId,
    version,
    aggregation,
    valuePath: valuePointer === undefined ? undefined : toPath(valuePointer),
    valuePointer: valuePointer ?? "",
    dimensionPaths: dimensions.map(({ pointer }) => toPath(pointer)),
    valueMax: valueMax === undefined ? undefined : toScaled(valueMax),
  };
}

const BROKEN = /\p{Surrogate}|\0/gu;

/** Texts, numbers and booleans as text. Longer ones are cut; anything else is left out. */
function toDimension(value: unknown): string {
  switch (typeof value) {
    case "string":
      return value.slice(0, DIMENSION_LENGTH_MAX).replaceAll(BROKEN, "\ufffd");
    case "number":
    case "boolean":
      return String(value);
    default:
      return "";
  }
}

/** The longest text that `unique_count` distinguishes, in UTF-16 units. */
const UNIQUE_LENGTH_MAX = 1_024;

/**
 * True for a number that JSON parsing has rounded, or may have: `9007199254740992` and `9007199254740993` become the same number,
 * so distinct values would be counted as one.
 */
function isRounded(value: unknown): boolean {
  return typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

type Reading =
  | { kind: "value"; measurement: Measurement }
  | { kind: "missing" }
  | { kind: "invalid"; reason: string };

function describe({ aggregation, meterId, valuePointer }: CompiledMeter): string {
  const where = valuePointer === "" ? "The data" : `The value at ${valuePointer} in the data`;
  return aggregation === "unique_count"
    ? `${where} is not something that the meter ${meterId} can count as distinct: it takes short texts, numbers and booleans.`
    : `${where} is not something that the meter ${meterId} can count: it takes numbers${aggregation === "sum" ? " of 0 or more" : ""}, at most 10^15.`;
}

function readOne(meter: CompiledMeter, data: unknown): Reading {
  const { aggregation, meterId } = meter;
  const found = meter.valuePath === undefined ? undefined : findByPath(data, meter.valuePath);
  if (meter.valuePath !== undefined && (found === undefined || found === null)) {
    return { kind: "missing" };
  }
  const parts = meter.dimensionPaths.map((path) => findByPath(data, path));
  if (parts.some(isRounded) || (aggregation === "unique_count" && isRounded(found))) {
    const reason = `The meter ${meterId} reads a number beyond ${String(Number.MAX_SAFE_INTEGER)} in the data, which JSON rounds: send it as a text.`;
    return { kind: "invalid", reason };
  }
  const base = { meter, dimensions: parts.map(toDimension), unique: undefined, value: undefined };
  if (meter.valuePath === undefined) {
    return { kind: "value", measurement: { ...base, quantity: "1" } };
  }
  if (aggregation === "unique_count") {
    const isScalar = typeof found !== "object";
    const unique = JSON.stringify(found);
    return isScalar && unique.length <= UNIQUE_LENGTH_MAX
      ? { kind: "value", measurement: { ...base, unique, quantity: "0" } }
      : { kind: "invalid", reason: describe(meter) };
  }
  const value = toDecimalValue(found);
  const isSum = aggregation === "sum";
  if (value === undefined || (isSum && value.startsWith("-"))) {
    return { kind: "invalid", reason: describe(meter) };
  }
  if (meter.valueMax !== undefined && toScaled(value) > meter.valueMax) {
    const reason = `The meter ${meterId} takes values up to ${fromScaled(meter.valueMax)}: split the event, or raise valueMax of the meter.`;
    return { kind: "invalid", reason };
  }
  return { kind: "value", measurement: { ...base, value, quantity: isSum ? value : "0" } };
}

/**
 * Measures an event by every meter of its type. A meter whose value is missing is skipped. If a value is present but cannot be
 * counted, the event is invalid and no meter counts it.
 *
 * @param meters - The meters of the event's type, at least one.
 */
export function measureEvent(
  meters: readonly CompiledMeter[],
  data: unknown,
): { ok: true; measurements: Measurement[] } | { ok: false; rejection: Rejection } {
  const measurements: Measurement[] = [];
  let missing: CompiledMeter | undefined;
  for (const meter of meters) {
    const reading = readOne(meter, data);
    if (reading.kind === "invalid") {
      return { ok: false, rejection: { code: "INVALID_VALUE", reason: reading.reason } };
    }
    if (reading.kind === "missing") {
      missing ??= meter;
    } else {
      measurements.push(reading.measurement);
    }
  }
  if (missing !== undefined && measurements.length === 0) {
    const { meterId, valuePointer } = missing;
    const reason = `The meter ${meterId} finds no value at "${valuePointer}" in the data.`;
    return { ok: false, rejection: { code: "INVALID_VALUE", reason } };
  }
  return { ok: true, measurements };
}
