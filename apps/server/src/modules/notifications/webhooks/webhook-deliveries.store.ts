import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { INSTALLATION, type WebhookOwner } from "./webhook-owner.ts";

export type OutboxRow = {
  message_id: string;
  event_type: string;
  payload: string;
  created_at: Date;
};

export type DeliveryState = "pending" | "succeeded" | "failed";

export type DeliveryRow = {
  tenant_id: WebhookOwner;
  webhook_id: string;
  message_id: string;
  event_type: string;
  payload: string;
  state: DeliveryState;
  attempts: number;
  failed_attempts: number;
  next_attempt_at: Date;
  claimed_until: Date | null;
  last_status: number | null;
  created_at: Date;
  finished_at: Date | null;
};

export type AttemptRow = {
  attempt: number;
  started_at: Date;
  duration_ms: number;
  status: number | null;
  error: string | null;
  response: string;
};

/** Identifies a delivery. */
export type DeliveryName = { webhookId: string; messageId: string };

const COLUMNS = [
  "tenant_id",
  "webhook_id",
  "message_id",
  "event_type",
  "payload",
  "state",
  "attempts",
  "failed_attempts",
  "next_attempt_at",
  "claimed_until",
  "last_status",
  "created_at",
  "finished_at",
] as const;

export async function insertOutboxRows(
  tx: Tx,
  rows: readonly (OutboxRow & { tenant_id: TenantId })[],
): Promise<void> {
  await tx`
    insert into webhook_outbox ${tx(rows, "tenant_id", "message_id", "event_type", "payload", "created_at")}`;
}

/**
 * Turns messages in the outbox into deliveries, one for each enabled endpoint of the tenant or the installation that subscribes to
 * them, and removes them from the outbox, in one statement. Takes the oldest of each tenant in turn, so that a tenant with many
 * delays no other. Needs the operator role.
 *
 * @returns How many messages. Skips those that another process is taking.
 */
