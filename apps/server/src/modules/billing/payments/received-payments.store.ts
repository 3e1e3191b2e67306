import type { Fragment, Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import type { AccountKey } from "../accounts/accounts.store.ts";
import type { PaymentProviderName } from "./payment-provider.ts";

/** Money that was received. Amounts are minor units, as text. */
export type ReceivedWrite = AccountKey & {
  paymentId: string;
  provider: PaymentProviderName;
  reference: string;
  amount: string;
  currency: string;
  toBalance: string;
  receivedAt: Date;
  recordedAt: Date;
  recordedBy: string;
};

/** What an invoice got of a payment. */
export type ShareWrite = {
  shareId: string;
  invoiceId: string;
  amount: string;
  beyond: string;
};

/** Finds the payment that a provider calls so. Lock the account before: then no other one is recorded meanwhile. */
export async function findByReference(
  tx: Tx,
  {
    provider,
    environment,
    reference,
  }: Pick<ReceivedWrite, "provider" | "environment" | "reference">,
): Promise<string | undefined> {
  const [row] = await tx<{ paymentId: string }[]>`
    select payment_id as "paymentId" from received_payments
    where provider = ${provider} and environment = ${environment} and reference = ${reference}`;
  return row?.paymentId;
}

/** Records a payment with what invoices got of it. `note` is the reference that invoices show. */
export async function insertReceived(
  tx: Tx,
  row: ReceivedWrite,
  { shares, note }: { shares: readonly ShareWrite[]; note: string },
): Promise<void> {
  await tx`
    insert into received_payments (tenant_id, payment_id, environment, provider, reference, amount, currency, to_balance, received_at,
      recorded_at, recorded_by)
    values (${row.tenantId}, ${row.paymentId}, ${row.environment}, ${row.provider}, ${row.reference}, ${row.amount}, ${row.currency},
      ${row.toBalance}, ${row.receivedAt}, ${row.recordedAt}, ${row.recordedBy})`;
  await tx`
    insert into invoice_payments (payment_id, tenant_id, environment, invoice_id, amount, beyond, paid_at, reference, recorded_by,
      received_id)
    select n."shareId", ${row.tenantId}, ${row.environment}, n."invoiceId", n.amount, n.beyond, ${row.receivedAt}, ${note},
      ${row.recordedBy}, ${row.paymentId}
    from json_to_recordset(${tx.json(shares as never)}::json) as n ("shareId" text, "invoiceId" text, amount numeric, beyond numeric)`;
}

export type ReceivedRow = AccountKey & {
  tenantName: string;
  paymentId: string;
  provider: PaymentProviderName;
  reference: string;
  amount: string;
  currency: string;
  receivedAt: Date;
  recordedBy: string;
  /** What went to the balance, with an invoice or without. */
  toBalance: string;
  /** What was refunded, or is being refunded. */
  refunded: string;
};

function columns(tx: Tx): Fragment {
  return tx`r.payment_id as "paymentId", r.tenant_id as "tenantId", r.environment, r.provider, r.reference, r.amount::text as amount,
    r.currency, r.received_at as "receivedAt", r.recorded_by as "recordedBy", coalesce(t.name, r.tenant_id) as "tenantName",
    (r.to_balance + coalesce((select sum(p.beyond) from invoice_payments p where p.received_id = r.payment_id), 0))::text
      as "toBalance",
    coalesce((select sum(f.amount) from payment_refunds f where f.payment_id = r.payment_id and f.state <> 'failed'), 0)::text
      as refunded`;
}

/** A place in the list of payments. */
export type ReceivedPlace = { receivedAt: Date; paymentId: string };

/** Payments of all tenants that match, newest first. Needs the operator role. */
export async function listReceived(
  tx: Tx,
  filters: {
    environment: Environment;
    tenantId: TenantId | undefined;
    invoiceId: string | undefined;
    after: ReceivedPlace | undefined;
    limit: number;
  },
): Promise<ReceivedRow[]> {
  const { environment, tenantId, invoiceId, after, limit } = filters;
  return await tx<ReceivedRow[]>`
    select ${columns(tx)}
    from received_payments r left join tenants t using (tenant_id)
    where r.environment = ${environment}
      ${tenantId === undefined ? tx`` : tx`and r.tenant_id = ${tenantId}`}
      ${invoiceId === undefined ? tx`` : tx`and exists (select from invoice_payments p where p.received_id = r.payment_id and p.invoice_id = ${invoiceId})`}
      ${after === undefined ? tx`` : tx`and (r.received_at, r.payment_id) < (${after.receivedAt}, ${after.paymentId})`}
    order by r.received_at desc, r.payment_id desc
    limit ${limit}`;
}

export async function findReceived(tx: Tx, paymentId: string): Promise<ReceivedRow | undefined> {
  const [row] = await tx<ReceivedRow[]>`
    select ${columns(tx)} from received_payments r left join tenants t using (tenant_id) where r.payment_id = ${paymentId}`;
  return row;
}

/** What invoices have of payments. */
export type ShareRow = {
  paymentId: string;
  invoiceId: string;
  number: string;
  /** What the invoice took, without what went to the balance and what refunds have made due again. */
  amount: string;
};

/** What invoices have of payments, the newest invoice of each payment first. */
export async function listShares(tx: Tx, paymentIds: readonly string[]): Promise<ShareRow[]> {
  return await tx<ShareRow[]>`
    select p.received_id as "paymentId", p.invoice_id as "invoiceId", i.number,
      (p.amount - p.beyond - coalesce((
        select sum(x.amount) from refunded_invoices x join payment_refunds f using (refund_id)
        where f.payment_id = p.received_id and x.invoice_id = p.invoice_id and f.state <> 'failed'
      ), 0))::text as amount
    from invoice_payments p join invoices i using (invoice_id)
    where p.received_id = any(${[...paymentIds]}::text[])
    order by p.received_id, i.issued_at desc, p.invoice_id desc`;
}

/**
 * Invoices of an account that hold money of payments or of the balance, newest first, until they hold an amount together.
 *
 * @param input.amount - Minor units.
 */
export async function listHoldingInvoices(
  tx: Tx,
  { tenantId, environment, amount }: AccountKey & { amount: bigint },
): Promise<string[]> {
  const rows = await tx<{ invoiceId: string }[]>`
    select h.invoice_id as "invoiceId"
    from (
      select i.invoice_id, i.issued_at, m.held, sum(m.held) over (order by i.issued_at desc, i.invoice_id desc) as running
      from invoices i cross join lateral (select i.paid + i.from_balance - i.to_balance as held) m
      where i.tenant_id = ${tenantId} and i.environment = ${environment} and i.state <> 'void' and m.held > 0
    ) h
    where h.running - h.held < ${amount.toString()}
    order by h.issued_at desc, h.invoice_id desc`;
  return rows.map(({ invoiceId }) => invoiceId);
}

/** Open invoices of an account, in the order in which money is applied to them: the oldest first. */
export async function listOpenInvoiceIds(
  tx: Tx,
  { tenantId, environment }: AccountKey,
): Promise<string[]> {
  const rows = await tx<{ invoiceId: string }[]>`
    select invoice_id as "invoiceId" from invoices
    where tenant_id = ${tenantId} and environment = ${environment} and state in ('open', 'uncollectible')
    order by due_at, invoice_id`;
  return rows.map(({ invoiceId }) => invoiceId);
}
