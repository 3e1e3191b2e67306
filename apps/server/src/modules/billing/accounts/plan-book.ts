import type { BillingPlan } from "@turnpike/domain/billing/catalog/billing-plan";

/** A version of a plan, by what identifies it. */
export type PlanReference = { planId: string; version: number };

/** Plans that accounts refer to. The engine compares plans by identity, so there is one object for each version. */
export type PlanBook = {
  /** @throws {Error} For a version that was not loaded. */
  get(reference: PlanReference): BillingPlan;
  /** @throws {Error} For a plan that is not of this book. */
  referenceOf(plan: BillingPlan): PlanReference;
};

/** @param versions - Each version of a plan at most once. */
export function createPlanBook(
  versions: readonly (PlanReference & { plan: BillingPlan })[],
): PlanBook {
  const key = ({ planId, version }: PlanReference) => `${planId} ${String(version)}`;
  const plans = new Map(versions.map((entry) => [key(entry), entry.plan]));
  const references = new Map<BillingPlan, PlanReference>(
    versions.map(({ plan, planId, version }) => [plan, { planId, version }]),
  );
  return {
    get(reference) {
      const plan = plans.get(key(reference));
      if (plan === undefined) {
        throw new Error(
          `Version ${String(reference.version)} of ${reference.planId} is not loaded.`,
        );
      }
      return plan;
    },
    referenceOf(plan) {
      const reference = references.get(plan);
      if (reference === undefined) {
        throw new Error(`${plan.planId} is not a plan of this book.`);
      }
      return reference;
    },
  };
}
