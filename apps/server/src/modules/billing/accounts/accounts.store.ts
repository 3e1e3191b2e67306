import { instantsLiteral } from "@turnpike/db/array-literal";
import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import type { Json } from "#platform/exact-json.ts";

/** Identifies an account. */
export type AccountKey = { tenantId: TenantId; environment: Environment };

export type AccountRow = AccountKey & {
  tenantName: string;
  /** A whole number, as text. */
  revision: string;
  currency: string;
  state: Json;
  beginsAt: Date;
  advancedTo: Date;
  fedTo: Date;
  aheadMs: number;
  dueAt: Date | null;
  events: number;
  life: "scheduled" | "trialing" | "active" | "paused" | "ended";
  planId: string;
  planVersion: number;
  periodFrom: Date;
  periodTo: Date;
};

/** An account as it is stored. */
export type StoredAccount = AccountRow & {
  /** Since when it waits for the operator before a period can be closed; null for one that does not. */
  heldSince: Date | null;
};

function columns(tx: Tx) {
  return tx`a.tenant_id as "tenantId", a.environment, a.revision::text as revision, a.currency, a.state,
    a.begins_at as "beginsAt", a.advanced_to as "advancedTo", a.fed_to as "fedTo", a.ahead_ms::float8 as "aheadMs",
    a.due_at as "dueAt", a.events, a.life, a.plan_id as "planId", a.plan_version as "planVersion",
    a.period_from as "periodFrom", a.period_to as "periodTo", a.held_since as "heldSince", t.name as "tenantName"`;
}

function toArrays(keys: readonly AccountKey[]) {
  return {
    tenants: keys.map(({ tenantId }) => tenantId),
    environments: keys.map(({ environment }) => environment),
  };
}

/** The accounts that exist of those that are named, in no order. */
export async function listAccounts(tx: Tx, keys: readonly AccountKey[]): Promise<StoredAccount[]> {
  const { tenants, environments } = toArrays(keys);
  return await tx<StoredAccount[]>`
    select ${columns(tx)}
    from unnest(${tenants}::text[], ${environments}::text[]) as asked (tenant_id, environment)
      join billing_accounts a using (tenant_id, environment) join tenants t using (tenant_id)`;
}

/**
 * The same, locked until the end of the transaction, so that changes of an account take turns. A tenant without an account is locked
 * by its entitlement.
 */
export async function lockAccount(tx: Tx, key: AccountKey): Promise<StoredAccount | undefined> {
  await tx`select 1 from tenant_entitlements where tenant_id = ${key.tenantId} for no key update`;
  const [row] = await tx<StoredAccount[]>`
    select ${columns(tx)} from billing_accounts a join tenants t using (tenant_id)
    where a.tenant_id = ${key.tenantId} and a.environment = ${key.environment}
    for no key update of a`;
  return row;
}

/**
 * Locks the entitlements of tenants until the end of the transaction, in one order. Every change of an account takes this lock before
 * that of the account, so that a closing and a change by a person cannot wait for each other.
 */
export async function lockEntitlements(tx: Tx, keys: readonly AccountKey[]): Promise<void> {
  await tx`
    select 1 from tenant_entitlements
    where tenant_id = any(${keys.map(({ tenantId }) => tenantId)}::text[])
    order by tenant_id
    for no key update`;
}

/**
 * Lets the live account of a tenant on a prepaid plan be closed with the next run, because what its credit pays for has become another
 * sum. A closing that runs has read what was before, so it counts as a change. Needs the operator role.
 */
export async function hastenPrepaid(tx: Tx, tenantId: TenantId, now: Date): Promise<void> {
  await tx`
    update billing_accounts set revision = revision + 1, due_at = least(due_at, ${now})
    where tenant_id = ${tenantId} and environment = 'live'
      and exists (select from spend_budgets b where b.tenant_id = ${tenantId} and b.environment = 'live' and b.credit is not null)`;
}

/**
 * Accounts for which something is due, the longest overdue first. Those of deleted tenants wait until the tenant is restored, and those
 * whose history is being written until it is.
 */
export async function listDueAccounts(
  tx: Tx,
  { now, limit }: { now: Date; limit: number },
): Promise<AccountKey[]> {
  return await tx<AccountKey[]>`
    select a.tenant_id as "tenantId", a.environment
    from billing_accounts a join tenants t using (tenant_id)
    where a.due_at <= ${now}
      and not exists (select from closing_pauses p where p.tenant_id = a.tenant_id and p.until > ${now})
    order by a.due_at, a.tenant_id, a.environment
    limit ${limit}`;
}

/** Usage of one minute, in units. */
export type UsageRow = AccountKey & { meterId: string; minute: Date; quantity: string };

/** Usage of an account that happened from an instant on, and was recorded in the range `(recordedAfter, recordedTo]`. */
export type UsageWindow = AccountKey & {
  happenedFrom: Date;
  recordedAfter: Date;
  recordedTo: Date;
};

