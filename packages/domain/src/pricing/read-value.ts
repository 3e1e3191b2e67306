import { DECIMAL_DIGITS, parseDecimal } from "../money/decimal.ts";
import { CALENDAR_UNITS, type PeriodUnit } from "../time/period.ts";
import type { Reader } from "./catalog-fault.ts";

/** Longer intervals leave the range of dates. */
const EVERY_MAX = 100_000;

export type Members = Readonly<Record<string, unknown>>;

export function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Reads a decimal that is 0 or more.
 *
 * @returns Scaled by 10^12; 0 after reporting a mistake.
 */
export function readDecimal(value: unknown, reader: Reader): bigint {
  const parsed = parseDecimal(value);
  if ("fault" in parsed) {
    if (parsed.fault === "too_precise") {
      reader.report(
        "too_precise",
        `Round it to at most ${String(DECIMAL_DIGITS)} decimals, which is what prices and quantities hold.`,
      );
    } else {
      reader.report("bad_value", 'Write it as a decimal in quotes, such as "49.90".');
    }
    return 0n;
  }
  if (parsed.scaled < 0n) {
    reader.report("bad_value", "Use 0 or more; a discount is a coupon or a credit.");
    return 0n;
  }
  return parsed.scaled;
}

export function readOptionalDecimal(value: unknown, reader: Reader): bigint | undefined {
  return value === undefined ? undefined : readDecimal(value, reader);
}

/** Reads an interval such as `{ "month": 1 }`. */
export function readInterval(value: unknown, reader: Reader): PeriodUnit | undefined {
  const [entry, ...others] = isMembers(value) ? Object.entries(value) : [];
  const unit = CALENDAR_UNITS.find((known) => known === entry?.[0]);
  const every = entry?.[1];
  if (
    unit === undefined ||
    others.length > 0 ||
    typeof every !== "number" ||
    !Number.isInteger(every) ||
    every < 1 ||
    every > EVERY_MAX
  ) {
    reader.report(
      "bad_interval",
      'Give exactly one of day, week, month, quarter, year with a whole number from 1, such as { "month": 1 }.',
    );
    return;
  }
  return { every, unit };
}

export function readText(value: unknown, reader: Reader): string {
  if (typeof value !== "string" || value === "") {
    reader.report("bad_value", "Give it as a text that is not empty.");
    return "";
  }
  return value;
}

export function readList(value: unknown, reader: Reader): readonly unknown[] {
  if (!Array.isArray(value)) {
    reader.report("bad_value", "Give it as a list.");
    return [];
  }
  return value;
}

export function readMembers(value: unknown, reader: Reader): Members {
  if (!isMembers(value)) {
    reader.report("bad_value", "Give it as an object.");
    return {};
  }
  return value;
}
