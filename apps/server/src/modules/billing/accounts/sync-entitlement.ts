import type { Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import type { Account } from "@turnpike/domain/billing/account/account";
import { quotaRefillOf } from "@turnpike/domain/billing/catalog/quota-card";
import { accessByDueDates, type DueDates } from "@turnpike/domain/billing/lifecycle/reminders";
import { ACCESS_STATES, type AccessState } from "@turnpike/domain/billing/payments/dunning";
import type { Subscription } from "@turnpike/domain/billing/subscription/subscription";
import { termsOfPhase } from "@turnpike/domain/catalog/terms-of-phase";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { findPlanVersion } from "#modules/catalog/index.ts";
import {
  assignPlanWithin,
  findEntitlement,
  setStandingWithin,
} from "#modules/entitlements/index.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { dueDatesOf } from "../reminders/collect-reminders.ts";
import { findPriced } from "./find-priced.ts";
import type { LoadedAccount } from "./load-accounts.ts";

const BILLING_CONTEXT: CallContext = {
  actor: { type: "system", id: "billing" },
  requestId: "billing",
};

/**
 * What is left of a tenant's rights: the worst of what attempts to collect invoices and their due dates say, and of whether a plan has
 * to be chosen first, since nothing runs and there is no free plan to fall back on.
 */
export function standingOf(
  account: Account,
  { atMs, dueDates, mayHave }: { atMs: number; dueDates: DueDates; mayHave: boolean },
): AccessState {
  const states = [
    account.access.at(-1)?.state ?? "current",
    accessByDueDates(account, { atMs, dueDates }),
    mayHave ? "current" : "blocked",
  ] as const;
  return ACCESS_STATES.findLast((state) => states.includes(state)) ?? "current";
}

/**
 * True when a subscription entitles to what it did before: most closings only begin the next period. What is scheduled, or cancelled
 * before its start, leaves the tenant what it has.
 */
function entitlesToTheSame(
  before: Subscription | undefined,
  { state, run, anchorMs }: Subscription,
): boolean {
  if (state === "scheduled" || (before?.state === "scheduled" && state !== "running")) {
    return true;
  }
  return (
    before?.state === state &&
    before.run.plan === run.plan &&
    before.run.inForce.index === run.inForce.index &&
    before.anchorMs === anchorMs
  );
}

/** True while no plan of a subscription is in force. */
function rests({ subscription }: Account): boolean {
  return subscription !== undefined && subscription.state !== "running";
}

/** True for a tenant that may have its plan without a subscription: one that is free, and any while a subscription runs. */
async function mayHavePlan(tx: Tx, account: Account, tenantId: TenantId): Promise<boolean> {
  const entitlement = rests(account) ? await findEntitlement(tx, tenantId) : undefined;
  const version = entitlement?.planVersion;
  return (
    version === undefined ||
    entitlement === undefined ||
    (await findPriced(tx, { planId: entitlement.planId, version })) === undefined
  );
}

/** Assigns the plan that a subscription entitles to; once nothing runs, the one of new tenants. */
async function assignPlan(
  deps: BillingDeps,
  tx: Tx,
  context: CallContext,
  {
    tenantId,
    plans,
    subscription,
  }: { tenantId: TenantId; plans: LoadedAccount["plans"]; subscription: Subscription },
): Promise<void> {
  if (subscription.state === "running") {
    const { run, anchorMs } = subscription;
    const reference = plans.book.referenceOf(run.plan);
    const terms = plans.termsOf(reference);
    await assignPlanWithin(deps, tx, context, {
      tenantId,
      plan: reference,
      phaseTerms: terms.phases === undefined ? {} : termsOfPhase(terms, run.inForce.index),
      periodAnchor: new Date(anchorMs),
      periodUnit: quotaRefillOf(run.inForce.phase),
    });
    return;
  }
  const standard = await findPlanVersion(tx, undefined);
  if (standard !== undefined) {
    await assignPlanWithin(deps, tx, context, {
      tenantId,
      plan: { planId: standard.planId, version: standard.version },
      phaseTerms: {},
      periodAnchor: new Date(subscription.anchorMs),
      periodUnit: "month",
    });
  }
}

/**
 * Gives a tenant what its subscription entitles it to now, and the standing that its invoices leave it. Part of the transaction that
 * writes the account. The sandbox changes no entitlement: keys of both environments have the limits of the live subscription.
 */
export async function syncEntitlement(
  deps: BillingDeps,
  tx: Tx,
  context: CallContext,
  {
    loaded,
    after,
    atMs,
    dueDates,
    dueDatesAfter = dueDates,
  }: {
    loaded: LoadedAccount;
    after: Account;
    atMs: number;
    dueDates: DueDates;
    /** Where the change alters what is waited for. */
    dueDatesAfter?: DueDates;
  },
): Promise<void> {
  const { key, plans } = loaded;
  const { subscription } = after;
  if (key.environment !== "live" || subscription === undefined) {
    return;
  }
  const { tenantId } = key;
  const mayBefore = await mayHavePlan(tx, loaded.account, tenantId);
  if (!entitlesToTheSame(loaded.account.subscription, subscription)) {
    await assignPlan(deps, tx, context, { tenantId, plans, subscription });
  }
  const beforeMs = loaded.row?.advancedTo.getTime() ?? atMs;
  const mayHave = await mayHavePlan(tx, after, tenantId);
  const standing = standingOf(after, { atMs, dueDates: dueDatesAfter, mayHave });
  // Only what changes it is written, so that a standing which the operator gave holds until then.
  if (standing !== standingOf(loaded.account, { atMs: beforeMs, dueDates, mayHave: mayBefore })) {
    // What follows from invoices is the product's own decision, even when a customer's action led to it.
    await setStandingWithin(deps, tx, BILLING_CONTEXT, { tenantId, standing });
  }
}

/** Lets a tenant call again that an operator has given a free plan after its subscription, unless its invoices forbid it. */
export async function releaseOnFreePlan(
  deps: BillingDeps,
  tx: Tx,
  loaded: LoadedAccount,
): Promise<void> {
  const { account, key } = loaded;
  const now = deps.clock.now();
  const dueDates = dueDatesOf(loaded, { paymentDays: deps.billing.paymentDays, now });
  if (rests(account) && (await mayHavePlan(tx, account, key.tenantId))) {
    const standing = standingOf(account, { atMs: now.getTime(), dueDates, mayHave: true });
    await setStandingWithin(deps, tx, BILLING_CONTEXT, { tenantId: key.tenantId, standing });
  }
}
