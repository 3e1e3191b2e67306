import { addExact, type Exact, timesShare, ZERO } from "../../money/exact.ts";
import { costOf } from "../../pricing/cost.ts";
import type { Quantity } from "../../pricing/price.ts";
import type { CalendarUnit, PeriodUnit } from "../../time/period.ts";
import { type BillingPlan, isPriced, type PlanPhase } from "../catalog/billing-plan.ts";

const MONTH: PeriodUnit = { every: 1, unit: "month" };

/** How many of a unit are in a year: a year is 12 months, 52 weeks, 365 days. */
const A_YEAR: Readonly<Record<CalendarUnit, bigint>> = {
  day: 365n,
  week: 52n,
  month: 12n,
  quarter: 4n,
  year: 1n,
};

/** The interval of a plan in a phase: of its first fee, else of its first card with a price, else of its first card, else a month. */
export function planInterval({ cards }: PlanPhase): PeriodUnit {
  const card =
    cards.find((candidate) => candidate.meterId === undefined && isPriced(candidate)) ??
    cards.find(isPriced) ??
    cards.find(({ interval }) => interval !== undefined);
  return card?.interval ?? MONTH;
}

function toLength(unit: PeriodUnit): string {
  const { every, unit: name } = typeof unit === "string" ? { every: 1, unit } : unit;
  const counts = { day: 1, week: 7, month: 1, quarter: 3, year: 12 } as const;
  return `${String(every * counts[name])} ${name === "day" || name === "week" ? "days" : "months"}`;
}

/** True when both have one length: 12 months are a year, 7 days a week. */
export function isSameInterval(a: PeriodUnit, b: PeriodUnit): boolean {
  return toLength(a) === toLength(b);
}

/** True for a year and what is longer. */
export function isAtLeastAYear(unit: PeriodUnit): boolean {
  const { every, unit: name } = typeof unit === "string" ? { every: 1, unit } : unit;
  return BigInt(every) >= A_YEAR[name];
}

function perYear(unit: PeriodUnit): { count: bigint; every: bigint } {
  const { every, unit: name } = typeof unit === "string" ? { every: 1, unit } : unit;
  return { count: A_YEAR[name], every: BigInt(every) };
}

/** What an amount for each `from` comes to for each `to`, exactly: 120 a year are 10 a month. */
export function forInterval(amount: Exact, from: PeriodUnit, to: PeriodUnit): Exact {
  if (isSameInterval(from, to)) {
    return amount;
  }
  const [given, asked] = [perYear(from), perYear(to)];
  return timesShare(amount, given.count * asked.every, asked.count * given.every);
}

/**
 * What the fees of a plan cost a month, exactly, by its last phase. It tells an upgrade from a downgrade.
 *
 * @param seatsOf - The seats of a card today.
 */
export function monthlyCost(
  plan: BillingPlan,
  seatsOf: (key: string, standard: Quantity) => Quantity,
): Exact {
  const cards = plan.phases.at(-1)?.cards ?? [];
  let sum = ZERO;
  for (const card of cards) {
    if (card.meterId !== undefined || !isPriced(card)) {
      continue;
    }
    const seats = seatsOf(card.key, card.quantity);
    const cost = seats === 0n ? ZERO : costOf(card.price, seats);
    sum = addExact(sum, forInterval(cost, card.interval, MONTH));
  }
  return sum;
}
