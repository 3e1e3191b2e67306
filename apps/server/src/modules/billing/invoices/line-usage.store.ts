import type { Fragment, Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { Json } from "#platform/exact-json.ts";
import type { AccountKey } from "../accounts/accounts.store.ts";

/** The part of the ledger that a line is of. Decimals are text. */
export type LineWindow = AccountKey & {
  meterId: string;
  /** When it happened, `[from, to)`, by the clock of the environment. */
  from: Date;
  to: Date;
  /** When it was recorded, `(recordedAfter, recordedTo]`; null for ever before. */
  recordedAfter: Date | null;
  recordedTo: Date;
  /** Of the units in the order of time: those from here, and those before this. Limits let the first ones through. */
  low: string;
  high: string;
};

export type LineRow = AccountKey & {
  kind: string;
  currency: string;
  quantity: string | null;
  document: Json;
  meterId: string | null;
  from: Date | null;
  to: Date | null;
  recordedAfter: Date | null;
  recordedTo: Date | null;
  /** Units of the same stretch that were let through, when this line is of those beyond a limit; else 0. */
  served: string;
};

/** Finds a line of an invoice of a tenant. */
export async function findLine(
  tx: Tx,
  { tenantId, invoiceId, line }: { tenantId: TenantId; invoiceId: string; line: number },
): Promise<LineRow | undefined> {
  const [row] = await tx<LineRow[]>`
    select l.tenant_id as "tenantId", l.environment, l.kind, i.currency, l.quantity::text as quantity, l.document,
      l.meter_id as "meterId", l.from_at as "from", l.to_at as "to", l.recorded_after as "recordedAfter",
      l.recorded_to as "recordedTo", coalesce((
        select sum(s.quantity) from invoice_lines s
        where s.invoice_id = l.invoice_id and s.run = l.run and s.card = l.card and s.kind = 'usage'
          and s.from_at >= l.from_at and s.to_at <= l.to_at and l.kind = 'beyondCap'
      ), 0)::text as served
    from invoice_lines l join invoices i using (invoice_id)
    where l.tenant_id = ${tenantId} and l.invoice_id = ${invoiceId} and l.line = ${line}`;
  return row;
}

/**
 * When an entry happened. The clock of a sandbox was ahead by what its shifts say; after the last one it is ahead by what the account
 * says.
 */
function happenedAt(tx: Tx, { tenantId, environment }: AccountKey): Fragment {
  return environment === "live"
    ? tx`e.occurred_at`
    : tx`e.occurred_at + interval '1 millisecond' * coalesce(
        (select s.ahead_ms from sandbox_usage_shifts s
          where s.tenant_id = ${tenantId} and s.recorded_to >= e.recorded_at order by s.recorded_to limit 1),
        (select a.ahead_ms from billing_accounts a where a.tenant_id = ${tenantId} and a.environment = ${environment}), 0)`;
}

/**
 * Entries of the window by cell and key: what a key did in an hour, in a sandbox in a minute, whose clock may have moved within the
 * hour. Keys are taken apart where the question needs them, and only in rows of several.
 */
function cellsOf(tx: Tx, window: LineWindow, hasKeys: boolean): Fragment {
  const { tenantId, environment, meterId, from, to, recordedAfter, recordedTo } = window;
  const happened = happenedAt(tx, window);
  const grain = environment === "live" ? "1 hour" : "1 minute";
  const cellOf = (at: Fragment) =>
    tx`date_bin(${grain}::text::interval, ${at}, 'epoch'::timestamptz)`;
  const within = tx`e.tenant_id = ${tenantId} and e.environment = ${environment} and e.meter_id = ${meterId}
    and e.quantity > 0 and e.recorded_at > ${recordedAfter ?? new Date(0)} and e.recorded_at <= ${recordedTo}
    and e.occurred_at < ${to} and ${happened} >= ${from} and ${happened} < ${to}`;
  const times = tx`${cellOf(happened)} as happened, ${cellOf(tx`e.occurred_at`)} as cell`;
  const entries = hasKeys
    ? tx`
      select ${times}, e.key_id, e.quantity from ledger_entries e where ${within} and e.key_id is not null
      union all
      select ${times}, k.key_id, k.quantity
      from ledger_entries e cross join lateral unnest(e.key_ids, e.key_quantities) as k (key_id, quantity)
      where ${within} and e.key_id is null`
    : tx`select ${times}, null::text as key_id, e.quantity from ledger_entries e where ${within}`;
  return tx`
    select happened, cell, key_id, sum(quantity) as quantity from (${entries}) entries group by happened, cell, key_id`;
}

/** A line is of the units between its bounds, in the order of time; within a cell in that of keys. */
function unitsOf(tx: Tx, window: LineWindow, hasKeys: boolean): Fragment {
  const { low, high } = window;
  return tx`
    select happened, cell, key_id, least(upto, ${high}::numeric) - greatest(upto - quantity, ${low}::numeric) as quantity
    from (
      select *, sum(quantity) over (order by happened, cell, key_id rows unbounded preceding) as upto
      from (${cellsOf(tx, window, hasKeys)}) cells
    ) cells
    where upto > ${low}::numeric and upto - quantity < ${high}::numeric`;
}

const HOUR_MS = 60 * 60_000;

/** The same usage as rollups know it, by cell, key, route and model. Whole hours are read by the hour, the ends by the minute. */
function rollupsOf(tx: Tx, window: LineWindow): Fragment {
  const { tenantId, environment, meterId } = window;
  const own = tx`u.tenant_id = ${tenantId} and u.environment = ${environment} and u.meter_id = ${meterId} and u.quantity > 0`;
  const columns = tx`u.key_id, u.method, u.route, u.model, u.quantity`;
  if (environment === "test") {
    return tx`
      select u.occurred_at as cell, ${columns} from usage_by_minute u
      where ${own} and u.minute >= (select min(cell) from units) and u.minute <= (select max(cell) from units)`;
  }
  const [fromMs, toMs] = [window.from.getTime(), window.to.getTime()];
  const firstMs = Math.min(Math.ceil(fromMs / HOUR_MS) * HOUR_MS, toMs);
  const lastMs = Math.max(Math.floor(toMs / HOUR_MS) * HOUR_MS, firstMs);
  const [first, last] = [new Date(firstMs), new Date(lastMs)];
  return tx`
    select u.occurred_at as cell, ${columns} from usage_by_hour u
    where ${own} and u.minute >= ${first} and u.minute < ${last}
    union all
    select date_trunc('hour', u.occurred_at, 'UTC'), ${columns} from usage_by_minute u
    where ${own} and u.minute >= ${window.from} and u.minute < ${first}
    union all
    select date_trunc('hour', u.occurred_at, 'UTC'), ${columns} from usage_by_minute u
    where ${own} and u.minute >= ${last} and u.minute < ${window.to}`;
}

/**
 * Places units on routes, or on models. Where all of a cell, as rollups know it, is of the line, its places are those of the rollups. Where
 * a part of it is on another line, or minutes are no longer kept, nothing tells which units are of which place.
 */
function placedUnits(tx: Tx, window: LineWindow, split: "routes" | "models"): Fragment {
  const place =
    split === "models"
      ? tx`nullif(model, '')`
      : tx`case when route <> '' then concat_ws(' ', nullif(method, ''), route) end`;
  return tx`
    select c.day, c.key_id, r.place,
      coalesce(r.quantity, c.quantity) as quantity
    from (
      select (happened at time zone 'UTC')::date as day, cell, key_id, quantity from units
    ) c left join (
      select cell, key_id, ${place} as place, sum(quantity) as quantity,
        sum(sum(quantity)) over (partition by cell, key_id) as of_cell
      from (${rollupsOf(tx, window)}) rollups group by 1, 2, 3
    ) r on r.cell = c.cell and r.key_id = c.key_id and r.of_cell = c.quantity`;
}

/** Units of one day, of one key and place where the question splits them so far. */
export type UnitsRow = {
  /** Such as 2026-11-26. */
  day: string;
  keyId: string | null;
  /** A route or a model, as the question splits. */
  place: string | null;
  quantity: string;
  /** Units of the line up to and with these, in the order of days, keys and places. */
  upto: string;
};

export type UnitsQuestion = {
  /** How far units are split: always by day, then by key, then by route or model. */
  split: "days" | "keys" | "routes" | "models";
  key?: string | undefined;
  day?: string | undefined;
};

const ROWS_AT_ONCE = 2_000;

/** Streams the units of a line in their order, those of one key or day when it is asked for. */
export function streamUnits(
  tx: Tx,
  window: LineWindow,
  { split, key, day }: UnitsQuestion,
): AsyncIterable<UnitsRow[]> {
  const byDay = tx`
    select (happened at time zone 'UTC')::date as day, key_id, null::text as place, quantity from units`;
  return tx<UnitsRow[]>`
    with units as materialized (${unitsOf(tx, window, split !== "days")})
    select day::text as day, key_id as "keyId", place, quantity::text as quantity, upto::text as upto
    from (
      select *, sum(quantity) over (order by day, key_id, place nulls last rows unbounded preceding) as upto
      from (
        select day, key_id, place, sum(quantity) as quantity
        from (${split === "routes" || split === "models" ? placedUnits(tx, window, split) : byDay}) placed
        group by 1, 2, 3
      ) summed
    ) ordered
    where true ${key === undefined ? tx`` : tx`and key_id = ${key}`} ${day === undefined ? tx`` : tx`and day = ${day}::text::date`}
    order by ordered.day, key_id, place nulls last`.cursor(ROWS_AT_ONCE);
}

/** Names of keys, by id; those that are gone are missing. */
export async function listKeyNames(
  tx: Tx,
  tenantId: TenantId,
  keyIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await tx<{ keyId: string; name: string }[]>`
    select key_id as "keyId", name from api_keys where tenant_id = ${tenantId} and key_id = any(${[...keyIds]}::text[])`;
  return new Map(rows.map(({ keyId, name }) => [keyId, name]));
}