/** Usage in windows, of which those of one account do not overlap; in the order of time. */
export async function listUsage(tx: Tx, windows: readonly UsageWindow[]): Promise<UsageRow[]> {
  const { tenants, environments } = toArrays(windows);
  const instants = (of: "happenedFrom" | "recordedAfter" | "recordedTo") =>
    tx`${instantsLiteral(windows.map((window) => window[of].getTime()))}::text::timestamptz[]`;
  return await tx<UsageRow[]>`
    select asked.tenant_id as "tenantId", asked.environment, u.meter_id as "meterId", u.minute, u.quantity::text as quantity
    from unnest(${tenants}::text[], ${environments}::text[], ${instants("happenedFrom")}, ${instants("recordedAfter")},
        ${instants("recordedTo")}) as asked (tenant_id, environment, happened_from, recorded_after, recorded_to)
      cross join lateral (
        select e.meter_id, date_trunc('minute', e.occurred_at) as minute, sum(e.quantity) as quantity
        from ledger_entries e
        where e.tenant_id = asked.tenant_id and e.environment = asked.environment
          and e.recorded_at > asked.recorded_after and e.recorded_at <= asked.recorded_to
          and e.occurred_at >= asked.happened_from and e.quantity > 0
        group by 1, 2
      ) u
    order by u.minute`;
}

export type PeriodRow = AccountKey & { stretch: Json; billedTo: Date };

/** Charged stretches of metered cards that hold an instant of a range, for usage that was recorded late. */
export async function listBilledPeriods(
  tx: Tx,
  ranges: readonly (AccountKey & { from: Date; to: Date })[],
): Promise<PeriodRow[]> {
  const { tenants, environments } = toArrays(ranges);
  return await tx<PeriodRow[]>`
    select p.tenant_id as "tenantId", p.environment, p.stretch, p.billed_to as "billedTo"
    from unnest(${tenants}::text[], ${environments}::text[], ${instantsLiteral(ranges.map(({ from }) => from.getTime()))}::text::timestamptz[],
        ${instantsLiteral(ranges.map(({ to }) => to.getTime()))}::text::timestamptz[]) as asked (tenant_id, environment, from_at, to_at)
      join billed_periods p on p.tenant_id = asked.tenant_id and p.environment = asked.environment
        and p.from_at <= asked.to_at and p.to_at > asked.from_at
    order by p.run, p.card, p.from_at`;
}

/** An account as it is written. `revision` is the one it was loaded with; null for a new one. */
export type AccountWrite = Omit<AccountRow, "revision" | "tenantName"> & {
  revision: string | null;
};

type Written = { tenantId: TenantId; environment: Environment };

/**
 * Writes accounts that nothing else has changed since they were loaded.
 *
 * @returns Those that were written. The others have changed: load them again.
 */
export async function writeAccounts(
  tx: Tx,
  rows: readonly AccountWrite[],
  now: Date,
): Promise<AccountKey[]> {
  const input = tx.json(
    rows.map((row) => ({
      ...row,
      beginsAt: row.beginsAt.toISOString(),
      advancedTo: row.advancedTo.toISOString(),
      fedTo: row.fedTo.toISOString(),
      dueAt: row.dueAt?.toISOString() ?? null,
      periodFrom: row.periodFrom.toISOString(),
      periodTo: row.periodTo.toISOString(),
    })) as never,
  );
  const record = tx`json_to_recordset(${input}::json) as n ("tenantId" text, environment text, revision bigint, currency text,
    state jsonb, "beginsAt" timestamptz, "advancedTo" timestamptz, "fedTo" timestamptz, "aheadMs" bigint, "dueAt" timestamptz,
    events int, life text, "planId" text, "planVersion" int, "periodFrom" timestamptz, "periodTo" timestamptz)`;
  const updated = await tx<Written[]>`
    update billing_accounts a
    set revision = a.revision + 1, state = n.state, advanced_to = n."advancedTo", fed_to = n."fedTo", ahead_ms = n."aheadMs",
      due_at = n."dueAt", events = n.events, life = n.life, plan_id = n."planId", plan_version = n."planVersion",
      period_from = n."periodFrom", period_to = n."periodTo",
      -- An account for which no time has passed waits on.
      held_reason = case when n."advancedTo" > a.advanced_to then null else a.held_reason end,
      held_since = case when n."advancedTo" > a.advanced_to then null else a.held_since end
    from ${record}
    where a.tenant_id = n."tenantId" and a.environment = n.environment and a.revision = n.revision
    returning a.tenant_id as "tenantId", a.environment`;
  if (rows.every(({ revision }) => revision !== null)) {
    return [...updated];
  }
  const inserted = await tx<Written[]>`
    insert into billing_accounts (tenant_id, environment, revision, currency, state, begins_at, advanced_to, fed_to, ahead_ms,
      due_at, events, life, plan_id, plan_version, period_from, period_to, created_at)
    select n."tenantId", n.environment, 1, n.currency, n.state, n."beginsAt", n."advancedTo", n."fedTo", n."aheadMs", n."dueAt",
      n.events, n.life, n."planId", n."planVersion", n."periodFrom", n."periodTo", ${now}
    from ${record}
    where n.revision is null
    on conflict do nothing
    returning tenant_id as "tenantId", environment`;
  return [...updated, ...inserted];
}

