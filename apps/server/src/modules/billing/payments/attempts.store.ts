import type { Fragment, Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AccountKey } from "../accounts/accounts.store.ts";
import { carriedTo, dueOf } from "./carried.store.ts";
import { TRANSFER } from "./manual/manual-provider.ts";
import type { PaymentProviderName } from "./payment-provider.ts";

export type AttemptCause = "issued" | "calendar" | "method" | "person";
export type AttemptState =
  | "pending"
  | "succeeded"
  | "failed"
  | "action_required"
  | "processing"
  | "unknown";

/** An attempt to collect an invoice. Amounts are minor units, as text. */
export type AttemptRow = AccountKey & {
  attemptId: string;
  invoiceId: string;
  invoiceNumber: string;
  provider: PaymentProviderName;
  customerRef: string;
  methodRef: string;
  amount: string;
  currency: string;
  cause: AttemptCause;
  /** True for the one of its account that charges what other invoices carry, beside its own. */
  carries: boolean;
  state: AttemptState;
  reference: string | null;
  reason: string | null;
  message: string | null;
  createdAt: Date;
  sentAt: Date | null;
  updatedAt: Date;
  /** How often it was looked up. */
  checks: number;
  /** What an attempt for the invoice would charge now; 0 once it is settled. */
  due: string;
  /** The way to pay that is in force now; null without one. */
  methodInForce: string | null;
};

/** What an attempt for an invoice is to charge: what is due on it, and what others carry to it, or nothing once it is settled. */
function chargeOf(tx: Tx, carries: Fragment): Fragment {
  const due = dueOf(tx, "i");
  return tx`case when ${due} > 0 and ${carries} then ${due} + ${carriedTo(tx, "i")} else ${due} end`;
}

const OPEN = ["pending", "action_required", "processing", "unknown"] as const;

function columns(tx: Tx): Fragment {
  return tx`a.attempt_id as "attemptId", a.tenant_id as "tenantId", a.environment, a.invoice_id as "invoiceId", i.number as "invoiceNumber",
    a.provider, a.customer_ref as "customerRef", a.method_ref as "methodRef", a.amount::text as amount, a.currency, a.cause, a.carries, a.state,
    a.reference, a.reason, a.message, a.created_at as "createdAt", a.sent_at as "sentAt", a.updated_at as "updatedAt", a.checks,
    (${chargeOf(tx, tx`a.carries`)})::text as due, coalesce(
      (select m.method_ref from payment_methods m where m.tenant_id = a.tenant_id and m.environment = a.environment),
      case a.provider when 'manual' then ${TRANSFER} end) as "methodInForce"`;
}

export type NewAttempt = {
  attemptId: string;
  invoiceId: string;
  cause: AttemptCause;
  /** True when it replaces an attempt that carried. Left out: the first attempt of an account carries, unless a person made it. */
  carries?: boolean;
};

type Inserting = { now: Date; isByTransfer: boolean };

/** @returns Those that were inserted. */
async function insertSome(
  tx: Tx,
  rows: readonly NewAttempt[],
  { now, isByTransfer }: Inserting,
): Promise<string[]> {
  const inserted = await tx<{ attemptId: string }[]>`
    insert into payment_attempts (tenant_id, attempt_id, environment, invoice_id, provider, customer_ref, method_ref, amount, currency,
      cause, carries, state, created_at, updated_at, check_at)
    select i.tenant_id, n."attemptId", i.environment, i.invoice_id, coalesce(m.provider, 'manual'),
      coalesce(m.customer_ref, i.tenant_id), coalesce(m.method_ref, ${TRANSFER}), ${chargeOf(tx, tx`n.carries`)}, i.currency,
      n.cause, n.carries, 'pending', ${now}, ${now}, ${now}
    from (
        select w."attemptId", w."invoiceId", w.cause, coalesce(w.carries, w.cause <> 'person'
          and row_number() over (partition by o.tenant_id, o.environment, w.cause = 'person' order by w."attemptId") = 1
          and not exists (select from payment_attempts a
            where a.tenant_id = o.tenant_id and a.environment = o.environment and a.carries and a.state = any(${[...OPEN]}::text[])
          )) as carries
        from json_to_recordset(${tx.json(rows as never)}::json)
            as w ("attemptId" text, "invoiceId" text, cause text, carries boolean)
          join invoices o on o.invoice_id = w."invoiceId"
        where ${dueOf(tx, "o")} > 0
      ) n
      join invoices i on i.invoice_id = n."invoiceId"
      left join payment_methods m on m.tenant_id = i.tenant_id and m.environment = i.environment
    where m.provider is not null or ${isByTransfer}
    on conflict do nothing
    returning attempt_id as "attemptId"`;
  return inserted.map(({ attemptId }) => attemptId);
}

