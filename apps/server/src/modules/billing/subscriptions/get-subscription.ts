import type { Subscription } from "@turnpike/contract/subscriptions";
import type { Tx } from "@turnpike/db/client";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { Account } from "@turnpike/domain/billing/account/account";
import { passTime } from "@turnpike/domain/billing/lifecycle/pass-time";
import { NoTaxRate } from "@turnpike/domain/billing/tax/tax-lines";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import { findEntitlement } from "#modules/entitlements/index.ts";
import { shareOf } from "#platform/transact.ts";
import type { AccountKey } from "../accounts/accounts.store.ts";
import { readAccount } from "../accounts/change-account.ts";
import { effectiveMs } from "../accounts/effective-ms.ts";
import type { LoadedAccount } from "../accounts/load-accounts.ts";
import { standingOf } from "../accounts/sync-entitlement.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { listOpenInvoices } from "../invoices/documents.store.ts";
import { dueDatesOf } from "../reminders/collect-reminders.ts";
import { toFreeSubscription, toSubscription } from "./to-subscription.ts";

/** An account that cannot be closed for want of a rate of tax is shown as it was closed last. */
function passUntil(loaded: LoadedAccount, span: { fromMs: number; toMs: number }): Account {
  try {
    return passTime(loaded.account, { ...span, usages: loaded.usages });
  } catch (error) {
    if (error instanceof NoTaxRate) {
      return loaded.account;
    }
    throw error;
  }
}

/** {@link getSubscription} in a transaction of the operator role, for an actor who may see it. */
export async function readSubscription(
  deps: BillingDeps,
  tx: Tx,
  key: AccountKey,
): Promise<Subscription> {
  const now = deps.clock.now();
  const entitlement = await findEntitlement(tx, key.tenantId);
  if (entitlement === undefined) {
    throw resourceNotFound("tenant");
  }
  const loaded = await readAccount(deps, tx, { key });
  if (loaded === undefined) {
    return toFreeSubscription(key, entitlement, now);
  }
  const nowMs = now.getTime() + (loaded.row?.aheadMs ?? 0);
  const atMs = effectiveMs(nowMs, loaded.row);
  const fromMs = loaded.row?.advancedTo.getTime() ?? atMs;
  // What is due is done in the answer too, a moment before a job has written it.
  const account = passUntil(loaded, { fromMs, toMs: atMs });
  return toSubscription(loaded, {
    account,
    nowMs,
    standing:
      key.environment === "live"
        ? entitlement.standing
        : standingOf(account, {
            atMs,
            dueDates: dueDatesOf(loaded, { paymentDays: deps.billing.paymentDays, now }),
            mayHave: true,
          }),
    openInvoices: await listOpenInvoices(tx, key, 10),
  });
}

/**
 * Gets the subscription of a tenant in an environment; that of a tenant without one is its free plan, with the life `none`.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INSUFFICIENT_SCOPE`.
 */
export async function getSubscription(
  deps: BillingDeps,
  context: CallContext,
  key: AccountKey,
): Promise<Subscription> {
  assertMayInTenant(context.actor, "billing:read", key.tenantId);
  return await deps.transact.asOperator(
    (tx) => readSubscription(deps, tx, key),
    shareOf(context.actor),
  );
}