export async function handOnMessages(tx: Tx, now: Date, limit: number): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    with recursive owners as (
      (select tenant_id from webhook_outbox order by tenant_id limit 1)
      union all
      select n.tenant_id from owners o cross join lateral (
        select tenant_id from webhook_outbox where tenant_id > o.tenant_id order by tenant_id limit 1
      ) n
    ), turns as (
      select m.tenant_id, m.message_id, row_number() over (partition by m.tenant_id order by m.message_id) as turn
      from owners o cross join lateral (
        select tenant_id, message_id from webhook_outbox where tenant_id = o.tenant_id order by message_id limit ${limit}
      ) m
      order by turn, message_id limit ${limit}
    ), oldest as (
      select m.tenant_id, m.message_id from webhook_outbox m join turns using (tenant_id, message_id)
      for update of m skip locked
    ), taken as (
      delete from webhook_outbox o using oldest
      where o.tenant_id = oldest.tenant_id and o.message_id = oldest.message_id
      returning o.*
    ), made as (
      insert into webhook_deliveries
        (tenant_id, webhook_id, message_id, event_type, payload, state, next_attempt_at, created_at)
      select e.tenant_id, e.webhook_id, t.message_id, t.event_type, t.payload, 'pending', ${now}::timestamptz, t.created_at
      from taken t
      join webhook_endpoints e on e.tenant_id in (t.tenant_id, ${INSTALLATION})
      -- What happened before an endpoint was added is none of its business.
      where e.state = 'enabled' and e.created_at <= t.created_at and e.event_types && array['*', t.event_type]
    )
    select count(*)::int as count from taken`;
  return row?.count ?? 0;
}

/** An enabled endpoint with deliveries that are due. */
export type DueEndpoint = { tenant_id: WebhookOwner; webhook_id: string; due: number };

/**
 * Lists the endpoints to which something could be sent now, longest due first, with how many messages: no more than the rest of
 * `perEndpoint`, which counts the claims of all processes. Needs the operator role.
 *
 * Walks endpoints through an index, so that a long queue of one endpoint does not hide the others.
 */
export async function listDueEndpoints(
  tx: Tx,
  input: { now: Date; perEndpoint: number },
): Promise<DueEndpoint[]> {
  const { now, perEndpoint } = input;
  return await tx<DueEndpoint[]>`
    with recursive waiting as (
      (select tenant_id, webhook_id from webhook_deliveries where state = 'pending'
        order by tenant_id, webhook_id limit 1)
      union all
      select n.tenant_id, n.webhook_id from waiting w cross join lateral (
        select tenant_id, webhook_id from webhook_deliveries
        where state = 'pending' and (tenant_id, webhook_id) > (w.tenant_id, w.webhook_id)
        order by tenant_id, webhook_id limit 1
      ) n
    )
    select e.tenant_id, e.webhook_id, due.count as due
    from webhook_endpoints e
    join waiting w using (tenant_id, webhook_id)
    cross join lateral (
      select count(*)::int as count, min(next_attempt_at) as since from (
        select next_attempt_at from webhook_deliveries d
        where d.tenant_id = e.tenant_id and d.webhook_id = e.webhook_id and d.state = 'pending'
          and d.next_attempt_at <= ${now}::timestamptz
        order by next_attempt_at
        limit (
          select greatest(0, ${perEndpoint}::int - count(*)) from webhook_deliveries c
          where c.tenant_id = e.tenant_id and c.webhook_id = e.webhook_id and c.claimed_until > ${now}::timestamptz)
      ) d
    ) due
    where e.state = 'enabled' and (e.paused_until is null or e.paused_until <= ${now}::timestamptz) and due.count > 0
    order by due.since`;
}

/**
 * Claims due deliveries of these endpoints until `until`, longest due first: of each owner at most what `perOwner` allots, of each
 * endpoint at most `perEndpoint` at once over all processes. An expired claim makes a delivery due again. Needs the operator role.
 */
export async function claimDeliveries(
  tx: Tx,
  input: {
    now: Date;
    until: Date;
    endpoints: readonly Pick<DueEndpoint, "tenant_id" | "webhook_id">[];
    perOwner: ReadonlyMap<string, number>;
    perEndpoint: number;
  },
): Promise<DeliveryRow[]> {
  const { now, until, endpoints, perOwner } = input;
  return await tx<DeliveryRow[]>`
    with ready as (
      select e.tenant_id, e.webhook_id from webhook_endpoints e
      join unnest(${endpoints.map((one) => one.tenant_id)}::text[], ${endpoints.map((one) => one.webhook_id)}::text[])
        w (tenant_id, webhook_id) using (tenant_id, webhook_id)
      where e.state = 'enabled' and (e.paused_until is null or e.paused_until <= ${now}::timestamptz)
      for no key update of e skip locked
    ), picked as (
      select d.*, row_number() over (partition by d.tenant_id order by d.next_attempt_at) as turn
      from ready r cross join lateral (
        select tenant_id, webhook_id, message_id, next_attempt_at from webhook_deliveries d
        where d.tenant_id = r.tenant_id and d.webhook_id = r.webhook_id and d.state = 'pending'
          and d.next_attempt_at <= ${now}::timestamptz
        order by next_attempt_at
        limit (
          select greatest(0, ${input.perEndpoint}::int - count(*)) from webhook_deliveries c
          where c.tenant_id = r.tenant_id and c.webhook_id = r.webhook_id and c.claimed_until > ${now}::timestamptz)
      ) d
    )
    update webhook_deliveries d set claimed_until = ${until}::timestamptz, next_attempt_at = ${until}::timestamptz
    from picked p
    join unnest(${[...perOwner.keys()]}::text[], ${[...perOwner.values()]}::int[]) a (tenant_id, permits)
      on a.tenant_id = p.tenant_id and p.turn <= a.permits
    where d.tenant_id = p.tenant_id and d.webhook_id = p.webhook_id and d.message_id = p.message_id
      -- Another process may have claimed it since it was read, and released the lock of its endpoint.
      and d.state = 'pending' and d.next_attempt_at <= ${now}::timestamptz
    returning ${tx(COLUMNS.map((column) => `d.${column}`))}`;
}

/** True while the claim until `claimedUntil` is still the current one. */
export async function isClaimed(
  tx: Tx,
  row: Pick<DeliveryRow, "tenant_id" | "webhook_id" | "message_id" | "claimed_until">,
): Promise<boolean> {
  const rows = await tx`
    select 1 from webhook_deliveries
    where tenant_id = ${row.tenant_id} and webhook_id = ${row.webhook_id} and message_id = ${row.message_id}
      and state = 'pending' and claimed_until = ${row.claimed_until}
    for update`;
  return rows.length === 1;
}

/** Records an attempt and what follows, and releases the claim. Needs the operator role. */
export async function recordAttempt(
  tx: Tx,
  row: Pick<DeliveryRow, "tenant_id" | "webhook_id" | "message_id">,
  input: {
    attempt: AttemptRow;
    state: DeliveryState;
    failedAttempts: number;
    nextAttemptAt: Date;
    finishedAt: Date | null;
  },
): Promise<void> {
  const { attempt } = input;
  await tx`
    insert into webhook_attempts
      (tenant_id, webhook_id, message_id, attempt, started_at, duration_ms, status, error, response)
    values (${row.tenant_id}, ${row.webhook_id}, ${row.message_id}, ${attempt.attempt}, ${attempt.started_at},
      ${attempt.duration_ms}, ${attempt.status}, ${attempt.error}, ${attempt.response})`;
  await tx`
    update webhook_deliveries
    set state = ${input.state}, attempts = ${attempt.attempt}, failed_attempts = ${input.failedAttempts},
      next_attempt_at = ${input.nextAttemptAt}, claimed_until = null, last_status = ${attempt.status},
      finished_at = ${input.finishedAt}
    where tenant_id = ${row.tenant_id} and webhook_id = ${row.webhook_id} and message_id = ${row.message_id}`;
}

/** Fails the waiting deliveries of an endpoint that gets nothing more. */
export async function failPendingDeliveries(
  tx: Tx,
  owner: WebhookOwner,
  input: { webhookId: string; now: Date },
): Promise<void> {
  await tx`
    update webhook_deliveries set state = 'failed', claimed_until = null, finished_at = ${input.now}
    where tenant_id = ${owner} and webhook_id = ${input.webhookId} and state = 'pending'`;
}

export async function insertDelivery(
  tx: Tx,
  owner: WebhookOwner,
  row: OutboxRow & { webhook_id: string },
): Promise<DeliveryRow | undefined> {
  const [delivery] = await tx<DeliveryRow[]>`
    insert into webhook_deliveries
      (tenant_id, webhook_id, message_id, event_type, payload, state, next_attempt_at, created_at)
    values (${owner}, ${row.webhook_id}, ${row.message_id}, ${row.event_type}, ${row.payload}, 'pending',
      ${row.created_at}, ${row.created_at})
    returning ${tx(COLUMNS)}`;
  return delivery;
}

/** Newest first. */
export async function listDeliveryRows(
  tx: Tx,
  owner: WebhookOwner,
  page: {
    webhookId: string;
    state: DeliveryState | undefined;
    beforeId: string | undefined;
    limit: number;
  },
): Promise<DeliveryRow[]> {
  const before = page.beforeId ?? null;
  const ofState =
    page.state === undefined
      ? tx``
      : page.state === "failed"
        ? tx`and state = 'failed'`
        : tx`and state = ${page.state}`;
  return await tx<DeliveryRow[]>`
    select ${tx(COLUMNS)} from webhook_deliveries
    where tenant_id = ${owner} and webhook_id = ${page.webhookId} ${ofState}
      and (${before}::text is null or message_id < ${before})
    order by message_id desc
    limit ${page.limit}`;
}

export async function findDeliveryRow(
  tx: Tx,
  owner: WebhookOwner,
  { webhookId, messageId }: DeliveryName,
): Promise<DeliveryRow | undefined> {
  const [row] = await tx<DeliveryRow[]>`
    select ${tx(COLUMNS)} from webhook_deliveries
    where tenant_id = ${owner} and webhook_id = ${webhookId} and message_id = ${messageId}`;
  return row;
}

/** Newest first. */
export async function listAttemptRows(
  tx: Tx,
  owner: WebhookOwner,
  { webhookId, messageId }: DeliveryName,
  limit: number,
): Promise<AttemptRow[]> {
  return await tx<AttemptRow[]>`
    select attempt, started_at, duration_ms, status, error, response from webhook_attempts
    where tenant_id = ${owner} and webhook_id = ${webhookId} and message_id = ${messageId}
    order by attempt desc
    limit ${limit}`;
}

/** Starts a delivery over, unless it is claimed right now. @returns The updated row. */
export async function restartDelivery(
  tx: Tx,
  owner: WebhookOwner,
  { webhookId, messageId, now }: DeliveryName & { now: Date },
): Promise<DeliveryRow | undefined> {
  await tx`
    update webhook_deliveries
    set state = 'pending', failed_attempts = 0, next_attempt_at = ${now}, finished_at = null, claimed_until = null
    where tenant_id = ${owner} and webhook_id = ${webhookId} and message_id = ${messageId}
      and (claimed_until is null or claimed_until <= ${now})`;
  return await findDeliveryRow(tx, owner, { webhookId, messageId });
}

/** Starts over deliveries that failed for good since a given time, oldest first. @returns How many. */
export async function restartFailedDeliveries(
  tx: Tx,
  owner: WebhookOwner,
  input: { webhookId: string; since: Date; now: Date; limit: number },
): Promise<number> {
  const result = await tx`
    update webhook_deliveries d
    set state = 'pending', failed_attempts = 0, next_attempt_at = ${input.now}, finished_at = null
    from (
      select message_id from webhook_deliveries
      where tenant_id = ${owner} and webhook_id = ${input.webhookId} and state = 'failed'
        and finished_at >= ${input.since}
      order by message_id
      limit ${input.limit}
    ) failed
    where d.tenant_id = ${owner} and d.webhook_id = ${input.webhookId} and d.message_id = failed.message_id`;
  return result.count;
}

/** Of all owners, oldest first, at most `limit`. Needs the operator role. @returns How many were deleted. */
export async function deleteDeliveriesBefore(tx: Tx, before: Date, limit: number): Promise<number> {
  const result = await tx`
    delete from webhook_deliveries d using (
      select tenant_id, webhook_id, message_id from webhook_deliveries
      where created_at < ${before} and state <> 'pending'
      order by created_at limit ${limit}
    ) old
    where d.tenant_id = old.tenant_id and d.webhook_id = old.webhook_id and d.message_id = old.message_id`;
  return result.count;
}
