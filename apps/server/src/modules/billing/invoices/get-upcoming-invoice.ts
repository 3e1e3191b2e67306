import type { UpcomingInvoice } from "@turnpike/contract/invoices";
import type { Tx } from "@turnpike/db/client";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { Account } from "@turnpike/domain/billing/account/account";
import { dueOf, type Invoice } from "@turnpike/domain/billing/invoices/invoice";
import { passTime } from "@turnpike/domain/billing/lifecycle/pass-time";
import { passToInvoice } from "@turnpike/domain/billing/lifecycle/pass-to-invoice";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import { findCurrency, formatMinor } from "@turnpike/domain/money/currency";
import { findEntitlement } from "#modules/entitlements/index.ts";
import { shareOf } from "#platform/transact.ts";
import type { AccountKey } from "../accounts/accounts.store.ts";
import { readAccount } from "../accounts/change-account.ts";
import { effectiveMs } from "../accounts/effective-ms.ts";
import type { LoadedAccount } from "../accounts/load-accounts.ts";
import { toTaxRefusal } from "../accounts/to-tax-refusal.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { createLineContext, toDraft } from "./to-draft.ts";

/** The next invoice of an account, as it would be if nothing more was used. */
export type RunningInvoice = {
  loaded: LoadedAccount;
  /** When it will be issued. */
  issuesAtMs: number;
  invoice: Invoice | undefined;
  after: Account;
};

/**
 * Computes the running invoice of an account that was read. `undefined` when no invoice is to come.
 *
 * @throws {AppError} `CONFLICT` when there is no rate of tax for it.
 */
export function computeRunningInvoice(
  loaded: LoadedAccount,
  nowMs: number,
): RunningInvoice | undefined {
  try {
    return passFromNow(loaded, nowMs);
  } catch (error) {
    throw toTaxRefusal(error);
  }
}

function passFromNow(loaded: LoadedAccount, nowMs: number): RunningInvoice | undefined {
  const atMs = effectiveMs(nowMs, loaded.row);
  const fromMs = loaded.row?.advancedTo.getTime() ?? atMs;
  const now = passTime(loaded.account, { fromMs, toMs: atMs, usages: loaded.usages });
  const passed = passToInvoice(now, { fromMs: atMs });
  return (
    passed && {
      loaded,
      issuesAtMs: passed.atMs,
      invoice: passed.invoice,
      after: passed.account,
    }
  );
}

export function spansOf({ lines }: Invoice): { from: string | null; to: string | null } {
  const spans = lines.flatMap(({ span }) => (span === undefined ? [] : [span]));
  return spans.length === 0
    ? { from: null, to: null }
    : {
        from: new Date(Math.min(...spans.map(({ fromMs }) => fromMs))).toISOString(),
        to: new Date(Math.max(...spans.map(({ toMs }) => toMs))).toISOString(),
      };
}

async function emptyTotals(tx: Tx, { tenantId }: AccountKey, loaded: LoadedAccount | undefined) {
  const entitlement = loaded === undefined ? await findEntitlement(tx, tenantId) : undefined;
  const currency = loaded?.account.terms.currency ?? findCurrency(entitlement?.terms.currency);
  if (currency === undefined) {
    throw resourceNotFound("tenant");
  }
  const zero = formatMinor(0n, currency);
  return {
    currency: currency.code,
    lines: [],
    net: zero,
    taxes: [],
    total: zero,
    fromBalance: zero,
    prepaid: zero,
    due: zero,
  };
}

/**
 * The running invoice of an account as it is answered.
 *
 * @param input.nowMs - By the clock of the environment.
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `CONFLICT` when there is no rate of tax.
 */
export async function toUpcomingInvoice(
  tx: Tx,
  key: AccountKey,
  { loaded, nowMs }: { loaded: LoadedAccount | undefined; nowMs: number },
): Promise<UpcomingInvoice> {
  const { tenantId, environment } = key;
  const running = loaded === undefined ? undefined : computeRunningInvoice(loaded, nowMs);
  const base = { tenantId, environment, asOf: new Date(nowMs).toISOString() };
  const invoice = running?.invoice;
  if (running === undefined || invoice === undefined) {
    return {
      ...base,
      issuesAt: running === undefined ? null : new Date(running.issuesAtMs).toISOString(),
      from: null,
      to: null,
      ...(await emptyTotals(tx, key, loaded)),
    };
  }
  const { after, issuesAtMs } = running;
  return {
    ...base,
    issuesAt: new Date(issuesAtMs).toISOString(),
    ...spansOf(invoice),
    ...toDraft(invoice, createLineContext(running.loaded, after)),
    due: formatMinor(dueOf(invoice), after.terms.currency),
  };
}

/**
 * Gets the running invoice: what the next one will be, from what was used until now. Computed by what bills, and stored nowhere.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INSUFFICIENT_SCOPE`, `CONFLICT` when there is no rate of tax.
 */
export async function getUpcomingInvoice(
  deps: BillingDeps,
  context: CallContext,
  key: AccountKey,
): Promise<UpcomingInvoice> {
  assertMayInTenant(context.actor, "billing:read", key.tenantId);
  return await deps.transact.asOperator(async (tx) => {
    const loaded = await readAccount(deps, tx, { key });
    const nowMs = deps.clock.now().getTime() + (loaded?.row?.aheadMs ?? 0);
    return await toUpcomingInvoice(tx, key, { loaded, nowMs });
  }, shareOf(context.actor));
}
