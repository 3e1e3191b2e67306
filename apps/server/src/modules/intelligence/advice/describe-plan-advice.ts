import type { PlanAdvice, QuotaUse } from "@turnpike/contract/advice";
import { findCurrency } from "@turnpike/domain/money/currency";
import { SCALE, toScaled } from "@turnpike/domain/money/decimal";
import { said } from "@turnpike/domain/text/said";
import { toGrouped } from "@turnpike/domain/text/to-grouped";
import { toPlural } from "@turnpike/domain/text/to-plural";

/** A plan is worth a change when it saves a tenth, and five of a currency with cents. */
const SAVING_PART = 10n;
const SAVING_MINOR_MIN = 500n;
/** One month may be an exception. */
const MONTHS_MIN = 2;
const UNUSED_SHARE = 0.1;
const PERCENT = 100;

function overMonths({ months }: PlanAdvice): string {
  return months.length === 1
    ? said("the last month")
    : said(`the last ${String(months.length)} months`);
}

function nameOf({ plans }: PlanAdvice, planId: string): string {
  return plans.find((plan) => plan.planId === planId)?.name ?? planId;
}

function describeChoice(advice: PlanAdvice): string | undefined {
  const { recommended, plans, currency } = advice;
  const own = plans.find(({ isOwn }) => isOwn);
  if (recommended === null || own === undefined) {
    return;
  }
  const { planId, reason, saving } = recommended;
  const name = nameOf(advice, planId);
  const scaled = toScaled(saving);
  if (reason === "refuses_nothing") {
    const cost =
      scaled < 0n ? said(`${saving.replace("-", "")} ${currency} more`) : said("no more");
    return `On ${name} no call would have been denied in ${overMonths(advice)}; it would have cost ${cost}.`;
  }
  const digits = findCurrency(currency)?.digits ?? 0;
  const total = toScaled(own.total);
  const isMuch =
    scaled * SAVING_PART >= total && scaled * 10n ** BigInt(digits) >= SAVING_MINOR_MIN * SCALE;
  const percent = total === 0n ? 0 : Number((100n * scaled) / total);
  return isMuch
    ? `${name} would have cost ${saving} ${currency} (${String(percent)}%) less over ${overMonths(advice)}, with no call denied.`
    : undefined;
}

function describeUnused(
  advice: PlanAdvice,
  { unit, limit, most, share }: QuotaUse,
): string | undefined {
  const percent = Math.round(share * PERCENT);
  return share > UNUSED_SHARE
    ? undefined
    : `At most ${toGrouped(Number(most))} (${String(percent)}%) of the plan’s ${toGrouped(Number(limit))} ${toPlural(unit)} were used in each of ${overMonths(advice)}: a smaller plan may be enough.`;
}

/**
 * Says in one sentence what is worth knowing of a tenant's plan: another one that is a tenth and five dollars cheaper or refuses
 * nothing, or else what of a plan with a price goes unused.
 *
 * @returns `undefined` when nothing is, and before two months of usage are over.
 */
export function describePlanAdvice(advice: PlanAdvice): string | undefined {
  if (advice.state !== "advice" || advice.months.length < MONTHS_MIN) {
    return;
  }
  const choice = describeChoice(advice);
  const own = advice.plans.find(({ isOwn }) => isOwn);
  if (choice !== undefined || own === undefined || toScaled(own.total) === 0n) {
    return choice;
  }
  return advice.quotas
    .map((quota) => describeUnused(advice, quota))
    .find((text) => text !== undefined);
}
