import { plural, t } from "@lingui/core/macro";
import type { PlanAdvice, QuotaUse, TriedPlan } from "#platform/advice-queries.ts";
import { formatCount, formatShare } from "#platform/format.ts";
import { formatMoney, isZero } from "#platform/format-money.ts";
import { nameUnits } from "#platform/unit-words.ts";

/** "the last 3 months" */
export function describeMonths({ months }: Pick<PlanAdvice, "months">): string {
  return plural(months.length, {
    one: "the last month",
    other: `the last ${String(months.length)} months`,
  });
}

function nameOf({ plans }: PlanAdvice, planId: string): string {
  return plans.find((plan) => plan.planId === planId)?.name ?? planId;
}

/** The advice in one sentence; undefined when the own plan is best, or there is none yet. */
export function describeAdvice(advice: PlanAdvice): string | undefined {
  const { recommended, currency } = advice;
  if (recommended === null) {
    return;
  }
  const { planId, reason, saving } = recommended;
  const isDearer = saving.startsWith("-");
  const amount = formatMoney(isDearer ? saving.slice(1) : saving, currency);
  const cost = isZero(saving)
    ? t`cost the same`
    : t`cost ${amount} ${isDearer ? t`more` : t`less`}`;
  const verb = t`${nameOf(advice, planId)} would have ${cost} over ${describeMonths(advice)}`;
  return reason === "cheaper"
    ? t`${verb}, and denied no call.`
    : t`${verb} and denied no call for a quota; your plan ${advice.refused > 0 ? t`denied ${formatCount(advice.refused)}` : t`would have denied some`}.`;
}

/** "1,200 requests", for each meter; undefined for nothing. */
export function describeBlocked(units: TriedPlan["blocked"]): string | undefined {
  return units.length === 0
    ? undefined
    : units.map(({ quantity, unit }) => `${formatCount(quantity)} ${nameUnits(unit)}`).join(", ");
}

/** How a plan compares with the own one: "−$41.00". */
export function describeDifference({ saving }: TriedPlan, currency: string): string {
  if (isZero(saving)) {
    return t`Same`;
  }
  return saving.startsWith("-")
    ? `+${formatMoney(saving.slice(1), currency)}`
    : `−${formatMoney(saving, currency)}`;
}

const RARELY = 0.2;
const NEARLY = 0.8;

/** What the use of a quota suggests; undefined for one that fits. */
export function describeQuotaUse({
  kind,
  limit,
  most,
  share,
  unit,
  name,
}: QuotaUse): string | undefined {
  const given = `${formatCount(limit)} ${nameUnits(unit)}`;
  if (kind === "included") {
    return share < RARELY
      ? t`${name}: at most ${formatCount(most)} of ${given} included in the price were used in a month (${formatShare(share)}).`
      : undefined;
  }
  if (share >= NEARLY) {
    return t`${name}: ${formatShare(share)} of ${given} were used in the fullest month.`;
  }
  return share < RARELY
    ? t`${name}: at most ${formatShare(share)} of ${given} were used in a month.`
    : undefined;
}
