import type { Tx } from "@turnpike/db/client";
import type { CreditEntryKind, GrantKind } from "@turnpike/domain/billing/invoices/grant";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AccountKey } from "../accounts/accounts.store.ts";

/** An amount in minor units, as text. */
type Minor = string;

export type GrantWrite = AccountKey & {
  /** Counts the grants of the account, from 0. */
  place: number;
  grantId: string;
  kind: GrantKind;
  currency: string;
  granted: Minor;
  priority: number;
  effectiveAt: string;
  expiresAt: string | null;
  reason: string;
  reference: string | null;
  invoiceId: string | null;
  grantedBy: string;
};

/** A grant with this reference was written before. */
export class GrantedBefore extends Error {
  override readonly name = "GrantedBefore";
}

/** @throws {GrantedBefore} */
export async function insertGrants(tx: Tx, rows: readonly GrantWrite[], now: Date): Promise<void> {
  if (rows.length === 0) {
    return;
  }
  const inserted = await tx`
    insert into credit_grants (tenant_id, environment, place, grant_id, kind, currency, granted, priority, effective_at, expires_at,
      reason, reference, invoice_id, granted_by, recorded_at)
    select n."tenantId", n.environment, n.place, n."grantId", n.kind, n.currency, n.granted, n.priority, n."effectiveAt",
      n."expiresAt", n.reason, n.reference, n."invoiceId", n."grantedBy", ${now}
    from json_to_recordset(${tx.json(rows as never)}::json) as n ("tenantId" text, environment text, place int, "grantId" text,
      kind text, currency text, granted numeric, priority int, "effectiveAt" timestamptz, "expiresAt" timestamptz, reason text,
      reference text, "invoiceId" text, "grantedBy" text)
    on conflict (tenant_id, environment, reference) do nothing
    returning 1`;
  if (inserted.length < rows.length) {
    throw new GrantedBefore();
  }
}

export type EntryWrite = AccountKey & {
  place: number;
  kind: CreditEntryKind;
  amount: Minor;
  invoiceId: string | null;
  happenedAt: string;
  actor: string;
  reason: string | null;
};

export async function insertEntries(tx: Tx, rows: readonly EntryWrite[], now: Date): Promise<void> {
  if (rows.length === 0) {
    return;
  }
  await tx`
    insert into credit_entries (tenant_id, environment, place, kind, amount, invoice_id, happened_at, recorded_at, actor, reason)
    select n."tenantId", n.environment, n.place, n.kind, n.amount, n."invoiceId", n."happenedAt", ${now}, n.actor, n.reason
    from json_to_recordset(${tx.json(rows as never)}::json) as n ("tenantId" text, environment text, place int, kind text,
      amount numeric, "invoiceId" text, "happenedAt" timestamptz, actor text, reason text)`;
}

export type GrantRow = {
  place: number;
  grantId: string;
  kind: GrantKind;
  currency: string;
  granted: Minor;
  left: Minor;
  priority: number;
  effectiveAt: Date;
  expiresAt: Date | null;
  reason: string;
  invoiceId: string | null;
  invoiceNumber: string | null;
  grantedBy: string;
  grantedAt: Date;
};

/** How many grants a list shows; those with something left come first. */
const GRANTS_MAX = 200;

/** The grants of an account: those with something left first, then the newest. */
export async function listGrants(
  tx: Tx,
  { tenantId, environment }: AccountKey,
): Promise<GrantRow[]> {
  return await tx<GrantRow[]>`
    select g.place, g.grant_id as "grantId", g.kind, g.currency, g.granted::text as granted, l."left"::text as "left", g.priority,
      g.effective_at as "effectiveAt", g.expires_at as "expiresAt", g.reason, g.invoice_id as "invoiceId",
      i.number as "invoiceNumber", g.granted_by as "grantedBy", l.granted_at as "grantedAt"
    from credit_grants g
      cross join lateral (
        select coalesce(sum(e.amount), 0) as "left", min(e.happened_at) as granted_at
        from credit_entries e
        where e.tenant_id = g.tenant_id and e.environment = g.environment and e.place = g.place
      ) l
      left join invoices i on i.invoice_id = g.invoice_id
    where g.tenant_id = ${tenantId} and g.environment = ${environment}
    order by l."left" = 0, g.place desc
    limit ${GRANTS_MAX}`;
}

