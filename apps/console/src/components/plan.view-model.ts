import { plural, t } from "@lingui/core/macro";
import type { LandingContent } from "@turnpike/contract/public-pages";
import { LANGUAGE } from "@turnpike/ui/language";
import { nameUnit, nameUnits } from "#platform/unit-words.ts";
import { toPerTime } from "./time-words.ts";

type Plan = LandingContent["plans"][number];
type Meter = LandingContent["meters"][number];

export type PlanView = {
  planId: string;
  name: string;
  description: string;
  /** Of one month, such as "$49". */
  price: string;
  isFree: boolean;
  isDefault: boolean;
  /** What it contains, one line each. */
  terms: readonly { text: string; detail: string | undefined }[];
};

const COUNT = new Intl.NumberFormat(LANGUAGE);
const SECONDS_PER = [
  { seconds: 86_400, unit: "day" },
  { seconds: 3_600, unit: "hour" },
  { seconds: 60, unit: "minute" },
  { seconds: 1, unit: "second" },
] as const;

/**
 * Writes a price with as many decimals as it has, and a whole one with none: "$49", "$49.90", "$0.0025".
 *
 * @param amount - A decimal in major units.
 * @param currency - ISO 4217.
 */
export function formatPrice(amount: string, currency: string): string {
  const decimals = amount.split(".")[1]?.replace(/0+$/, "").length ?? 0;
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat(LANGUAGE, {
    style: "currency",
    currency,
  }).resolvedOptions();
  return new Intl.NumberFormat(LANGUAGE, {
    style: "currency",
    currency,
    maximumFractionDigits: Math.max(maximumFractionDigits, decimals),
    trailingZeroDisplay: "stripIfInteger",
  }).format(Number(amount));
}

/** A price of twelve decimals is a part of one of a longer interval, such as a twelfth of a year's. */
const PRICED_DECIMALS_MAX = 6;

type Priced = Pick<Plan, "pricePerMonth" | "currency">;

/** Writes what a plan costs a month: "$49 a month". */
export function toMonthlyPrice(plan: Priced): string {
  return t`${formatPricePerMonth(plan)} a month`;
}

/** Writes the price of a month; the part of a longer interval in whole cents: "$49", "$415.83". */
export function formatPricePerMonth({ pricePerMonth, currency }: Priced): string {
  const decimals = pricePerMonth.split(".")[1]?.length ?? 0;
  return decimals > PRICED_DECIMALS_MAX
    ? new Intl.NumberFormat(LANGUAGE, { style: "currency", currency }).format(Number(pricePerMonth))
    : formatPrice(pricePerMonth, currency);
}

/** Writes a window after what it allows: "a second", "in 5 minutes". */
export function toPerWindow(windowSeconds: number): string {
  const fit = SECONDS_PER.find(({ seconds }) => windowSeconds % seconds === 0);
  const { seconds, unit } = fit ?? { seconds: 1, unit: "second" };
  return toPerTime(windowSeconds / seconds, unit);
}

function formatQuantity(count: number, unit: string): string {
  return `${COUNT.format(count)} ${count === 1 ? nameUnit(unit) : nameUnits(unit)}`;
}

function countCalls(count: number): string {
  return plural(count, { one: "# call", other: "# calls" });
}

function toRateTerm({ limit, windowSeconds }: Plan["rateLimits"][number]) {
  const text = `${countCalls(limit)} ${toPerWindow(windowSeconds)}`;
  return { text, detail: undefined };
}

function toConcurrencyTerm(concurrency: number) {
  return { text: t`${countCalls(concurrency)} at once`, detail: undefined };
}

/** Orders a plan for the eye: what is in it in one period first, then how fast it may be used. */
export function toPlanView(plan: Plan, meters: readonly Meter[]): PlanView {
  const quotas = plan.quotas.map((quota) => {
    const unit = meters.find(({ meterId }) => meterId === quota.meter)?.unit ?? quota.meter;
    return {
      text: t`${formatQuantity(quota.limit, unit)} a month`,
      detail: quota.kind === "hard" ? t`then calls are denied` : t`overage allowed`,
    };
  });
  const terms = [
    ...quotas,
    ...plan.rateLimits.map(toRateTerm),
    ...(plan.concurrency === null ? [] : [toConcurrencyTerm(plan.concurrency)]),
  ];
  return {
    planId: plan.planId,
    name: plan.name,
    description: plan.description,
    price: formatPricePerMonth(plan),
    isFree: Number(plan.pricePerMonth) === 0,
    isDefault: plan.isDefault,
    terms: terms.length > 0 ? terms : [{ text: t`No limits`, detail: undefined }],
  };
}
