import type { Tx } from "@turnpike/db/client";
import { phasesOf } from "@turnpike/domain/catalog/phases-of";
import { listVersionTerms } from "#modules/catalog/index.ts";
import type { PlanReference } from "./plan-book.ts";

export type PricedPlan = PlanReference & { currency: string };

/** A version of a plan when it charges anything; `undefined` for a free one. */
export async function findPriced(
  tx: Tx,
  { planId, version }: PlanReference,
): Promise<PricedPlan | undefined> {
  const [found] = await listVersionTerms(tx, [{ planId, version }]);
  const isPriced =
    found !== undefined &&
    phasesOf(found.terms).some(({ rateCards }) =>
      rateCards.some(({ price }) => price !== undefined),
    );
  return isPriced ? { planId, version, currency: found.terms.currency } : undefined;
}
