import { type PlanTerms, SAMPLE_CATALOG } from "@turnpike/domain/catalog/plan";
import type { AppServices } from "#platform/app-services.ts";
import { listMeterRows, listPlanRows } from "./catalog.store.ts";
import { findFaultsOfPlan } from "./find-catalog-faults.ts";
import { isSameTerms, toTerms } from "./to-terms.ts";

/** What customers of an installation can be charged for. */
export type Offer = {
  /** True when a plan that is not archived has a price, a public or a private one. */
  hasPrices: boolean;
  /** Public plans with a price that no one chose: they are as the samples came. */
  samples: { planId: string; name: string; currency: string; pricePerMonth: string }[];
};

function hasPrice({ pricePerMonth, phases = [] }: PlanTerms): boolean {
  return (
    /[1-9]/.test(pricePerMonth) ||
    phases.some(
      ({ minimum, rateCards }) =>
        minimum !== undefined || rateCards.some(({ price }) => price !== undefined),
    )
  );
}

/**
 * Reads what is for sale, and which of it is still a sample. A sample becomes the operator's own by a new version of it, or when
 * the configuration names the same plan with the same terms.
 *
 * @param configured - Plans of the configuration's own catalogue; empty where it has none.
 */
export async function readOffer(
  deps: Pick<AppServices, "transact">,
  configured: readonly (PlanTerms & { planId: string })[],
): Promise<Offer> {
  const { plans, meters } = await deps.transact.asOperator(async (tx) => ({
    plans: await listPlanRows(tx),
    meters: await listMeterRows(tx),
  }));
  const offered = plans.filter((row) => row.archived_at === null && hasPrice(row.terms));
  const samples = offered.filter(({ plan_id: planId, terms }) => {
    const sample = SAMPLE_CATALOG.plans.find((plan) => plan.planId === planId);
    return (
      sample !== undefined &&
      terms.visibility === "public" &&
      isSameTerms(terms, toTerms(sample, meters)) &&
      !configured.some(
        (plan) =>
          plan.planId === planId &&
          findFaultsOfPlan(plan, meters).length === 0 &&
          isSameTerms(terms, toTerms(plan, meters)),
      )
    );
  });
  return {
    hasPrices: offered.length > 0,
    samples: samples.map(({ plan_id: planId, terms }) => ({
      planId,
      name: terms.name,
      currency: terms.currency,
      pricePerMonth: terms.pricePerMonth,
    })),
  };
}
