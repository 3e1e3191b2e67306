import type { Tx } from "@turnpike/db/client";

/** What is copied to: part of the name of its table, and the last number of a copy. */
export type Feed = { feed_id: string; last_copy: bigint };

export async function findFeed(tx: Tx): Promise<Feed | undefined> {
  const [feed] = await tx<Feed[]>`select feed_id, last_copy from usage_feed`;
  return feed;
}

/** Begins to copy from nothing, to a place of its own: every hour that has usage is to be copied. */
export async function beginFeed(tx: Tx, feedId: string): Promise<void> {
  await tx`
    insert into usage_feed (feed_id) values (${feedId})
    on conflict (is_only) do update set feed_id = excluded.feed_id, last_copy = 0`;
  await tx`delete from usage_copies`;
  await tx`
    insert into changed_hours as h (occurred_at)
    select distinct occurred_at from usage_rollups_hourly order by 1
    on conflict (occurred_at) do nothing`;
  // In the order of those that change hours, so that no two wait for each other.
  await tx`select from changed_hours order by occurred_at for update`;
  await tx`update changed_hours set copied_changes = null, copy = null where copy is not null`;
}

/** Takes the lock of the one process that copies, until the transaction ends. @returns False when another one has it. */
export async function lockCopying(tx: Tx): Promise<boolean> {
  const [row] = await tx<{ is_mine: boolean }[]>`
    select pg_try_advisory_xact_lock(7163031) as is_mine`;
  return row?.is_mine ?? false;
}

/** Counts hours that are to be copied, and all hours. */
export async function countHours(tx: Tx): Promise<{ waiting: number; all: number }> {
  const [row] = await tx<{ waiting: number; all: number }[]>`
    select count(*) filter (where copied_changes is distinct from changes)::int as waiting, count(*)::int as all
    from changed_hours`;
  return row ?? { waiting: 0, all: 0 };
}

/** The hours to copy next, the latest first: people mostly ask about them. */
export async function listHoursToCopy(tx: Tx, hoursMax: number): Promise<Date[]> {
  const rows = await tx<{ occurred_at: Date }[]>`
    select occurred_at from changed_hours where copied_changes is distinct from changes
    order by occurred_at desc limit ${hoursMax}`;
  return rows.map((row) => row.occurred_at);
}

/**
 * Numbers the copies of some hours. They are in order: who sees a number sees all before it.
 *
 * @returns The numbers, in the order of the hours.
 */
export async function numberCopies(tx: Tx, hours: readonly Date[]): Promise<bigint[]> {
  const rows = await tx<{ copy: bigint }[]>`
    with taken as (
      update usage_feed set last_copy = last_copy + ${hours.length} returning last_copy - ${hours.length} as before
    )
    insert into usage_copies (copy, occurred_at)
    select taken.before + hour.n, hour.occurred_at
    from taken, unnest(${hours.map((hour) => hour.toISOString())}::timestamptz[]) with ordinality as hour (occurred_at, n)
    returning copy`;
  return rows.map(({ copy }) => copy).sort((one, other) => Number(one - other));
}

export type HourRow = {
  tenant_id: string;
  occurred_at: Date;
  meter_id: string;
  environment: string;
  key_id: string;
  outcome: string;
  status: number;
  method: string;
  route: string;
  model: string;
  calls: bigint;
  /** Exact decimal. */
  quantity: string;
  bytes_in: bigint;
  bytes_out: bigint;
  /** Packed histogram. */
  latencies: string;
};

/** Reads as of which change some hours are what {@link streamHours} reads in the same snapshot. */
export async function listChanges(
  tx: Tx,
  hours: readonly Date[],
): Promise<{ occurred_at: Date; changes: bigint }[]> {
  return await tx<{ occurred_at: Date; changes: bigint }[]>`
    select occurred_at, changes from changed_hours
    where occurred_at = any(${hours.map((hour) => hour.toISOString())}::timestamptz[])`;
}

