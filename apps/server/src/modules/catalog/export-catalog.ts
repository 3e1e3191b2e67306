import { catalogInput } from "@turnpike/contract/catalog";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import type { z } from "zod";
import type { AppServices } from "#platform/app-services.ts";
import { listMeterRows, listPlanRows, type PlanRow } from "./catalog.store.ts";
import { listCouponRows } from "./coupons/coupons.store.ts";

/** A catalogue as `applyCatalog` takes it. */
export type ExportedCatalog = z.input<typeof catalogInput>;

/** What is derived from phases is left out, since it cannot be given beside them. */
function toInput({ plan_id, terms }: PlanRow) {
  const { pricePerMonth, quotas, ...rest } = terms;
  return terms.phases === undefined ? { planId: plan_id, ...terms } : { planId: plan_id, ...rest };
}

/** Removes the defaults of what cannot be given beside phases. */
function withoutDerived(plan: z.output<typeof catalogInput>["plans"][number]) {
  const { pricePerMonth, quotas, ...rest } = plan;
  return plan.phases === undefined ? plan : rest;
}

/**
 * Reads the newest versions of meters, plans and coupons as a catalogue that changes nothing when it is applied. What is archived is
 * left out: applied elsewhere, it would be offered.
 *
 * @returns Members in the order of the contract, meters and coupons by id, plans in the order of their creation.
 * @throws {AppError} `INSUFFICIENT_SCOPE`.
 */
export async function exportCatalog(
  deps: Pick<AppServices, "transact">,
  context: CallContext,
): Promise<ExportedCatalog> {
  assertMay(context.actor, "catalog:read");
  const { meters, plans, coupons } = await deps.transact.asOperator(async (tx) => ({
    meters: await listMeterRows(tx),
    plans: await listPlanRows(tx),
    coupons: await listCouponRows(tx),
  }));
  const offered = plans.filter(({ archived_at }) => archived_at === null);
  const redeemable = coupons
    .filter(({ archivedAt }) => archivedAt === null)
    .toSorted((a, b) => (a.couponId < b.couponId ? -1 : 1))
    .map(({ createdAt: _, archivedAt: __, ...coupon }) => coupon);
  // Parsed, which puts members in the order of the contract: the database keeps none.
  const catalog = catalogInput.parse({
    meters: meters.map(({ version: _, ...meter }) => meter),
    plans: offered.map(toInput),
    ...(redeemable.length === 0 ? {} : { coupons: redeemable }),
    defaultPlanId: offered.find((plan) => plan.is_default)?.plan_id,
  });
  return { ...catalog, plans: catalog.plans.map(withoutDerived) };
}
