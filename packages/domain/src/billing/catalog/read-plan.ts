import type { Reader } from "../../pricing/catalog-fault.ts";
import {
  isMembers,
  readList,
  readMembers,
  readOptionalDecimal,
  readText,
} from "../../pricing/read-value.ts";
import type { BillingMeter, BillingPlan, PhaseDuration, PlanPhase } from "./billing-plan.ts";
import { readRateCard } from "./read-rate-card.ts";

const DURATION_UNITS = {
  days: { in: "days", count: 1 },
  weeks: { in: "days", count: 7 },
  months: { in: "months", count: 1 },
  years: { in: "months", count: 12 },
} as const satisfies Record<string, PhaseDuration>;

/** Longer phases leave the range of dates. */
const DURATION_MAX = 10_000;

function isDurationUnit(unit: string | undefined): unit is keyof typeof DURATION_UNITS {
  return unit !== undefined && Object.hasOwn(DURATION_UNITS, unit);
}

function readDuration(value: unknown, reader: Reader): PhaseDuration | undefined {
  const [entry, ...others] = isMembers(value) ? Object.entries(value) : [];
  const [unit, length] = entry ?? [];
  if (
    !isDurationUnit(unit) ||
    others.length > 0 ||
    typeof length !== "number" ||
    !Number.isInteger(length) ||
    length < 1 ||
    length > DURATION_MAX
  ) {
    reader.report(
      "bad_interval",
      'Give exactly one of days, weeks, months, years with a whole number from 1, such as { "days": 14 }.',
    );
    return;
  }
  const measure = DURATION_UNITS[unit];
  return { in: measure.in, count: measure.count * length };
}

function readPhase(
  value: unknown,
  { isLast, meters }: { isLast: boolean; meters: ReadonlyMap<string, BillingMeter> },
  reader: Reader,
): PlanPhase {
  const phase = readMembers(value, reader);
  const hasDuration = phase["duration"] !== undefined && phase["duration"] !== null;
  if (hasDuration === isLast) {
    reader
      .at("duration")
      .report(
        "phase_duration",
        isLast
          ? "Remove the duration of the last phase: it lasts until the subscription ends."
          : 'Say how long the phase lasts, such as { "months": 3 }; only the last phase has no end.',
      );
  }
  const minimum = readOptionalDecimal(phase["minimum"], reader.at("minimum"));
  const taxClass =
    phase["taxClass"] === undefined
      ? "standard"
      : readText(phase["taxClass"], reader.at("taxClass"));
  const list = readList(phase["rateCards"], reader.at("rateCards"));
  const keys = new Set<string>();
  const cards = list.map((card, place) => {
    const at = reader.at("rateCards").at(place);
    const read = readRateCard(card, { place, meters }, at);
    if (keys.has(read.key)) {
      at.at("key").report("twice", `Give each card of a phase its own key: ${read.key} is taken.`);
    }
    keys.add(read.key);
    return read;
  });
  return {
    duration: hasDuration ? readDuration(phase["duration"], reader.at("duration")) : undefined,
    minimum,
    taxClass,
    cards,
  };
}

/** Reads a plan and reports what cannot work. */
export function readPlan(
  value: unknown,
  { place, meters }: { place: number; meters: ReadonlyMap<string, BillingMeter> },
  reader: Reader,
): BillingPlan {
  const plan = readMembers(value, reader);
  const planId = readText(plan["planId"], reader.at("planId"));
  const list = readList(plan["phases"], reader.at("phases"));
  if (Array.isArray(plan["phases"]) && list.length === 0) {
    reader.at("phases").report("bad_value", "Give the plan at least one phase.");
  }
  const phases = list.map((phase, index) =>
    readPhase(phase, { isLast: index === list.length - 1, meters }, reader.at("phases").at(index)),
  );
  const isPrepaid = plan["isPrepaid"] === true;
  return { planId, place, phases, ...(isPrepaid && { isPrepaid }) };
}
