import type { Fragment, Tx } from "@turnpike/db/client";
import type { AccountKey } from "../accounts/accounts.store.ts";
import type { PaymentProviderName } from "./payment-provider.ts";

export type RefundStateName = "pending" | "processing" | "succeeded" | "failed" | "unknown";
export type RefundKind = "operator" | "provider" | "dispute";

/** Money that was given back. Amounts are minor units, as text. */
export type RefundRow = AccountKey & {
  refundId: string;
  paymentId: string;
  provider: PaymentProviderName;
  /** The provider's id of the payment. */
  paymentReference: string;
  kind: RefundKind;
  amount: string;
  currency: string;
  reason: string;
  state: RefundStateName;
  fromBalance: string;
  reference: string | null;
  message: string | null;
  requestedBy: string;
  createdAt: Date;
  sentAt: Date | null;
  checks: number;
};

export type RefundWrite = AccountKey &
  Pick<
    RefundRow,
    | "refundId"
    | "paymentId"
    | "kind"
    | "amount"
    | "currency"
    | "reason"
    | "state"
    | "fromBalance"
    | "reference"
    | "requestedBy"
  > & { now: Date; checkAt: Date | null };

/** What an invoice gives for a refund, by which it is due again. */
export type RefundedInvoice = {
  invoiceId: string;
  /** Of what it has of the payment. */
  amount: string;
  /** Of what it had from the balance, or of other payments: the balance has it back and gives it. */
  reclaimed: string;
};

/** Stores a refund with the invoices that it makes due again. */
export async function insertRefund(
  tx: Tx,
  row: RefundWrite,
  invoices: readonly RefundedInvoice[],
): Promise<void> {
  await tx`
    insert into payment_refunds (tenant_id, refund_id, environment, payment_id, kind, amount, currency, reason, state, from_balance,
      reference, requested_by, created_at, updated_at, check_at)
    values (${row.tenantId}, ${row.refundId}, ${row.environment}, ${row.paymentId}, ${row.kind}, ${row.amount}, ${row.currency},
      ${row.reason}, ${row.state}, ${row.fromBalance}, ${row.reference}, ${row.requestedBy}, ${row.now}, ${row.now}, ${row.checkAt})`;
  await tx`
    insert into refunded_invoices (tenant_id, refund_id, invoice_id, amount, reclaimed)
    select ${row.tenantId}, ${row.refundId}, n."invoiceId", n.amount, n.reclaimed
    from json_to_recordset(${tx.json(invoices as never)}::json) as n ("invoiceId" text, amount numeric, reclaimed numeric)`;
}

function columns(tx: Tx): Fragment {
  return tx`f.refund_id as "refundId", f.tenant_id as "tenantId", f.environment, f.payment_id as "paymentId", r.provider,
    r.reference as "paymentReference", f.kind, f.amount::text as amount, f.currency, f.reason, f.state,
    f.from_balance::text as "fromBalance", f.reference, f.message, f.requested_by as "requestedBy", f.created_at as "createdAt",
    f.sent_at as "sentAt", f.checks`;
}

/** Refunds of payments, the oldest first. */
export async function listRefunds(tx: Tx, paymentIds: readonly string[]): Promise<RefundRow[]> {
  return await tx<RefundRow[]>`
    select ${columns(tx)} from payment_refunds f join received_payments r using (payment_id)
    where f.payment_id = any(${[...paymentIds]}::text[])
    order by f.refund_id`;
}

export async function findRefund(tx: Tx, refundId: string): Promise<RefundRow | undefined> {
  const [row] = await tx<RefundRow[]>`
    select ${columns(tx)} from payment_refunds f join received_payments r using (payment_id) where f.refund_id = ${refundId}`;
  return row;
}

/** Refunds that are to be sent again, the longest waiting first: their id makes them one at the provider. */
export async function listDueRefunds(
  tx: Tx,
  { now, limit }: { now: Date; limit: number },
): Promise<RefundRow[]> {
  return await tx<RefundRow[]>`
    select ${columns(tx)}
    from payment_refunds f join received_payments r using (payment_id) join tenants t on t.tenant_id = f.tenant_id
    where f.check_at <= ${now}
    order by f.check_at, f.refund_id
    limit ${limit}`;
}

/** The invoices that a refund made due again. */
export async function listRefundedInvoices(tx: Tx, refundId: string): Promise<RefundedInvoice[]> {
  return await tx<RefundedInvoice[]>`
    select invoice_id as "invoiceId", amount::text as amount, reclaimed::text as reclaimed
    from refunded_invoices where refund_id = ${refundId}
    order by invoice_id`;
}

export async function updateRefund(
  tx: Tx,
  {
    refundId,
    state,
    reference,
    message,
    returnedToBalance,
    now,
    checkAt,
  }: {
    refundId: string;
    state: RefundStateName;
    reference: string | null;
    message: string | null;
    returnedToBalance: string;
    now: Date;
    checkAt: Date | null;
  },
): Promise<void> {
  await tx`
    update payment_refunds
    set state = ${state}, reference = coalesce(${reference}, reference), message = ${message},
      returned_to_balance = ${returnedToBalance}, sent_at = coalesce(sent_at, ${now}), updated_at = ${now}, check_at = ${checkAt},
      checks = checks + 1
    where refund_id = ${refundId}`;
}

/** Puts off the next look at a refund, or ends them. What is known of it stays. */
export async function putOffRefund(
  tx: Tx,
  { refundId, checkAt }: { refundId: string; checkAt: Date | null },
): Promise<void> {
  await tx`
    update payment_refunds set check_at = ${checkAt}, checks = checks + 1
    where refund_id = ${refundId} and check_at is not null`;
}

/** The payment of a provider's attempt, by the reference that both have. */
export async function findPaymentOfAttempt(
  tx: Tx,
  attemptId: string,
): Promise<{ paymentId: string } | undefined> {
  const [row] = await tx<{ paymentId: string }[]>`
    select r.payment_id as "paymentId"
    from payment_attempts a join received_payments r
      on r.provider = a.provider and r.environment = a.environment and r.reference = a.reference
    where a.attempt_id = ${attemptId}`;
  return row;
}
