import type { Account } from "@turnpike/domain/billing/account/account";
import type { BillingPlan } from "@turnpike/domain/billing/catalog/billing-plan";
import { listRuns, type Subscription } from "@turnpike/domain/billing/subscription/subscription";
import type { LoadedAccount } from "./load-accounts.ts";

/** An account before and after a change. */
export type BeforeAndAfter = { loaded: LoadedAccount; after: Account };

function plansOf(subscription: Subscription | undefined): BillingPlan[] {
  if (subscription === undefined) {
    return [];
  }
  const { pendingChange } = subscription;
  const plans = listRuns(subscription).map(({ plan }) => plan);
  return pendingChange === undefined ? plans : [...plans, pendingChange.plan];
}

/** What runs or comes next, then what did before: a plan that was left is named too. */
function listPlans({ loaded, after }: BeforeAndAfter): BillingPlan[] {
  return [...plansOf(after.subscription), ...plansOf(loaded.account.subscription)];
}

/** The name of a plan that an account had, has or gets; its id for any other. */
export function nameOfPlan(changed: BeforeAndAfter, planId: string): string {
  const { book, termsOf } = changed.loaded.plans;
  const plan = listPlans(changed).find((candidate) => candidate.planId === planId);
  return plan === undefined ? planId : termsOf(book.referenceOf(plan)).name;
}

/** A key as people read it: `base-fee` gives `Base fee`. */
export function toWords(key: string): string {
  const words = key.replaceAll(/[-_]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The name of a rate card as people read it: its own, else that of its meter, else its key in words. */
export function nameOfCard(
  changed: BeforeAndAfter,
  { key, planId }: { key: string; planId?: string },
): string {
  const card = listPlans(changed)
    .filter((plan) => planId === undefined || plan.planId === planId)
    .flatMap(({ phases }) => phases)
    .flatMap(({ cards }) => cards)
    .find((candidate) => candidate.key === key);
  return (
    card?.name ??
    (card?.meterId === undefined ? toWords(key) : changed.loaded.plans.meterNameOf(card.meterId))
  );
}
