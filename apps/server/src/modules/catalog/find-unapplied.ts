import type { FieldError } from "@turnpike/domain/errors/app-error";
import type { AppServices } from "#platform/app-services.ts";
import { withRequestsMeter } from "./built-in-meter.ts";
import { listMeterRows, listPlanRows } from "./catalog.store.ts";
import type { CatalogChange } from "./catalog-change.ts";
import { listCouponRows } from "./coupons/coupons.store.ts";
import { findCouponFaults, isSameCoupon } from "./coupons/publish-coupons.ts";
import { findCatalogFaults, findFaultsOfPlan } from "./find-catalog-faults.ts";
import { isSameMeter } from "./publish-meters.ts";
import { isSameTerms, toTerms } from "./to-terms.ts";

/**
 * Names what applying a catalogue would change: meters, plans and coupons that are missing or differ from their newest version, and the
 * default plan. Published ones that the catalogue leaves out are no difference, since applying keeps them.
 *
 * @returns `differing`, such as `plan pro`, `meter tokens` or `default plan`, is empty when everything is published as given;
 *   `faults` is what applying would refuse.
 */
export async function findUnapplied(
  deps: Pick<AppServices, "transact">,
  input: CatalogChange,
): Promise<{ differing: string[]; faults: FieldError[] }> {
  const { meters, plans, coupons } = await deps.transact.asOperator(async (tx) => ({
    meters: await listMeterRows(tx),
    plans: await listPlanRows(tx),
    coupons: await listCouponRows(tx),
  }));
  const otherMeters = input.meters.filter(
    (meter) => !meters.some((row) => isSameMeter(row, meter)),
  );
  const meterDefinitions = [...meters, ...withRequestsMeter(input.meters, meters)];
  const otherPlans = input.plans.filter((plan) => {
    // Nothing that cannot be published is published.
    if (findFaultsOfPlan(plan, meterDefinitions).length > 0) {
      return true;
    }
    const terms = toTerms(plan, meterDefinitions);
    return !plans.some((row) => row.plan_id === plan.planId && isSameTerms(row.terms, terms));
  });
  const isOtherDefault =
    input.defaultPlanId !== undefined &&
    !plans.some((row) => row.is_default && row.plan_id === input.defaultPlanId);
  const otherCoupons = (input.coupons ?? []).filter(
    (coupon) => !coupons.some((row) => isSameCoupon(row, coupon)),
  );
  const differing = [
    ...otherMeters.map(({ meterId }) => `meter ${meterId}`),
    ...otherPlans.map(({ planId }) => `plan ${planId}`),
    ...otherCoupons.map(({ couponId }) => `coupon ${couponId}`),
    ...(isOtherDefault ? ["default plan"] : []),
  ];
  const faults = [
    ...findCatalogFaults(input, meters),
    ...findCouponFaults(input.coupons ?? [], coupons),
  ];
  return { differing, faults };
}
