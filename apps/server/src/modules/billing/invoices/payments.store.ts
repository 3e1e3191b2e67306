import type { Tx } from "@turnpike/db/client";

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