/**
 * Stores an attempt for what is due on each of the invoices, by the method in force. One of which an attempt is under way gets none.
 *
 * @param input.isByTransfer - A tenant without a method is asked to transfer it; left out: nothing is begun for it.
 */
export async function insertAttempts(
  tx: Tx,
  rows: readonly NewAttempt[],
  { now, isByTransfer = false }: { now: Date; isByTransfer?: boolean },
): Promise<void> {
  if (rows.length === 0) {
    return;
  }
  const inserted = new Set(await insertSome(tx, rows, { now, isByTransfer }));
  const others = rows.filter(({ attemptId }) => !inserted.has(attemptId));
  if (others.length > 0) {
    // One that carries may have begun in another transaction meanwhile: then these are for their own invoices.
    const own = others.map((row) => ({ ...row, carries: false }));
    await insertSome(tx, own, { now, isByTransfer });
  }
}

/** True for an invoice of which money was given back. */
export async function isRefunded(tx: Tx, invoiceId: string): Promise<boolean> {
  const rows = await tx`select from refunded_invoices where invoice_id = ${invoiceId} limit 1`;
  return rows.length > 0;
}

/** Reasons of attempts that no provider has refused: they do not stand in the way of another one. */
export const NOT_MADE = ["not_open", "superseded", "not_received"] as const;

/**
 * Open invoices that the method in force has not been tried on yet. Those of which money was given back are left: to charge them again
 * is for the customer to ask.
 */
export async function listUntried(
  tx: Tx,
  limit: number,
): Promise<{ invoiceId: string; cause: "issued" | "method" }[]> {
  return await tx<{ invoiceId: string; cause: "issued" | "method" }[]>`
    select i.invoice_id as "invoiceId",
      case when exists (select from payment_attempts a where a.invoice_id = i.invoice_id and a.method_ref <> m.method_ref)
        then 'method' else 'issued' end as cause
    from payment_methods m join tenants t using (tenant_id)
      join invoices i on i.tenant_id = m.tenant_id and i.environment = m.environment
    where i.state = 'open' and ${dueOf(tx, "i")} > 0
      and not exists (select from refunded_invoices x where x.invoice_id = i.invoice_id)
      and not exists (
        select from payment_attempts a where a.invoice_id = i.invoice_id and (
          a.state not in ('succeeded', 'failed')
          -- Of one that succeeded a rest may be left that the provider has no coin for: what it says of that is noted by another one.
          or a.state = 'failed' and a.method_ref = m.method_ref and coalesce(a.reason, '') <> all(${[...NOT_MADE]}::text[])
        )
      )
    order by i.invoice_id
    limit ${limit}`;
}

/** Attempts that are to be sent or looked up, the longest waiting first. Those of deleted tenants wait with them. */
export async function listDueAttempts(
  tx: Tx,
  { now, limit }: { now: Date; limit: number },
): Promise<AttemptRow[]> {
  return await tx<AttemptRow[]>`
    select ${columns(tx)}
    from payment_attempts a join invoices i using (invoice_id) join tenants t on t.tenant_id = a.tenant_id
    where a.check_at <= ${now}
    order by a.check_at, a.attempt_id
    limit ${limit}`;
}

export async function findAttempt(tx: Tx, attemptId: string): Promise<AttemptRow | undefined> {
  const [row] = await tx<AttemptRow[]>`
    select ${columns(tx)} from payment_attempts a join invoices i using (invoice_id) where a.attempt_id = ${attemptId}`;
  return row;
}

/** The same, locked until the end of the transaction. Lock the account before, where it will be changed. */
export async function lockAttempt(tx: Tx, attemptId: string): Promise<AttemptRow | undefined> {
  const [row] = await tx<AttemptRow[]>`
    select ${columns(tx)} from payment_attempts a join invoices i using (invoice_id) where a.attempt_id = ${attemptId}
    for no key update of a`;
  return row;
}

/** The attempt of an invoice that is under way; there is at most one. */
export async function findOpenAttempt(tx: Tx, invoiceId: string): Promise<AttemptRow | undefined> {
  const [row] = await tx<AttemptRow[]>`
    select ${columns(tx)} from payment_attempts a join invoices i using (invoice_id)
    where a.invoice_id = ${invoiceId} and a.state = any(${[...OPEN]}::text[])`;
  return row;
}

