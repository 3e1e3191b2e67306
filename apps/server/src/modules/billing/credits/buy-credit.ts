import type { Invoice } from "@turnpike/contract/invoices";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { Account } from "@turnpike/domain/billing/account/account";
import { isOpen } from "@turnpike/domain/billing/invoices/invoice";
import { issueTopUp } from "@turnpike/domain/billing/lifecycle/top-up";
import { AppError } from "@turnpike/domain/errors/app-error";
import { formatMinor } from "@turnpike/domain/money/currency";
import { writeAudit } from "#modules/audit/index.ts";
import type { AccountKey } from "../accounts/accounts.store.ts";
import {
  type ChangedAccount,
  changeAccount,
  type WrittenAccount,
} from "../accounts/change-account.ts";
import type { LoadedAccount } from "../accounts/load-accounts.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { readInvoice } from "../invoices/get-invoice.ts";
import { toMinorAmount } from "../invoices/to-minor-amount.ts";
import { assertOffered, findOffer } from "./top-up-settings.ts";

/** An invoice for credit is open already: this one. */
class OpenAlready extends Error {
  override readonly name = "OpenAlready";
  readonly invoiceId: string;
  readonly isSame: boolean;

  constructor(invoiceId: string, isSame: boolean) {
    super("An invoice for credit is open.");
    this.invoiceId = invoiceId;
    this.isSame = isSame;
  }
}

function assertNoneOpen(account: Account, amount: bigint, { invoiceIds }: LoadedAccount): void {
  const index = account.invoices.findIndex(
    (invoice) => invoice.topUp !== undefined && isOpen(invoice),
  );
  const invoiceId = invoiceIds[index];
  if (invoiceId !== undefined) {
    throw new OpenAlready(invoiceId, account.invoices[index]?.lines[0]?.amount === amount);
  }
}

/** @throws {AppError} `CONFLICT` where the operator sells no credit in this currency. */
function issue(
  deps: BillingDeps,
  account: Account,
  { text, topUp: key, atMs }: { text: string; topUp: string; atMs: number },
) {
  const { currency } = account.terms;
  const offer = findOffer(deps.billing.topUps, currency);
  if (offer === undefined) {
    throw new AppError({
      code: "CONFLICT",
      publicMessage: `No credit is sold in ${currency.code}.`,
      extensions: { reason: "no_top_ups" },
    });
  }
  const amount = toMinorAmount(text, { currency, pointer: "/amount" });
  assertOffered(text, offer, "/amount");
  const topUp = {
    amount,
    label: `Credit of ${formatMinor(amount, currency)} ${currency.code}`,
    key,
    isTaxed: deps.billing.topUps?.isTaxed === true,
  };
  return { amount, after: issueTopUp(account, topUp, atMs) };
}

/** The id of the invoice that a change has issued for credit. */
function issuedFor(topUp: string, { loaded, after, issued }: WrittenAccount): string {
  const index = after.invoices.findIndex((invoice) => invoice.topUp === topUp);
  const invoiceId = issued[index - loaded.invoiceIds.length];
  if (invoiceId === undefined) {
    throw new Error("An invoice was issued and is not there.");
  }
  return invoiceId;
}

/**
 * Issues the invoice for credit, once.
 *
 * @param input.event - What the history calls it.
 * @param check - Throws to refuse what is bought by itself.
 * @returns The id of the invoice; of the open one, if that is for the same amount.
 */
export async function issueCreditInvoice(
  deps: BillingDeps,
  context: CallContext,
  {
    key,
    amount,
    event,
    check,
  }: {
    key: AccountKey;
    amount: string;
    event: "top_up.bought" | "top_up.automatic";
    check?: (changed: ChangedAccount) => void;
  },
): Promise<string> {
  try {
    const { tenantId, environment } = key;
    const topUp = deps.newId("creditGrant");
    const changed = await changeAccount(
      deps,
      context,
      {
        key,
        step: (account, { atMs, loaded }) => {
          const { after, amount: minor } = issue(deps, account, { text: amount, topUp, atMs });
          assertNoneOpen(account, minor, loaded);
          return after;
        },
        events: [{ kind: event, details: { amount, topUp } }],
        noteReason: "",
        alsoWrites: (tx) =>
          writeAudit(deps, tx, context, {
            tenantId,
            action: "credit.bought",
            entityType: "tenant",
            entityId: tenantId,
            details: { environment, amount, isAutomatic: event === "top_up.automatic" },
          }),
      },
      check,
    );
    return issuedFor(topUp, changed);
  } catch (error) {
    if (!(error instanceof OpenAlready)) {
      throw error;
    }
    if (error.isSame) {
      return error.invoiceId;
    }
    throw new AppError({
      code: "CONFLICT",
      publicMessage: "An invoice for credit is open: pay it first, or wait until it lapses.",
      extensions: { reason: "top_up_open", invoiceId: error.invoiceId },
    });
  }
}

/**
 * Lets a customer buy credit: its invoice is issued, and once that is paid the credit is there. Asking again while it is open gives the
 * same invoice.
 *
 * @throws {AppError} `CONFLICT` without a plan, where no credit is sold, or while an invoice for another amount is open;
 *   `RESOURCE_NOT_FOUND` (tenant), `INVALID_REQUEST`, `INSUFFICIENT_SCOPE`.
 */
export async function buyCredit(
  deps: BillingDeps,
  context: CallContext,
  { amount, ...key }: AccountKey & { amount: string },
): Promise<Invoice> {
  const { tenantId, environment } = key;
  assertMayInTenant(context.actor, "billing:write", tenantId);
  const invoiceId = await issueCreditInvoice(deps, context, {
    key: { tenantId, environment },
    amount,
    event: "top_up.bought",
  });
  return await deps.transact.asOperator((tx) => readInvoice(tx, { invoiceId }));
}
