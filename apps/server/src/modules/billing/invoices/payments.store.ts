import type { Tx } from "@turnpike/db/client";
import type { AccountKey } from "../accounts/accounts.store.ts";

export type PaymentRow = {
  paymentId: string;
  invoiceId: string;
  /** Minor units, as text. */
  amount: string;
  paidAt: Date;
  reference: string;
  recordedBy: string;
};

/** The payments of an invoice, in the order in which they were recorded. */
export async function listPayments(tx: Tx, invoiceId: string): Promise<PaymentRow[]> {
  return await tx<PaymentRow[]>`
    select payment_id as "paymentId", invoice_id as "invoiceId", amount::text as amount, paid_at as "paidAt", reference,
      recorded_by as "recordedBy"
    from invoice_payments where invoice_id = ${invoiceId}
    order by payment_id`;
}

/** @returns False when a payment of this invoice has the reference already; nothing is written then. */
export async function insertPayment(tx: Tx, row: PaymentRow & AccountKey): Promise<boolean> {
  const rows = await tx`
    insert into invoice_payments (payment_id, tenant_id, environment, invoice_id, amount, paid_at, reference, recorded_by)
    values (${row.paymentId}, ${row.tenantId}, ${row.environment}, ${row.invoiceId}, ${row.amount}, ${row.paidAt},
      ${row.reference}, ${row.recordedBy})
    on conflict (invoice_id, reference) do nothing
    returning 1`;
  return rows.length > 0;
}
