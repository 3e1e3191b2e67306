import type { Tx } from "@turnpike/db/client";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import type { Transact } from "#platform/transact.ts";
import { findBurnDrift, findCreditDrift } from "../credits/reconcile-credit.store.ts";
import {
  findInvoicePage,
  findMoneyDrift,
  findOverlaps,
  findPaymentDrift,
  findSeriesDrift,
  findTotalsDrift,
  findUsageLineDrift,
  type InvoiceFinding,
} from "./reconcile.store.ts";

export type InvoiceReconciliation = {
  /** How many invoices were compared. */
  invoices: number;
  /** The first differences, at most 100 of each kind; empty when everything agrees. */
  findings: InvoiceFinding[];
};

const FINDINGS_MAX = 100;
/** Invoices that one statement looks at. */
const INVOICES_AT_ONCE = 500;

async function compareInvoices(tx: Tx): Promise<InvoiceReconciliation> {
  const usage: InvoiceFinding[] = [];
  const totals: InvoiceFinding[] = [];
  const burns: InvoiceFinding[] = [];
  let invoices = 0;
  let page = await findInvoicePage(tx, "", INVOICES_AT_ONCE);
  while (page !== undefined) {
    invoices += page.count;
    usage.push(...(await findUsageLineDrift(tx, page, FINDINGS_MAX - usage.length)));
    totals.push(...(await findTotalsDrift(tx, page, FINDINGS_MAX - totals.length)));
    burns.push(...(await findBurnDrift(tx, page, FINDINGS_MAX - burns.length)));
    page = await findInvoicePage(tx, page.last, INVOICES_AT_ONCE);
  }
  return { invoices, findings: [...usage, ...totals, ...burns] };
}

/**
 * Proves the invoices: usage on them is what the ledger has, sums are those of their parts, numbers have no gap, nothing is charged
 * twice, what is left of credit is the sum of its entries, and money that was received is applied, balance or refunded. Reads one
 * snapshot, page by page, so it is exact on a live database of any size.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`.
 */
export async function reconcileInvoices(
  deps: { transact: Transact },
  context: CallContext,
): Promise<InvoiceReconciliation> {
  assertMay(context.actor, "invoices:read");
  return await deps.transact.asOperatorSnapshot(async (tx) => {
    const compared = await compareInvoices(tx);
    return {
      ...compared,
      findings: [
        ...compared.findings,
        ...(await findSeriesDrift(tx, FINDINGS_MAX)),
        ...(await findOverlaps(tx, FINDINGS_MAX)),
        ...(await findCreditDrift(tx, FINDINGS_MAX)),
        ...(await findMoneyDrift(tx, FINDINGS_MAX)),
        ...(await findPaymentDrift(tx, FINDINGS_MAX)),
      ],
    };
  });
}
