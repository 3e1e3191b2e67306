import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { diffCoupons } from "@turnpike/domain/catalog/diff/diff-coupons";
import { diffMeters } from "@turnpike/domain/catalog/diff/diff-meters";
import { diffPlans } from "@turnpike/domain/catalog/diff/diff-plans";
import type { CatalogChange as Difference } from "@turnpike/domain/catalog/diff/fact";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { AppServices } from "#platform/app-services.ts";
import { assertApplicable } from "./apply-catalog.ts";
import { withRequestsMeter } from "./built-in-meter.ts";
import { listMeterRows, listPlanRows, type MeterRow, type PlanRow } from "./catalog.store.ts";
import type { CatalogChange } from "./catalog-change.ts";
import { type CouponRow, listCouponRows } from "./coupons/coupons.store.ts";
import { findCouponFaults, isSameCoupon, normaliseCoupon } from "./coupons/publish-coupons.ts";
import { isSameMeter, normaliseMeter } from "./publish-meters.ts";
import { isSameTerms, toTerms } from "./to-terms.ts";

/** What applying a catalogue would do to one meter, plan or coupon, or to the default plan. */
export type CatalogDifference = {
  kind: "meter" | "plan" | "coupon" | "default plan";
  id: string;
  isNew: boolean;
  /** Empty for what is new, and for changes that no sentence describes. */
  changes: Difference[];
};

type Published = {
  meters: readonly MeterRow[];
  plans: readonly PlanRow[];
  coupons: readonly CouponRow[];
};

function diffAllMeters(input: CatalogChange, { meters }: Published): CatalogDifference[] {
  return input.meters.flatMap((meter) => {
    const before = meters.find(({ meterId }) => meterId === meter.meterId);
    return before !== undefined && isSameMeter(before, meter)
      ? []
      : [
          {
            kind: "meter" as const,
            id: meter.meterId,
            isNew: before === undefined,
            changes: before === undefined ? [] : diffMeters(before, normaliseMeter(meter)),
          },
        ];
  });
}

function diffAllPlans(input: CatalogChange, { meters, plans }: Published): CatalogDifference[] {
  const all = [...meters, ...withRequestsMeter(input.meters, meters)];
  return input.plans.flatMap((plan) => {
    const before = plans.find(({ plan_id }) => plan_id === plan.planId);
    const terms = toTerms(plan, all);
    return before !== undefined && isSameTerms(before.terms, terms)
      ? []
      : [
          {
            kind: "plan" as const,
            id: plan.planId,
            isNew: before === undefined,
            changes: before === undefined ? [] : diffPlans(before.terms, terms),
          },
        ];
  });
}

function diffAllCoupons(input: CatalogChange, { coupons }: Published): CatalogDifference[] {
  return (input.coupons ?? []).flatMap((coupon) => {
    const before = coupons.find(({ couponId }) => couponId === coupon.couponId);
    return before !== undefined && isSameCoupon(before, coupon)
      ? []
      : [
          {
            kind: "coupon" as const,
            id: coupon.couponId,
            isNew: before === undefined,
            changes: before === undefined ? [] : diffCoupons(before, normaliseCoupon(coupon)),
          },
        ];
  });
}

function diffDefault(input: CatalogChange, { plans }: Published): CatalogDifference[] {
  const { defaultPlanId } = input;
  const before = plans.find((plan) => plan.is_default)?.plan_id;
  if (defaultPlanId === undefined || defaultPlanId === before) {
    return [];
  }
  const text = `new tenants get ${before ?? "no plan"} → ${defaultPlanId}`;
  const change = { before: before ?? null, after: defaultPlanId, text };
  return [
    {
      kind: "default plan",
      id: defaultPlanId,
      isNew: before === undefined,
      changes: [{ path: "/defaultPlanId", kind: "changed", ...change }],
    },
  ];
}

/**
 * Says what applying a catalogue would change, and writes nothing. What the catalogue leaves out is no difference, since applying
 * keeps it.
 *
 * @returns Meters, plans and coupons in the order of the catalogue; empty when everything is published as given.
 * @throws {AppError} `INVALID_REQUEST` for what applying would refuse; `INSUFFICIENT_SCOPE`.
 */
export async function diffCatalog(
  deps: Pick<AppServices, "transact">,
  context: CallContext,
  input: CatalogChange,
): Promise<CatalogDifference[]> {
  assertMay(context.actor, "catalog:read");
  const published = await deps.transact.asOperator(async (tx) => ({
    meters: await listMeterRows(tx),
    plans: await listPlanRows(tx),
    coupons: await listCouponRows(tx),
  }));
  const plans = new Map(published.plans.map((row) => [row.plan_id, row]));
  assertApplicable(input, { meters: published.meters, plans });
  const errors = findCouponFaults(input.coupons ?? [], published.coupons);
  if (errors[0] !== undefined) {
    throw new AppError({ code: "INVALID_REQUEST", publicMessage: errors[0].message, errors });
  }
  return [
    ...diffAllMeters(input, published),
    ...diffAllPlans(input, published),
    ...diffAllCoupons(input, published),
    ...diffDefault(input, published),
  ];
}
