import type { Tx } from "@turnpike/db/client";

/** The transfer that settled the invoice of an attempt; `undefined` while something is due, or when it was settled otherwise. */
export async function findTransfer(
  tx: Tx,
  attemptId: string,
): Promise<{ reference: string; amount: string; receivedAt: Date } | undefined> {
  const [row] = await tx<{ reference: string; amount: string; receivedAt: Date }[]>`
    select r.reference, r.amount::text as amount, r.received_at as "receivedAt"
    from payment_attempts a join invoices i using (invoice_id)
      join invoice_payments p using (invoice_id) join received_payments r on r.payment_id = p.received_id
    where a.attempt_id = ${attemptId} and i.state = 'paid' and r.provider = 'manual' and r.recorded_at >= a.created_at
    order by r.recorded_at desc, r.payment_id desc
    limit 1`;
  return row;
}