/** Reads the rollups of some hours, some rows at a time. */
export function streamHours(
  tx: Tx,
  hours: readonly Date[],
  rowsAtOnce: number,
): AsyncIterable<HourRow[]> {
  const times = hours.map((hour) => hour.getTime());
  // The range prunes partitions and finds the stretch of the table.
  return tx<HourRow[]>`
    select tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method, route, model, calls,
      quantity::text as quantity, bytes_in, bytes_out,
      head || 'e' || length(digits) - length(head) as latencies
    from usage_rollups_hourly,
      -- Written once for each row, which is most of the work: "offset 0" keeps these from being repeated wherever they are named.
      lateral (select latencies::text as digits offset 0) as written,
      lateral (select rtrim(digits, '0') as head offset 0) as short
    where occurred_at >= ${new Date(Math.min(...times))} and occurred_at <= ${new Date(Math.max(...times))}
      and occurred_at = any(${hours.map((hour) => hour.toISOString())}::timestamptz[])
    `.cursor(rowsAtOnce);
}

export type MadeCopy = { occurredAt: Date; changes: bigint; copy: bigint };

/** Makes copies that are whole the current ones of their hours, in a feed that is still the same. */
export async function finishCopies(
  tx: Tx,
  feedId: string,
  copies: readonly MadeCopy[],
): Promise<void> {
  const made = tx`unnest(
    ${copies.map(({ occurredAt }) => occurredAt.toISOString())}::timestamptz[],
    ${copies.map(({ changes }) => String(changes))}::text[]::bigint[],
    ${copies.map(({ copy }) => String(copy))}::text[]::bigint[]) as made (occurred_at, changes, copy)`;
  await tx`
    with feed as (
      select from usage_feed where feed_id = ${feedId} for update
    ), locked as materialized (
      -- In the order of those that change hours, so that no two wait for each other.
      select h.occurred_at from changed_hours h
      where h.occurred_at = any(${copies.map(({ occurredAt }) => occurredAt.toISOString())}::timestamptz[])
      order by h.occurred_at for update
    ), hours as (
      update changed_hours h set copied_changes = made.changes, copy = made.copy
      from ${made} join locked using (occurred_at)
      where h.occurred_at = made.occurred_at and exists (select from feed)
        and (h.copy is null or h.copy < made.copy)
      returning h.occurred_at, h.copy
    )
    update usage_copies c set is_current = c.copy = hours.copy, changed_at = now()
    from hours where c.occurred_at = hours.occurred_at and (c.is_current or c.copy = hours.copy)`;
}

/** Forgets hours that are no longer kept, so that their copies can be deleted. @returns How many. */
export async function dropHoursBefore(tx: Tx, keptFrom: Date): Promise<number> {
  const rows = await tx`
    with dropped as (
      delete from changed_hours where occurred_at < ${keptFrom} returning copy
    ), past as (
      update usage_copies c set is_current = false, changed_at = now()
      from dropped where c.copy = dropped.copy
    )
    select 1 from dropped`;
  return rows.length;
}

/**
 * Lists copies that nothing reads any longer, once the oldest of them is an hour old: each deletion costs the other engine more
 * than the rows that it would have to skip.
 */
export async function listPastCopies(tx: Tx, copiesMax: number): Promise<bigint[]> {
  const rows = await tx<{ copy: bigint }[]>`
    select copy from usage_copies
    where not is_current and changed_at < now() - interval '10 minutes'
      and exists (select from usage_copies where not is_current and changed_at < now() - interval '1 hour')
    order by changed_at limit ${copiesMax}`;
  return rows.map(({ copy }) => copy);
}

export async function forgetCopies(tx: Tx, copies: readonly bigint[]): Promise<void> {
  await tx`delete from usage_copies where copy = any(${copies.map(String)}::text[]::bigint[])`;
}

/** Hours within a range that have to be read here, ascending. */
export async function listUncopiedHours(
  tx: Tx,
  input: { fromMs: number; toMs: number; hoursMax: number },
): Promise<number[]> {
  const rows = await tx<{ occurred_at: Date }[]>`
    select occurred_at from changed_hours
    where copied_changes is distinct from changes
      and occurred_at >= ${new Date(input.fromMs)} and occurred_at < ${new Date(input.toMs)}
    order by occurred_at limit ${input.hoursMax}`;
  return rows.map((row) => row.occurred_at.getTime());
}

/** Copies that must not be read: begun and not finished, or replaced. */
export async function listUnreadCopies(tx: Tx): Promise<bigint[]> {
  const rows = await tx<{ copy: bigint }[]>`select copy from usage_copies where not is_current`;
  return rows.map(({ copy }) => copy);
}

/** The plans of tenants. */
export async function listPlansOfTenants(
  tx: Tx,
): Promise<{ tenant_id: string; plan_id: string }[]> {
  return await tx<{ tenant_id: string; plan_id: string }[]>`
    select tenant_id, plan_id from entitlements`;
}
