import { larger } from "../../money/bounds.ts";
import type { Exact } from "../../money/exact.ts";
import type { Quantity } from "../../pricing/price.ts";
import type { PeriodUnit } from "../../time/period.ts";
import type { CardEntitlement, RateCard } from "../catalog/billing-plan.ts";
import type { Span } from "../rating/line.ts";
import { spanAt } from "../subscription/open-run.ts";
import { planInterval } from "../subscription/plan-interval.ts";
import type { Run } from "../subscription/subscription.ts";

type ServedUse = { readonly meterId: string; readonly atMs: number; readonly served: Quantity };

/** A quota of a card that runs. */
type Quota = {
  readonly meterId: string;
  readonly limit: Quantity;
  readonly isHard: boolean;
  readonly refill: PeriodUnit;
};

function isQuota(entitlement: CardEntitlement | undefined): entitlement is CardEntitlement {
  return entitlement?.kind === "hard" || entitlement?.kind === "soft";
}

function toQuota(run: Run, card: RateCard): Quota[] {
  const { entitlement, meterId } = card;
  if (meterId === undefined || !isQuota(entitlement) || entitlement.limit === undefined) {
    return [];
  }
  return [
    {
      meterId,
      limit: entitlement.limit,
      isHard: entitlement.kind === "hard",
      refill: entitlement.refill ?? card.interval ?? planInterval(run.inForce.phase),
    },
  ];
}

function listQuotas(run: Run): Quota[] {
  return run.inForce.phase.cards.flatMap((card) => toQuota(run, card));
}

function usedIn(uses: readonly ServedUse[], meterId: string, { fromMs, toMs }: Span): Quantity {
  return uses.reduce(
    (sum, use) =>
      use.meterId === meterId && fromMs <= use.atMs && use.atMs < toMs ? sum + use.served : sum,
    0n,
  );
}

/** Starts of the running refills of a plan's quotas. */
export function listRefillStarts(
  run: Run,
  { anchorMs, period }: { anchorMs: number; period: Span },
): number[] {
  return listQuotas(run).map(({ refill }) => spanAt(anchorMs, refill, period.fromMs).fromMs);
}

/**
 * What a hard limit leaves of a meter in the refill that holds an instant. The limit is the sum over the cards that have one, and hard
 * only if all of them are.
 *
 * @returns `undefined` when nothing limits the meter.
 */
export function quotaLeft(
  runs: readonly Run[],
  {
    meterId,
    anchorMs,
    atMs,
    uses,
  }: { meterId: string; anchorMs: number; atMs: number; uses: readonly ServedUse[] },
): Quantity | undefined {
  const quotas = runs.flatMap(listQuotas).filter((quota) => quota.meterId === meterId);
  const [first] = quotas;
  if (first === undefined || !quotas.every(({ isHard }) => isHard)) {
    return;
  }
  const limit = quotas.reduce((sum, quota) => sum + quota.limit, 0n);
  const left = limit - usedIn(uses, meterId, spanAt(anchorMs, first.refill, atMs));
  return larger(left, 0n);
}

function listRefills(anchorMs: number, refill: PeriodUnit, span: Span): Span[] {
  const refills: Span[] = [];
  let next = spanAt(anchorMs, refill, span.fromMs);
  while (next.fromMs < span.toMs) {
    refills.push(next);
    next = spanAt(anchorMs, refill, next.toMs);
  }
  return refills;
}

/**
 * The smallest share of a quota that a plan has left over the time of a line: what is left of the running refill and those to come,
 * over all refills that touch the line.
 *
 * @returns `undefined` for a plan without a quota.
 */
export function quotaShareLeft(
  run: Run,
  span: Span,
  { anchorMs, atMs, uses }: { anchorMs: number; atMs: number; uses: readonly ServedUse[] },
): Exact | undefined {
  let smallest: Exact | undefined;
  for (const { meterId, limit, refill } of listQuotas(run)) {
    const refills = listRefills(anchorMs, refill, span);
    const running = refills.find(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs);
    const toCome = refills.filter(({ fromMs }) => fromMs > atMs).length;
    const rest = running === undefined ? 0n : limit - usedIn(uses, meterId, running);
    const share = {
      numerator: larger(rest, 0n) + limit * BigInt(toCome),
      denominator: limit * BigInt(refills.length),
    };
    const isSmaller =
      smallest === undefined ||
      share.numerator * smallest.denominator < smallest.numerator * share.denominator;
    if (share.denominator > 0n && isSmaller) {
      smallest = share;
    }
  }
  return smallest;
}
