import { smaller } from "../../money/bounds.ts";
import type { Currency } from "../../money/currency.ts";
import type { Quantity } from "../../pricing/price.ts";
import { type Account, createAccount } from "../account/account.ts";
import { type BillingPlan, isPriced, type PlanPhase } from "../catalog/billing-plan.ts";
import { isQuotaCard, quotaRefillOf } from "../catalog/quota-card.ts";
import { passTime } from "../lifecycle/pass-time.ts";
import type { Usage } from "../lifecycle/record-usage.ts";
import { subscribe } from "../lifecycle/subscribe.ts";
import { DUNNING_DEFAULT } from "../payments/dunning.ts";
import { isCharge, lengthOf, type Span } from "../rating/line.ts";
import { spanAt } from "../subscription/open-run.ts";
import { planInterval } from "../subscription/plan-interval.ts";

/** Usage of the past that a plan is tried with. */
export type PastUsage = {
  /** Whole periods, one after the other without a gap; periods of the plan are counted from the start of the first. */
  readonly months: readonly Span[];
  /** In the order of `atMs`, each in one of the months. */
  readonly usages: readonly Usage[];
};

/** What one month comes to on a plan. */
export type ReplayedMonth = {
  /** Minor units, before coupons, credit and tax. A price for a longer period counts by its time. */
  readonly amountMinor: bigint;
  /** Units beyond a hard limit, by meter: they would have been refused. */
  readonly blocked: ReadonlyMap<string, Quantity>;
};

/** Nothing is taxed, so nothing is known of the customer. */
const NO_CUSTOMER = {
  country: undefined,
  region: undefined,
  taxId: undefined,
  taxIdStatus: undefined,
  isExempt: false,
} as const;

/**
 * A plan as it is in the long run: trials and introductory prices are over, and credit never runs out.
 *
 * @param seats - By card; a card that is not named has the seats of the plan.
 */
function toLastPhase(plan: BillingPlan, seats: ReadonlyMap<string, Quantity>): BillingPlan {
  const phases = plan.phases.slice(-1).map((phase) => ({
    ...phase,
    duration: undefined,
    cards: phase.cards.map((card) => ({
      ...card,
      quantity: seats.get(card.key) ?? card.quantity,
    })),
  }));
  return { planId: plan.planId, place: plan.place, phases };
}

/** Hard limits of a phase by meter. A meter is limited only if every quota of it is hard. */
function listHardLimits({ cards }: PlanPhase): Map<string, Quantity> {
  const quotas = cards.filter(isQuotaCard);
  const soft = new Set(
    quotas.filter(({ entitlement }) => entitlement.kind === "soft").map(({ meterId }) => meterId),
  );
  const limits = new Map<string, Quantity>();
  for (const { meterId, entitlement } of quotas.filter((card) => !soft.has(card.meterId))) {
    limits.set(meterId, (limits.get(meterId) ?? 0n) + entitlement.limit);
  }
  return limits;
}

/** Cuts uses at hard limits: what is served, and what would have been refused. */
function cutAtLimits(
  usages: readonly Usage[],
  phase: PlanPhase,
  anchorMs: number,
): { served: Usage[]; blocked: Usage[] } {
  const limits = listHardLimits(phase);
  const refill = quotaRefillOf(phase);
  const left = new Map<string, Quantity>();
  const served: Usage[] = [];
  const blocked: Usage[] = [];
  for (const usage of usages) {
    const limit = limits.get(usage.meterId);
    if (limit === undefined) {
      served.push(usage);
      continue;
    }
    const key = `${usage.meterId} ${String(spanAt(anchorMs, refill, usage.atMs).fromMs)}`;
    const room = left.get(key) ?? limit;
    const quantity = smaller(usage.quantity, room);
    left.set(key, room - quantity);
    if (quantity > 0n) {
      served.push({ ...usage, quantity });
    }
    if (quantity < usage.quantity) {
      blocked.push({ ...usage, quantity: usage.quantity - quantity });
    }
  }
  return { served, blocked };
}

/** The part of a line until an instant, by its time: parts of neighbouring months sum to the line. */
function amountUntil({ amount, span }: ChargedLine, untilMs: number): bigint {
  const passedMs = Math.min(Math.max(untilMs, span.fromMs), span.toMs) - span.fromMs;
  return (amount * BigInt(passedMs)) / lengthOf(span);
}

type ChargedLine = { readonly amount: bigint; readonly span: Span };

/** Lines of all periods that touch the past. One that is under way at its end is let pass, so that it is charged. */
function listCharges(account: Account, past: Span, usages: readonly Usage[]): ChargedLine[] {
  const phase = account.subscription?.run.inForce.phase;
  const intervals =
    phase === undefined
      ? []
      : [planInterval(phase), ...phase.cards.filter(isPriced).map(({ interval }) => interval)];
  const ends = intervals.map((interval) => spanAt(past.fromMs, interval, past.toMs - 1).toMs);
  const { invoices } = passTime(account, {
    fromMs: past.fromMs,
    toMs: Math.max(past.toMs, ...ends),
    usages,
  });
  return invoices
    .flatMap(({ lines }) => lines)
    .filter(isCharge)
    .flatMap(({ kind, amount, span }) => {
      if (span === undefined) {
        return [];
      }
      // There is no usage after the past: what was charged for usage is all of the past.
      const toMs = kind === "usage" ? Math.min(span.toMs, past.toMs) : span.toMs;
      return toMs > span.fromMs ? [{ amount, span: { fromMs: span.fromMs, toMs } }] : [];
    });
}

/**
 * Bills usage of the past as if a plan had run all the time, by what bills: tiers, included units, minimums and seats count as on an
 * invoice. Coupons, credit, add-ons and tax are left out.
 *
 * @returns One for each month, at the same place.
 */
export function replayPlan(
  plan: BillingPlan,
  { months, usages }: PastUsage,
  { currency, seats }: { currency: Currency; seats: ReadonlyMap<string, Quantity> },
): ReplayedMonth[] {
  const lasting = toLastPhase(plan, seats);
  const [phase] = lasting.phases;
  const fromMs = months[0]?.fromMs;
  if (phase === undefined || fromMs === undefined) {
    return [];
  }
  const toMs = months.at(-1)?.toMs ?? fromMs;
  const { served, blocked } = cutAtLimits(usages, phase, fromMs);
  const account = createAccount(
    {
      currency,
      seller: undefined,
      catalog: { meters: new Map(), plans: new Map([[lasting.planId, lasting]]) },
      proration: "time",
      dunning: DUNNING_DEFAULT,
    },
    NO_CUSTOMER,
  );
  const begun = subscribe(account, { plan: lasting, atMs: fromMs, anchorMs: fromMs });
  const lines = listCharges(begun, { fromMs, toMs }, served);
  return months.map((month) => {
    const refused = new Map<string, Quantity>();
    for (const { meterId, atMs, quantity } of blocked) {
      if (month.fromMs <= atMs && atMs < month.toMs) {
        refused.set(meterId, (refused.get(meterId) ?? 0n) + quantity);
      }
    }
    const amountMinor = lines.reduce(
      (sum, line) => sum + amountUntil(line, month.toMs) - amountUntil(line, month.fromMs),
      0n,
    );
    return { amountMinor, blocked: refused };
  });
}
