import { t } from "@lingui/core/macro";
import type { Subscription } from "#platform/billing-queries.ts";
import { formatDate } from "#platform/format-period.ts";
import type { Limits, Plan } from "#platform/shared-queries.ts";
import { sortPlans } from "../plans.view-model.ts";

export type SortedOffers = { plans: readonly Plan[]; addOns: readonly Plan[] };

/** What is offered: neither archived plans nor, to operators, private ones. The tenant's own plan stays in sight. */
export function sortOffers(
  plans: readonly Plan[],
  currentPlanId: string | undefined,
): SortedOffers {
  const offered = sortPlans(plans).filter(
    ({ planId, archivedAt, visibility }) =>
      planId === currentPlanId || (archivedAt === null && visibility === "public"),
  );
  return {
    plans: offered.filter(({ isAddOn }) => !isAddOn),
    addOns: offered.filter(({ isAddOn }) => isAddOn),
  };
}

/** When a plan begins that a tenant has chosen and that is not in force yet. */
function findStart(
  { planId }: Pick<Plan, "planId">,
  subscription: Pick<Subscription, "pending" | "life" | "planId" | "startedAt">,
): string | null {
  const { pending, life, startedAt } = subscription;
  if (life === "scheduled" && subscription.planId === planId) {
    return startedAt;
  }
  return pending.change?.planId === planId ? pending.change.at : null;
}

/**
 * What has to be said of a plan that the tenant has or gets.
 *
 * @param price - Of the tenant's own version: "$5 a month".
 * @param owner - The tenant's name for a visitor; undefined when the reader belongs to it.
 */
export function toOfferNote(
  plan: Pick<Plan, "planId" | "version">,
  facts: {
    subscription: Pick<Subscription, "pending" | "life" | "planId" | "startedAt"> | undefined;
    limits: Pick<Limits, "planId" | "planVersion"> | undefined;
    price: string | undefined;
    owner: string | undefined;
  },
): string | undefined {
  const { subscription, limits, price, owner } = facts;
  const beginsAt = subscription === undefined ? null : findStart(plan, subscription);
  if (beginsAt !== null) {
    return t`Begins on ${formatDate(beginsAt)}.`;
  }
  const isEarlier = limits?.planId === plan.planId && limits.planVersion < plan.version;
  if (!isEarlier || price === undefined) {
    return;
  }
  return owner === undefined
    ? t`You keep the version you started on, at ${price}; this is the newest one.`
    : t`${owner} keeps the version it started on, at ${price}; this is the newest one.`;
}
