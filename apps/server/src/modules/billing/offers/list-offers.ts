import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { BillingPlan } from "@turnpike/domain/billing/catalog/billing-plan";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { type Currency, findCurrency } from "@turnpike/domain/money/currency";
import type { Quantity } from "@turnpike/domain/pricing/price";
import { listPlans } from "#modules/catalog/index.ts";
import { findEntitlement } from "#modules/entitlements/index.ts";
import { shareOf } from "#platform/transact.ts";
import { readAccount } from "../accounts/change-account.ts";
import { loadPlans } from "../accounts/load-plans.ts";
import type { BillingDeps } from "../billing-deps.ts";

/** A plan with the quotas that it would have for one tenant. */
export type Offer = { planId: string; version: number; name: string; plan: BillingPlan };

export type Offers = {
  currency: Currency;
  /** The version that the tenant is on. */
  own: Offer;
  /** The newest version of every other public plan in this currency, in the order of the catalogue. */
  others: Offer[];
  /** Seats of the subscription by card, where they differ from the plan. */
  seats: ReadonlyMap<string, Quantity>;
};

/**
 * Lists what a tenant could subscribe to, in the terms of the engine.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INSUFFICIENT_SCOPE`.
 */
export async function listOffers(
  deps: BillingDeps,
  context: CallContext,
  { tenantId }: { tenantId: TenantId },
): Promise<Offers> {
  assertMayInTenant(context.actor, "billing:read", tenantId);
  // What a visitor sees: an operator who asks for a tenant must not offer it private plans.
  const { items } = await listPlans(deps, undefined);
  return await deps.transact.asOperator(async (tx) => {
    const entitlement = await findEntitlement(tx, tenantId);
    if (entitlement === undefined) {
      throw resourceNotFound("tenant");
    }
    const { planId, planVersion, terms } = entitlement;
    const loaded = await readAccount(deps, tx, { key: { tenantId, environment: "live" } });
    const currency = loaded?.account.terms.currency ?? findCurrency(terms.currency);
    if (currency === undefined) {
      throw new Error(`${terms.currency} is no currency.`);
    }
    const offered = items.filter(
      (item) =>
        item.planId !== planId &&
        !item.isAddOn &&
        findCurrency(item.currency)?.code === currency.code,
    );
    const references = [
      { planId, version: planVersion, name: terms.name },
      ...offered.map(({ planId: id, version, name }) => ({ planId: id, version, name })),
    ];
    const [library] = await loadPlans(tx, [{ tenantId, references }]);
    if (library === undefined) {
      throw new Error(`No plans were loaded for ${tenantId}.`);
    }
    const toOffer = (reference: (typeof references)[number]): Offer => ({
      ...reference,
      plan: library.book.get(reference),
    });
    const [own, ...others] = references.map(toOffer);
    if (own === undefined) {
      throw new Error(`${planId} is not loaded.`);
    }
    const subscription = loaded?.account.subscription;
    const seats = subscription?.state === "running" ? subscription.run.seats : new Map();
    return { currency, own, others, seats };
  }, shareOf(context.actor));
}
