import { BAND_PARTS, type BandPart } from "../../forecast/forecast-totals.ts";
import { larger, smaller } from "../../money/bounds.ts";
import type { Account } from "../account/account.ts";
import type { BillingPlan } from "../catalog/billing-plan.ts";
import type { Coupon } from "../invoices/coupon.ts";
import { dueOf, type Invoice } from "../invoices/invoice.ts";
import { passTime } from "../lifecycle/pass-time.ts";
import { type PassedToInvoice, passToInvoice } from "../lifecycle/pass-to-invoice.ts";
import type { Usage } from "../lifecycle/record-usage.ts";
import { listRuns } from "../subscription/subscription.ts";
import { createUsagePath, type MeterOutlook } from "./usage-path.ts";

/** An account as it is now, before what is forecast. */
export type ProjectedAccount = {
  readonly account: Account;
  /** Where the account is in time, and the usage that it has not seen. */
  readonly fromMs: number;
  readonly usages: readonly Usage[];
  readonly nowMs: number;
  /** The plans that the account refers to. */
  readonly plans: readonly BillingPlan[];
};

/** Minor units. `lower95 ≤ lower80 ≤ mean ≤ upper80 ≤ upper95`. */
export type MinorBand = Readonly<Record<BandPart, bigint>>;

export type ProjectedInvoice = {
  readonly issuesAtMs: number;
  /** What is forecast in the middle. */
  readonly invoice: Invoice;
  readonly total: MinorBand;
  readonly due: MinorBand;
  readonly coupons: readonly Coupon[];
  /** The plans of its runs by their order, as places in `ProjectedAccount.plans`. */
  readonly plansOfRuns: readonly (readonly [number, number])[];
};

export type InvoiceProjection = {
  /** What the running invoice comes to if nothing more is used. */
  readonly runningTotal: bigint | undefined;
  readonly invoices: readonly ProjectedInvoice[];
};

const NONE = 0n;

/** When open invoices will be paid is not forecast: they count as paid, so that no reminder ends a subscription. */
function withoutDunning(account: Account): Account {
  return { ...account, calendars: [] };
}

/** The account now, with all usage so far. */
export function bringToNow({ account, fromMs, usages, nowMs }: ProjectedAccount): Account {
  return withoutDunning(passTime(account, { fromMs, toMs: nowMs, usages }));
}

/** Bounds that hold the middle, also where a charge falls when more is used. */
export function toMinorBand(amountOf: (part: BandPart) => bigint): MinorBand {
  const [lower95 = NONE, lower80 = NONE, mean = NONE, upper80 = NONE, upper95 = NONE] =
    BAND_PARTS.map(amountOf);
  const near = [lower80, mean, upper80];
  const far = [...near, lower95, upper95];
  return {
    mean,
    lower80: near.reduce(smaller),
    upper80: near.reduce(larger),
    lower95: far.reduce(smaller),
    upper95: far.reduce(larger),
  };
}

function listPlansOfRuns(
  accounts: readonly Account[],
  plans: readonly BillingPlan[],
): (readonly [number, number])[] {
  const runs = accounts.flatMap(({ subscription }) =>
    subscription === undefined ? [] : listRuns(subscription),
  );
  return runs.map(({ order, plan }) => [order, plans.indexOf(plan)] as const);
}

/**
 * Projects the invoices that will be issued until `toMs` with usage as it is forecast, by what bills: so they know tiers, included units,
 * minimums, caps, coupons, credit and tax. Each invoice is computed with the usage in the middle and at the four bounds of the sums
 * since the one before; the invoices before it are those of the middle.
 *
 * @throws {NoTaxRate} When the table of rates has none for an invoice.
 */
export function projectInvoices(
  given: ProjectedAccount,
  { meters, toMs }: { meters: readonly MeterOutlook[]; toMs: number },
): InvoiceProjection {
  const { nowMs, plans } = given;
  let current = bringToNow(given);
  let fromMs = nowMs;
  const running = passToInvoice(current, { fromMs });
  const invoices: ProjectedInvoice[] = [];
  for (;;) {
    const passWith = (part: BandPart): PassedToInvoice | undefined =>
      passToInvoice(current, { fromMs, usageOf: createUsagePath(meters, part, fromMs) });
    const passed = passWith("mean");
    if (passed === undefined || passed.atMs > toMs) {
      return { runningTotal: running?.invoice?.total, invoices };
    }
    const { invoice, account, atMs } = passed;
    if (invoice !== undefined) {
      const atBounds = new Map(BAND_PARTS.map((part) => [part, passWith(part)?.invoice]));
      const dueAt = (part: BandPart) => {
        const found = atBounds.get(part);
        return found === undefined ? NONE : dueOf(found);
      };
      invoices.push({
        issuesAtMs: atMs,
        invoice,
        total: toMinorBand((part) => atBounds.get(part)?.total ?? NONE),
        due: toMinorBand(dueAt),
        coupons: account.coupons,
        plansOfRuns: listPlansOfRuns([current, account], plans),
      });
    }
    current = withoutDunning(account);
    fromMs = atMs;
  }
}
