import { isAdditive } from "../../catalog/meter.ts";
import { SCALE } from "../../money/decimal.ts";
import { type CatalogFault, createReader, type Reader } from "../../pricing/catalog-fault.ts";
import { isSameInterval } from "../subscription/plan-interval.ts";
import type { PlanPhase, RateCard } from "./billing-plan.ts";
import { checkPrepaid } from "./check-prepaid.ts";
import { isQuotaCard, type QuotaCard, refillOf } from "./quota-card.ts";
import { type PlanSource, readPlanSource, toBillingMeters } from "./to-billing-plan.ts";

/** What a quota of calls can count to, in whole units. */
const QUOTA_MAX = BigInt(Number.MAX_SAFE_INTEGER);

function checkLimit({ entitlement }: QuotaCard, reader: Reader): void {
  const { limit } = entitlement;
  if (limit % SCALE !== 0n || limit / SCALE > QUOTA_MAX) {
    reader
      .at("limit")
      .report("not_whole", `Use a whole number of units, at most ${String(QUOTA_MAX)}.`);
  }
}

function checkKind(card: RateCard, reader: Reader): void {
  const kind = card.entitlement?.kind;
  if ((kind === "hard" || kind === "soft") && card.meterId === undefined) {
    reader
      .at("kind")
      .report(
        "needs_meter",
        "Name the meter that it limits; use static or boolean for what is not counted.",
      );
  }
}

function checkQuota(
  card: QuotaCard,
  { first, phase }: { first: QuotaCard; phase: PlanPhase },
  reader: Reader,
): void {
  checkLimit(card, reader);
  if (card === first) {
    return;
  }
  if (!isSameInterval(refillOf(card, phase), refillOf(first, phase))) {
    reader
      .at("refill")
      .report(
        "several_refills",
        `Refill it as often as ${first.key}: the quotas of a phase are refilled together.`,
      );
  }
}

/** Checks what the engine can compute and calls cannot obey: they have one limit of a meter and one clock for all of them. */
function checkPhase(phase: PlanPhase, meters: PlanSource["meters"], reader: Reader): void {
  const quotas = phase.cards.filter(isQuotaCard);
  const [first] = quotas;
  const limited = new Map<string, string>();
  for (const [index, card] of phase.cards.entries()) {
    const at = reader.at("rateCards").at(index);
    checkKind(card, at.at("entitlement"));
    if (first === undefined || !isQuotaCard(card)) {
      continue;
    }
    checkQuota(card, { first, phase }, at.at("entitlement"));
    const other = limited.get(card.meterId);
    if (other !== undefined) {
      at.at("entitlement").report(
        "several_quotas",
        `Limit ${card.meterId} in one card: ${other} limits it already.`,
      );
    }
    limited.set(card.meterId, card.key);
    const meter = meters.findLast(({ meterId }) => meterId === card.meterId);
    if (meter !== undefined && !isAdditive(meter.aggregation) && card.price === undefined) {
      at.at("meter").report(
        "meter_not_additive",
        `Limit a meter that counts or sums: ${meter.aggregation} of ${meter.meterId} cannot be added up.`,
      );
    }
  }
}

/**
 * Finds everything in a plan with phases that cannot be billed or obeyed.
 *
 * @returns Each fault with its pointer into the plan, what cannot be billed first; empty for a plan without phases that is not prepaid.
 */
export function findPlanFaults(source: Omit<PlanSource, "place">): CatalogFault[] {
  if (source.terms.phases === undefined && source.terms.isPrepaid !== true) {
    return [];
  }
  const { plan, faults } = readPlanSource({ ...source, place: 0 });
  const others: CatalogFault[] = [];
  for (const [index, phase] of plan.phases.entries()) {
    checkPhase(phase, source.meters, createReader(others).at("phases").at(index));
  }
  checkPrepaid(
    plan,
    { terms: source.terms, meters: toBillingMeters(source.meters) },
    createReader(others),
  );
  return [...faults, ...others];
}
