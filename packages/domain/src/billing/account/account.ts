import type { Currency } from "../../money/currency.ts";
import type { Quantity } from "../../pricing/price.ts";
import type { BillingCatalog } from "../catalog/billing-plan.ts";
import type { CreditNote } from "../credit-notes/credit-note.ts";
import type { Coupon } from "../invoices/coupon.ts";
import type { Credit } from "../invoices/grant.ts";
import type { Invoice } from "../invoices/invoice.ts";
import type { AccessState, Attempt, DunningCalendar, DunningTerms } from "../payments/dunning.ts";
import type { Line, Span } from "../rating/line.ts";
import type { ClosedStretch } from "../rating/stretch.ts";
import { isTrial } from "../subscription/phases.ts";
import type { ProrationMode, Subscription } from "../subscription/subscription.ts";
import type { Customer, Seller } from "../tax/tax-decision.ts";

/** What the operator has set up. It does not change while a customer is billed. */
export type BillingTerms = {
  readonly currency: Currency;
  /** Undefined for no tax at all. */
  readonly seller: Seller | undefined;
  readonly catalog: BillingCatalog;
  readonly proration: ProrationMode;
  readonly dunning: DunningTerms;
};

/** Usage as it was admitted, for limits. */
export type MeterUse = {
  readonly meterId: string;
  readonly atMs: number;
  readonly served: Quantity;
  readonly beyond: Quantity;
};

/** A true-up of a phase that was charged. Late usage is set against what is left of it. */
export type ClosedCommitment = Span & {
  readonly planId: string;
  readonly isAddOn: boolean;
  readonly left: bigint;
};

/** Late usage that waits for the next close. */
export type LateUse = {
  /** Index in `closed`. */
  readonly closed: number;
  readonly quantity: Quantity;
};

export type LifeState = "scheduled" | "trialing" | "active" | "paused" | "ended";

export type LifeRow = { readonly atMs: number; readonly state: LifeState; readonly planId: string };
export type AccessRow = { readonly atMs: number; readonly state: AccessState };

/** Everything that billing knows about one customer. It is never changed: each step returns the next one. */
export type Account = {
  readonly terms: BillingTerms;
  readonly customer: Customer;
  readonly subscription: Subscription | undefined;
  readonly invoices: readonly Invoice[];
  readonly creditNotes: readonly CreditNote[];
  readonly coupons: readonly Coupon[];
  readonly credit: Credit;
  /** What the customer has with us, in minor units; the next invoice takes it. */
  readonly balance: bigint;
  /** Lines that wait for the next invoice. */
  readonly waiting: readonly Line[];
  readonly closed: readonly ClosedStretch[];
  readonly commitments: readonly ClosedCommitment[];
  readonly late: readonly LateUse[];
  readonly meterUses: readonly MeterUse[];
  /** The spend cap in minor units; undefined without one. */
  readonly cap: bigint | undefined;
  /** What the cap was until a while after it was lowered, for usage that was admitted under it; undefined without one. */
  readonly capBefore?: { readonly cap: bigint | undefined; readonly untilMs: number } | undefined;
  /**
   * From when on usage was let through by what credit pays for. What was used before, on a plan that is paid afterwards, is charged in any
   * case. Undefined where credit always counted.
   */
  readonly creditFromMs?: number | undefined;
  readonly calendars: readonly DunningCalendar[];
  readonly attempts: readonly Attempt[];
  readonly life: readonly LifeRow[];
  readonly access: readonly AccessRow[];
  /** How many plans and add-ons have begun. */
  readonly runs: number;
  /** How many running periods with prices have begun. */
  readonly periods: number;
  /** Keys of payments and grants that were applied. */
  readonly paymentKeys: ReadonlySet<string>;
  readonly grantKeys: ReadonlySet<string>;
};

export function createAccount(terms: BillingTerms, customer: Customer): Account {
  return {
    terms,
    customer,
    subscription: undefined,
    invoices: [],
    creditNotes: [],
    coupons: [],
    credit: { grants: [], entries: [] },
    balance: 0n,
    waiting: [],
    closed: [],
    commitments: [],
    late: [],
    meterUses: [],
    cap: undefined,
    calendars: [],
    attempts: [],
    life: [],
    access: [],
    runs: 0,
    periods: 0,
    paymentKeys: new Set(),
    grantKeys: new Set(),
  };
}

/** An account whose subscription runs. */
export type RunningAccount = Account & { readonly subscription: Subscription };

export function isRunning(account: Account): account is RunningAccount {
  return account.subscription?.state === "running";
}

export function lifeOf({ state, run }: Subscription): LifeState {
  if (state !== "running") {
    return state;
  }
  return isTrial(run.inForce.phase) ? "trialing" : "active";
}