/** Finds a grant by its id or by its reference. */
export async function findGrant(
  tx: Tx,
  { tenantId, environment }: AccountKey,
  by: { grantId: string } | { reference: string },
): Promise<{ place: number; grantId: string } | undefined> {
  const [row] = await tx<{ place: number; grantId: string }[]>`
    select place, grant_id as "grantId" from credit_grants
    where tenant_id = ${tenantId} and environment = ${environment}
      and ${"grantId" in by ? tx`grant_id = ${by.grantId}` : tx`reference = ${by.reference}`}`;
  return row;
}

export type EntryRow = {
  entryId: string;
  grantId: string;
  grantKind: GrantKind;
  currency: string;
  kind: CreditEntryKind;
  amount: Minor;
  happenedAt: Date;
  invoiceId: string | null;
  invoiceNumber: string | null;
  reason: string;
  actor: string;
};

/** What happened to the credit of an account, newest first, before an entry. */
export async function listEntries(
  tx: Tx,
  { tenantId, environment }: AccountKey,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<EntryRow[]> {
  return await tx<EntryRow[]>`
    select e.entry_id::text as "entryId", g.grant_id as "grantId", g.kind as "grantKind", g.currency, e.kind,
      e.amount::text as amount, e.happened_at as "happenedAt", e.invoice_id as "invoiceId", i.number as "invoiceNumber",
      coalesce(e.reason, g.reason) as reason, e.actor
    from credit_entries e
      join credit_grants g using (tenant_id, environment, place)
      left join invoices i on i.invoice_id = e.invoice_id
    where e.tenant_id = ${tenantId} and e.environment = ${environment}
      ${before === undefined ? tx`` : tx`and e.entry_id < ${before}::bigint`}
    order by e.entry_id desc
    limit ${limit}`;
}

export type AutomaticTopUpRow = AccountKey & {
  threshold: Minor;
  amount: Minor;
  monthLimit: Minor;
};

function automaticColumns(tx: Tx) {
  return tx`tenant_id as "tenantId", environment, threshold::text as threshold, amount::text as amount,
    month_limit::text as "monthLimit"`;
}

export async function findAutomaticTopUp(
  tx: Tx,
  { tenantId, environment }: AccountKey,
): Promise<AutomaticTopUpRow | undefined> {
  const [row] = await tx<AutomaticTopUpRow[]>`
    select ${automaticColumns(tx)} from automatic_top_ups where tenant_id = ${tenantId} and environment = ${environment}`;
  return row;
}

export async function putAutomaticTopUp(
  tx: Tx,
  row: AutomaticTopUpRow & { updatedBy: string },
  now: Date,
): Promise<void> {
  const { tenantId, environment, threshold, amount, monthLimit, updatedBy } = row;
  const values = {
    tenant_id: tenantId,
    environment,
    threshold,
    amount,
    month_limit: monthLimit,
    updated_at: now,
    updated_by: updatedBy,
  };
  await tx`
    insert into automatic_top_ups ${tx(values)}
    on conflict (tenant_id, environment) do update set ${tx(values)}`;
}

/** @returns Rows removed. */
export async function deleteAutomaticTopUps(
  tx: Tx,
  { tenantId, environment }: { tenantId: TenantId; environment?: AccountKey["environment"] },
): Promise<number> {
  const rows = await tx`
    delete from automatic_top_ups
    where tenant_id = ${tenantId} ${environment === undefined ? tx`` : tx`and environment = ${environment}`}
    returning 1`;
  return rows.length;
}

export type LowAccountRow = AutomaticTopUpRow & {
  currency: string;
  /** What is left of its credit by the ledger. */
  left: Minor;
  /** True on a prepaid plan, or before one: what calls have drawn since the last invoice is not in the ledger of credit. */
  isDrawing: boolean;
};

/**
 * Live accounts in which less is left than their customer wants, and all that draw on credit as calls happen, after one of them. Those
 * with an unpaid top-up wait for it.
 */
export async function listLowAccounts(
  tx: Tx,
  { after, limit }: { after: TenantId | undefined; limit: number },
): Promise<LowAccountRow[]> {
  return await tx<LowAccountRow[]>`
    select ${automaticColumns(tx)}, a.currency, l."left"::text as "left", b.is_drawing as "isDrawing"
    from automatic_top_ups t join billing_accounts a using (tenant_id, environment) join tenants using (tenant_id)
      cross join lateral (
        select exists (
          select from spend_budgets s where s.tenant_id = t.tenant_id and s.environment = t.environment and s.credit is not null
        ) as is_drawing
      ) b
      cross join lateral (
        select coalesce(sum(e.amount), 0) as "left"
        from credit_grants g join credit_entries e using (tenant_id, environment, place)
        where g.tenant_id = t.tenant_id and g.environment = t.environment and g.effective_at <= a.advanced_to
          and (g.kind = 'prepaid' or g.invoice_id is not null)
      ) l
    where environment = 'live' and a.life in ('trialing', 'active')
      ${after === undefined ? tx`` : tx`and tenant_id > ${after}`}
      and (b.is_drawing or t.threshold > l."left")
      and not exists (
        select from invoices i
        where i.tenant_id = t.tenant_id and i.environment = t.environment and i.state in ('open', 'uncollectible')
          and i.document ? 'topUp'
      )
    order by tenant_id
    limit ${limit}`;
}

/**
 * Live invoices for credit that are past their due date, and on which nothing was paid, credited or attempted; a transfer that was asked
 * for is waited for no longer than that. One of which the money was taken back after its credit was used is owed.
 */
export async function listLapsedTopUps(
  tx: Tx,
  { now, limit }: { now: Date; limit: number },
): Promise<string[]> {
  const rows = await tx<{ invoiceId: string }[]>`
    select i.invoice_id as "invoiceId" from invoices i join tenants t using (tenant_id)
    where i.environment = 'live' and i.state = 'open' and i.document ? 'topUp' and i.due_at <= ${now} and i.paid = 0
      and i.credited = 0
      and not exists (
        select from payment_attempts a
        where a.invoice_id = i.invoice_id and a.state in ('pending', 'action_required', 'processing', 'unknown')
          and a.provider <> 'manual'
      )
      and 0 <= (
        select coalesce(sum(e.amount), 0)
        from credit_grants g join credit_entries e using (tenant_id, environment, place)
        where g.tenant_id = i.tenant_id and g.environment = i.environment and g.invoice_id = i.invoice_id
          and e.kind in ('burned', 'returned')
      )
    order by i.due_at
    limit ${limit}`;
  return rows.map(({ invoiceId }) => invoiceId);
}

/** What was invoiced by itself since an instant, and neither voided nor credited. */
export async function sumAutomaticTopUps(
  tx: Tx,
  { tenantId, environment }: AccountKey,
  since: Date,
): Promise<bigint> {
  const [row] = await tx<[{ sum: string }]>`
    select coalesce(sum(l.amount - l.credited), 0)::text as sum
    from billing_events e
      join invoices i on i.tenant_id = e.tenant_id and i.environment = e.environment
        and i.document ->> 'topUp' = e.details ->> 'topUp'
      join invoice_lines l on l.invoice_id = i.invoice_id
    where e.tenant_id = ${tenantId} and e.environment = ${environment} and e.kind = 'top_up.automatic'
      and e.happened_at >= ${since} and i.state <> 'void' and l.kind = 'topUp'`;
  return BigInt(row.sum);
}
