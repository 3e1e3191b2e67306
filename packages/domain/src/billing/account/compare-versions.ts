import { sumLeft } from "../invoices/coupon.ts";
import { type ComparisonUsage, listCharges, type VersionInForce } from "../rating/list-charges.ts";
import { planInterval } from "../subscription/plan-interval.ts";
import type { Account } from "./account.ts";
import { lowerCharges } from "./issue-invoice.ts";

/** Minor units, before tax. */
export type VersionComparison = {
  readonly beforeMinor: bigint;
  readonly afterMinor: bigint;
};

/** As at the begin of the running period: what coupons gave in it already, they would give again. */
function withoutThisPeriod(account: Account): Account {
  const { invoices, periods } = account;
  return { ...account, invoices: invoices.filter(({ periodNumber }) => periodNumber !== periods) };
}

/**
 * Compares what an account would be invoiced for a period under two versions of its plan: with its add-ons, less its coupons that hold
 * and its promotional credit, before tax. Prepaid credit pays an invoice and does not lower it. Both are for a period of the older
 * version's interval, so that a yearly price is compared with a monthly one by its part.
 */
export function compareVersions(
  account: Account,
  {
    before,
    after,
    addOns,
    atMs,
    ...usage
  }: ComparisonUsage & {
    before: VersionInForce;
    after: VersionInForce;
    addOns: readonly VersionInForce[];
    atMs: number;
  },
): VersionComparison {
  const phase = before.plan.phases[before.phaseIndex];
  const interval = phase === undefined ? "month" : planInterval(phase);
  const fresh = withoutThisPeriod(account);
  const extra = addOns.flatMap((addOn) =>
    listCharges(addOn, { ...usage, interval, isAddOn: true }),
  );
  const costOf = (version: VersionInForce) => {
    const own = listCharges(version, { ...usage, interval, isAddOn: false });
    return sumLeft(lowerCharges(fresh, [...own, ...extra], atMs));
  };
  return { beforeMinor: costOf(before), afterMinor: costOf(after) };
}