/** Attempts of an invoice that a provider was asked for or will be, the oldest first. */
export async function listAttempts(
  tx: Tx,
  { tenantId, invoiceId }: { tenantId: TenantId; invoiceId: string },
): Promise<AttemptRow[]> {
  return await tx<AttemptRow[]>`
    select ${columns(tx)} from payment_attempts a join invoices i using (invoice_id)
    where a.tenant_id = ${tenantId} and a.invoice_id = ${invoiceId}
      and coalesce(a.reason, '') not in ('not_open', 'superseded')
    order by a.attempt_id`;
}

/** What is written of an attempt that goes on. */
export type AttemptUpdate = {
  attemptId: string;
  state: AttemptState;
  reference: string | null;
  reason: string | null;
  message: string | null;
  isHard: boolean;
  now: Date;
  /** Null once nothing is to be done. */
  checkAt: Date | null;
};

export async function updateAttempt(tx: Tx, update: AttemptUpdate): Promise<void> {
  const { attemptId, state, reference, reason, message, isHard, now, checkAt } = update;
  await tx`
    update payment_attempts
    set state = ${state}, reference = coalesce(${reference}, reference), reason = ${reason}, message = ${message},
      is_hard = ${isHard}, updated_at = ${now}, check_at = ${checkAt}, checks = checks + 1
    where attempt_id = ${attemptId}`;
}

/** Notes that an attempt is handed to the provider now, or that the provider did not take it. */
export async function markSent(
  tx: Tx,
  {
    attemptId,
    sentAt,
    checkAt,
    now,
  }: { attemptId: string; sentAt: Date | null; checkAt: Date; now: Date },
): Promise<void> {
  await tx`
    update payment_attempts set sent_at = ${sentAt}, check_at = ${checkAt}, updated_at = ${now}, checks = checks + 1
    where attempt_id = ${attemptId}`;
}

/** Puts off the next look at an attempt that has not ended. What is known of it stays. */
export async function putOffCheck(
  tx: Tx,
  { attemptId, checkAt }: { attemptId: string; checkAt: Date },
): Promise<void> {
  await tx`
    update payment_attempts set check_at = ${checkAt}, checks = checks + 1
    where attempt_id = ${attemptId} and check_at is not null`;
}

/** There is another way to pay: payments that wait for their customer, or for money, are looked at now. */
export async function hurryWaiting(
  tx: Tx,
  { tenantId, environment, now }: AccountKey & { now: Date },
): Promise<void> {
  await tx`
    update payment_attempts set check_at = ${now}
    where tenant_id = ${tenantId} and environment = ${environment} and state in ('action_required', 'processing')`;
}

/** Invoices got money in another way: what is under way for them is looked at now. */
export async function hurryOpenAttempts(
  tx: Tx,
  { invoiceIds, now }: { invoiceIds: readonly string[]; now: Date },
): Promise<void> {
  await tx`
    update payment_attempts set check_at = ${now}
    where invoice_id = any(${[...invoiceIds]}::text[]) and state = any(${[...OPEN]}::text[])`;
}

export type FailedPayment = {
  invoiceId: string;
  number: string;
  methodRef: string;
  /** The provider's code; null when it gave none. */
  reason: string | null;
  /** True when the bank asks the customer for a confirmation. */
  needsConsent: boolean;
  failedAt: Date;
};

/** Open live invoices whose last attempt failed, or waits for a person: at most a hundred, the oldest first. */
export async function listFailedLast(tx: Tx, tenantId: TenantId): Promise<FailedPayment[]> {
  return await tx<FailedPayment[]>`
    select i.invoice_id as "invoiceId", i.number, last.method_ref as "methodRef", last.reason,
      last.state = 'action_required' as "needsConsent", last.updated_at as "failedAt"
    from invoices i cross join lateral (
      select a.method_ref, a.reason, a.state, a.updated_at from payment_attempts a
      where a.tenant_id = ${tenantId} and a.invoice_id = i.invoice_id
      order by a.created_at desc, a.attempt_id desc
      limit 1
    ) last
    where i.tenant_id = ${tenantId} and i.environment = 'live' and i.state = 'open'
      and last.state in ('failed', 'action_required') and coalesce(last.reason, '') <> all(${[...NOT_MADE]}::text[])
    order by i.invoice_id
    limit 100`;
}