export type PeriodWrite = AccountKey & {
  run: number;
  card: string;
  from: Date;
  to: Date;
  meterId: string;
  stretch: Json;
  billedTo: Date;
};

/** Writes charged stretches: new ones, and those to which late usage was added. */
export async function writeBilledPeriods(tx: Tx, rows: readonly PeriodWrite[]): Promise<void> {
  if (rows.length === 0) {
    return;
  }
  const input = tx.json(
    rows.map((row) => ({
      ...row,
      from: row.from.toISOString(),
      to: row.to.toISOString(),
      billedTo: row.billedTo.toISOString(),
    })) as never,
  );
  await tx`
    insert into billed_periods (tenant_id, environment, run, card, from_at, to_at, meter_id, stretch, billed_to)
    select n."tenantId", n.environment, n.run, n.card, n."from", n."to", n."meterId", n.stretch, n."billedTo"
    from json_to_recordset(${input}::json) as n ("tenantId" text, environment text, run int, card text, "from" timestamptz,
      "to" timestamptz, "meterId" text, stretch jsonb, "billedTo" timestamptz)
    on conflict (tenant_id, environment, run, card, from_at) do update
      set stretch = excluded.stretch, billed_to = excluded.billed_to`;
}

export type EventWrite = AccountKey & {
  sequence: number;
  happenedAt: Date;
  kind: string;
  details: { [member: string]: Json };
  actor: string;
};

export async function insertEvents(tx: Tx, rows: readonly EventWrite[], now: Date): Promise<void> {
  if (rows.length === 0) {
    return;
  }
  const input = tx.json(
    rows.map((row) => ({ ...row, happenedAt: row.happenedAt.toISOString() })) as never,
  );
  await tx`
    insert into billing_events (tenant_id, environment, sequence, happened_at, recorded_at, kind, details, actor)
    select n."tenantId", n.environment, n.sequence, n."happenedAt", ${now}, n.kind, n.details, n.actor
    from json_to_recordset(${input}::json) as n ("tenantId" text, environment text, sequence int, "happenedAt" timestamptz,
      kind text, details jsonb, actor text)`;
}

/** True when a quote was confirmed before. */
export async function hasConfirmed(tx: Tx, key: AccountKey, hash: string): Promise<boolean> {
  const rows = await tx`
    select 1 from billing_events
    where tenant_id = ${key.tenantId} and environment = ${key.environment} and details ->> 'hash' = ${hash}
    limit 1`;
  return rows.length > 0;
}

export type EventRow = {
  sequence: number;
  happenedAt: Date;
  recordedAt: Date;
  kind: string;
  details: { [member: string]: Json };
  actor: string;
  /** Of the invoice that it is about; null when it is about none. */
  invoiceNumber: string | null;
};

/** What happened to an account, newest first, before a place in the list. */
export async function listEvents(
  tx: Tx,
  { tenantId, environment }: AccountKey,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<EventRow[]> {
  return await tx<EventRow[]>`
    select e.sequence, e.happened_at as "happenedAt", e.recorded_at as "recordedAt", e.kind, e.details, e.actor,
      i.number as "invoiceNumber"
    from billing_events e
      left join invoices i on i.tenant_id = e.tenant_id and i.invoice_id = e.details ->> 'invoiceId'
    where e.tenant_id = ${tenantId} and e.environment = ${environment}
      ${before === undefined ? tx`` : tx`and e.sequence < ${before}`}
    order by e.sequence desc
    limit ${limit}`;
}

/** Accounts of an environment by tenant, after one of them. */
export async function listAccountsAfter(
  tx: Tx,
  input: {
    environment: Environment;
    planId?: string | undefined;
    life?: string | undefined;
    after: TenantId | undefined;
    limit: number;
  },
): Promise<(AccountKey & { tenantName: string })[]> {
  const { environment, planId, life, after, limit } = input;
  return await tx<(AccountKey & { tenantName: string })[]>`
    select a.tenant_id as "tenantId", a.environment, t.name as "tenantName"
    from billing_accounts a join tenants t using (tenant_id)
    where a.environment = ${environment}
      ${planId === undefined ? tx`` : tx`and a.plan_id = ${planId}`}
      ${life === undefined ? tx`` : tx`and a.life = ${life}`}
      ${after === undefined ? tx`` : tx`and a.tenant_id > ${after}`}
    order by a.tenant_id
    limit ${limit}`;
}

/** Removes the account of a tenant whose data is removed. Its documents stay: the law asks for them. @returns Rows removed. */
export async function deleteAccounts(tx: Tx, tenantId: TenantId): Promise<number> {
  await tx`delete from coupon_redemptions where tenant_id = ${tenantId}`;
  const periods = await tx`delete from billed_periods where tenant_id = ${tenantId} returning 1`;
  const accounts = await tx`delete from billing_accounts where tenant_id = ${tenantId} returning 1`;
  const shifts =
    await tx`delete from sandbox_usage_shifts where tenant_id = ${tenantId} returning 1`;
  return periods.length + accounts.length + shifts.length;
}
