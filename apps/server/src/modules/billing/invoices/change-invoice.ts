import type { JsonValue, Tx } from "@turnpike/db/client";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import type { Account } from "@turnpike/domain/billing/account/account";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import { writeAudit } from "#modules/audit/index.ts";
import type { AccountKey } from "../accounts/accounts.store.ts";
import { changeAccount } from "../accounts/change-account.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { findInvoiceRow, type InvoiceRow } from "./invoices.store.ts";

export type InvoiceChange = {
  invoiceId: string;
  /** What happened: of the audit trail, and of the history of the account unless `event` says otherwise. */
  action: string;
  event?: string;
  details: Record<string, JsonValue>;
  /** Why credit notes are issued. */
  noteReason?: string;
  /** True when `alsoWrites` writes the invoice off. */
  writesOff?: boolean;
  /** A step of the engine, which knows an invoice by its index. */
  step: (account: Account, input: { index: number; atMs: number }) => Account;
  /** Written together with the change. */
  alsoWrites?: (tx: Tx, row: InvoiceRow) => Promise<void>;
};

/** Finds an invoice of any tenant. @throws {AppError} `RESOURCE_NOT_FOUND` (invoice), `INSUFFICIENT_SCOPE`. */
export async function findForOperator(
  deps: BillingDeps,
  context: CallContext,
  invoiceId: string,
): Promise<InvoiceRow> {
  assertMay(context.actor, "invoices:write");
  const row = await deps.transact.asOperator((tx) => findInvoiceRow(tx, { invoiceId }));
  if (row === undefined) {
    throw resourceNotFound("invoice");
  }
  return row;
}

/**
 * Does something to an issued invoice: as a change of its account, written to its history and to the audit trail. For the operator's
 * actors.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (invoice), `CONFLICT` or `INVALID_REQUEST` when the engine refuses, `INSUFFICIENT_SCOPE`.
 */
export async function changeInvoice(
  deps: BillingDeps,
  context: CallContext,
  {
    invoiceId,
    action,
    event = action,
    details,
    noteReason = "",
    writesOff = false,
    step,
    alsoWrites,
  }: InvoiceChange,
): Promise<void> {
  const row = await findForOperator(deps, context, invoiceId);
  const { tenantId, environment, number } = row;
  const key: AccountKey = { tenantId, environment };
  await changeAccount(deps, context, {
    key,
    invoiceIds: [invoiceId],
    ...(writesOff && { writtenOff: invoiceId }),
    step: (account, { atMs, loaded }) =>
      step(account, { index: loaded.invoiceIds.indexOf(invoiceId), atMs }),
    events: [{ kind: event, details: { invoiceId, number } }],
    noteReason,
    alsoWrites: async (tx) => {
      await alsoWrites?.(tx, row);
      await writeAudit(deps, tx, context, {
        tenantId,
        action,
        entityType: "invoice",
        entityId: invoiceId,
        details: { number, environment, ...details },
      });
    },
  });
}
