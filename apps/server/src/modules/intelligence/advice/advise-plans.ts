import {
  ADVICE_MONTHS,
  ADVICE_PLANS_MAX,
  type AdvisedUnits,
  type PlanAdvice,
  type TriedPlanAdvice,
} from "@turnpike/contract/advice";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { choosePlan, type TriedPlan, totalOf } from "@turnpike/domain/billing/advice/choose-plan";
import type { PastUsage } from "@turnpike/domain/billing/advice/replay-plan";
import { type BillingPlan, isPriced } from "@turnpike/domain/billing/catalog/billing-plan";
import { isQuotaCard } from "@turnpike/domain/billing/catalog/quota-card";
import type { Span } from "@turnpike/domain/billing/rating/line";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { formatMinor } from "@turnpike/domain/money/currency";
import { fromScaled } from "@turnpike/domain/money/decimal";
import type { Quantity } from "@turnpike/domain/pricing/price";
import { period, startOfMonth } from "@turnpike/domain/time/period";
import { type BillingDeps, listOffers, type Offer } from "#modules/billing/index.ts";
import { listMeters } from "#modules/catalog/index.ts";
import type { MoneyForecastDeps } from "../forecasts/forecast-invoice.ts";
import { listQuotaUse, type MeterNames, suggestCap } from "./own-plan.ts";
import { countRefused, readMonthUsage } from "./read-month-usage.ts";

export type AdviceDeps = MoneyForecastDeps;

/** The last closed months, oldest first. */
function listMonths(now: Date): Span[] {
  return Array.from({ length: ADVICE_MONTHS }, (_, index) => {
    const { start, end } = period(startOfMonth(now), "month", index - ADVICE_MONTHS);
    return { fromMs: start.getTime(), toMs: end.getTime() };
  });
}

/** Meters that some plan prices or limits. */
function listMeterIds(plans: readonly BillingPlan[]): string[] {
  const cards = plans.flatMap(({ phases }) => phases.at(-1)?.cards ?? []);
  const used = cards.filter((card) => isPriced(card) || isQuotaCard(card));
  return [...new Set(used.flatMap(({ meterId }) => meterId ?? []))];
}

/** Months from the first with usage on. */
async function readPast(
  deps: AdviceDeps,
  tenantId: TenantId,
  plans: readonly BillingPlan[],
): Promise<PastUsage> {
  const months = listMonths(deps.clock.now());
  const span = { fromMs: months[0]?.fromMs ?? 0, toMs: months.at(-1)?.toMs ?? 0 };
  const usages = await readMonthUsage(deps, tenantId, { meters: listMeterIds(plans), span });
  const firstMs = usages[0]?.atMs ?? Number.POSITIVE_INFINITY;
  return { months: months.filter(({ toMs }) => toMs > firstMs), usages };
}

function toUnits(quantities: ReadonlyMap<string, Quantity>, names: MeterNames): AdvisedUnits[] {
  return [...quantities].map(([meter, quantity]) => ({
    meter,
    name: names.get(meter)?.name ?? meter,
    unit: names.get(meter)?.unit ?? meter,
    quantity: fromScaled(quantity),
  }));
}

function sumBlocked({ months }: TriedPlan): Map<string, Quantity> {
  const sums = new Map<string, Quantity>();
  for (const [meterId, quantity] of months.flatMap(({ blocked }) => [...blocked])) {
    sums.set(meterId, (sums.get(meterId) ?? 0n) + quantity);
  }
  return sums;
}

type Tried = TriedPlan & { offer: Offer };

async function tryOffers(
  deps: AdviceDeps,
  past: PastUsage,
  {
    offers,
    ...terms
  }: { offers: readonly Offer[] } & Pick<
    Awaited<ReturnType<typeof listOffers>>,
    "currency" | "seats"
  >,
): Promise<Tried[]> {
  const plans = offers.map(({ plan }) => plan);
  const months = await deps.forecaster.run("plans", { plans, past, ...terms });
  return offers.map((offer, index) => ({
    offer,
    planId: offer.planId,
    months: months[index] ?? [],
  }));
}

/**
 * Tries every public plan with what a tenant has used in the last closed months, by what bills.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant); `INSUFFICIENT_SCOPE`; `QUERY_TOO_COSTLY`; `OVERLOADED`.
 */
export async function advisePlans(
  deps: AdviceDeps,
  context: CallContext,
  { tenantId }: { tenantId: TenantId },
): Promise<PlanAdvice> {
  assertMayInTenant(context.actor, "billing:read", tenantId);
  const offered = await listOffers(deps satisfies BillingDeps, context, { tenantId });
  const { currency, seats, own } = offered;
  const offers = [own, ...offered.others].slice(0, ADVICE_PLANS_MAX);
  const past = await readPast(
    deps,
    tenantId,
    offers.map(({ plan }) => plan),
  );
  const { months } = past;
  const base = {
    tenantId,
    asOf: deps.clock.now().toISOString(),
    currency: currency.code,
    months: months.map(({ fromMs, toMs }) => ({
      from: new Date(fromMs).toISOString(),
      to: new Date(toMs).toISOString(),
    })),
  };
  const [first, last] = [months[0], months.at(-1)];
  const [tried, ...others] =
    first === undefined || last === undefined
      ? []
      : await tryOffers(deps, past, { offers, currency, seats });
  if (tried === undefined || first === undefined || last === undefined) {
    const nothing = { plans: [], recommended: null, refused: 0, quotas: [], spendCap: null };
    return { ...base, state: "not_enough_history", ...nothing };
  }
  const { items } = await listMeters(deps, undefined);
  const names: MeterNames = new Map(items.map(({ meterId, ...rest }) => [meterId, rest]));
  const refused = await countRefused(deps, tenantId, { fromMs: first.fromMs, toMs: last.toMs });
  const ownTotal = totalOf(tried);
  const toReply = (plan: Tried): TriedPlanAdvice => ({
    planId: plan.planId,
    version: plan.offer.version,
    name: plan.offer.name,
    isOwn: plan === tried,
    total: formatMinor(totalOf(plan), currency),
    saving: formatMinor(ownTotal - totalOf(plan), currency),
    blocked: toUnits(sumBlocked(plan), names),
    months: plan.months.map(({ amountMinor, blocked }) => ({
      amount: formatMinor(amountMinor, currency),
      blocked: toUnits(blocked, names),
    })),
  });
  const choice = choosePlan(tried, others, { refuses: refused > 0 });
  const byTotal = others.toSorted((a, b) => Number(totalOf(a) - totalOf(b)));
  return {
    ...base,
    state: "advice",
    plans: [tried, ...byTotal].map(toReply),
    recommended:
      choice === undefined
        ? null
        : {
            planId: choice.planId,
            reason: choice.reason,
            saving: formatMinor(choice.savingMinor, currency),
          },
    refused,
    quotas: listQuotaUse(own.plan, past, names),
    spendCap: suggestCap(own.plan, tried, currency),
  };
}
