import type { Sql } from "@turnpike/db/client";
import type { Account, LateUse } from "@turnpike/domain/billing/account/account";
import type { Line } from "@turnpike/domain/billing/rating/line";
import type { ClosedStretch } from "@turnpike/domain/billing/rating/stretch";
import { findCurrency } from "@turnpike/domain/money/currency";
import { fromScaled, toScaled } from "@turnpike/domain/money/decimal";
import { fromExactJson, type Json } from "#platform/exact-json.ts";
import { priceAgain, roundHalfAway } from "./price-again.fixture.ts";

type Price = Readonly<Record<string, unknown>>;

type StretchRow = {
  tenantId: string;
  run: number;
  card: string;
  from: Date;
  to: Date;
  stretch: Json;
  price: Price;
  currency: string;
  /** In the ledger, of the time of the stretch, as far as it was fed. */
  ledger: string;
  /** What the history says of usage for which nothing was charged. */
  free: string;
  hasMinimum: boolean;
};

type LineRow = {
  tenantId: string;
  kind: string;
  run: number;
  card: string;
  from: Date;
  quantity: string;
  amount: string;
};

type StoredState = {
  waiting: readonly Line[];
  late: readonly (Omit<LateUse, "closed"> & {
    stretch: { run: number; card: string; fromMs: number };
  })[];
  balance: Account["balance"];
};

const toMinor = (picos: bigint, currency: string) =>
  roundHalfAway(picos, 10n ** BigInt(12 - (findCurrency(currency)?.digits ?? 2)));

/** Charged stretches with the price that was published, from the terms as they are stored. */
async function listStretches(sql: Sql, tenants: readonly string[]): Promise<StretchRow[]> {
  return await sql<StretchRow[]>`
    select p.tenant_id as "tenantId", p.run, p.card, p.from_at as "from", p.to_at as "to", p.stretch, a.currency,
      p.stretch -> 'card' -> 'price' as price,
      (p.stretch -> 'card' -> 'price' -> 'minimum' is not null or exists (
        select from plan_versions v, jsonb_array_elements(v.terms -> 'phases') phase
        where v.plan_id = p.stretch -> 'owner' ->> 'planId' and phase -> 'minimum' is not null)) as "hasMinimum",
      (select coalesce(sum(e.quantity), 0)::text from ledger_entries e
        where e.tenant_id = p.tenant_id and e.environment = p.environment and e.meter_id = p.meter_id
          and e.occurred_at >= p.from_at and e.occurred_at < p.to_at and e.recorded_at <= a.fed_to) as ledger,
      (select coalesce(sum((n.details ->> 'quantity')::numeric), 0)::text from billing_events n
        where n.tenant_id = p.tenant_id and n.environment = p.environment and n.kind = 'usage.not_charged'
          and n.details ->> 'card' = p.card and n.details ->> 'planId' = p.stretch -> 'owner' ->> 'planId'
          and (n.details ->> 'from')::timestamptz = p.from_at) as free
    from billed_periods p join billing_accounts a using (tenant_id, environment)
    where p.tenant_id = any(${tenants})`;
}

/** Lines of usage in the order of their invoices. */
async function listUsageLines(sql: Sql, tenants: readonly string[]): Promise<LineRow[]> {
  return await sql<LineRow[]>`
    select l.tenant_id as "tenantId", l.kind, l.run, l.card, l.from_at as "from", l.quantity::text as quantity,
      l.amount::text as amount
    from invoice_lines l join invoices i using (invoice_id)
    where l.tenant_id = any(${tenants}) and l.kind in ('usage', 'late', 'beyondCap')
    order by i.closed_at, i.issued_at, i.series_number, l.line`;
}

/** Lines that wait for the next invoice, as those of invoices. */
function toWaiting(tenantId: string, lines: readonly Line[]): LineRow[] {
  return lines
    .filter(({ kind }) => kind === "usage" || kind === "late" || kind === "beyondCap")
    .map(({ kind, owner, span, quantity, amount }) => ({
      tenantId,
      kind,
      run: owner?.runOrder ?? -1,
      card: owner?.card ?? "",
      from: new Date(span?.fromMs ?? 0),
      quantity: fromScaled(quantity ?? 0n),
      amount: amount.toString(),
    }));
}

function sumOf(lines: readonly LineRow[]): bigint {
  return lines.reduce((sum, { quantity }) => sum + toScaled(quantity), 0n);
}

/** The price as it was published: the engine's numbers back as text. */
function toPublished(price: Json): Price {
  const read = fromExactJson<Readonly<Record<string, unknown>>>(price);
  const toText = (value: unknown): unknown =>
    typeof value === "bigint"
      ? fromScaled(value)
      : Array.isArray(value)
        ? value.map(toText)
        : typeof value === "object" && value !== null
          ? Object.fromEntries(Object.entries(value).map(([name, of]) => [name, toText(of)]))
          : value;
  return toText(read) as Price;
}

function checkStretch(
  row: StretchRow,
  { lines, waiting }: { lines: readonly LineRow[]; waiting: bigint },
): string[] {
  const { used } = fromExactJson<ClosedStretch>(row.stretch);
  const price = toPublished(row.price as Json);
  const cost = (units: bigint) => toMinor(priceAgain(price, fromScaled(units)), row.currency);
  const charged = lines.filter(({ kind }) => kind !== "beyondCap");
  const served = sumOf(charged);
  const beyond = sumOf(lines.filter(({ kind }) => kind === "beyondCap"));
  const ledger = toScaled(row.ledger);
  const faults: string[] = [];
  const kept = ledger - waiting - used;
  // Where everything comes to nothing there is no invoice, and the history has the usage.
  const unseen = used - served;
  if (kept < 0n || (beyond !== kept && !(lines.length === 0 && beyond === 0n))) {
    faults.push(
      `of ${fromScaled(ledger)} units ${fromScaled(used)} are billed, ${fromScaled(beyond)} beyond a limit, ${fromScaled(waiting)} wait`,
    );
  }
  if (unseen !== toScaled(row.free)) {
    faults.push(
      `lines have ${fromScaled(served)} of ${fromScaled(used)} units, and history ${row.free}`,
    );
  }
  let before = 0n;
  for (const { kind, quantity, amount } of charged) {
    const after = before + toScaled(quantity);
    // The first line of usage has what no usage costs; those that follow a change of tax, or late, are differences.
    const owed = kind === "usage" && before === 0n ? cost(after) : cost(after) - cost(before);
    const isExact = kind === "usage" || (unseen === 0n && !row.hasMinimum);
    const expected = owed < 0n ? 0n : owed;
    if (isExact ? BigInt(amount) !== expected : BigInt(amount) > expected && unseen === 0n) {
      faults.push(`${kind} of ${quantity} costs ${amount} and should cost ${String(expected)}`);
    }
    before = after;
  }
  return faults;
}

const keyOf = (tenantId: string, run: number, card: string) => `${tenantId} ${String(run)} ${card}`;

/**
 * Holds every charged stretch of a card against the ledger and a second computation of its price.
 *
 * @returns What does not hold, a sentence for each stretch.
 */
export async function checkUsage(sql: Sql, tenants: readonly string[]): Promise<string[]> {
  const stretches = await listStretches(sql, tenants);
  const accounts = await sql<{ tenantId: string; state: Json }[]>`
    select tenant_id as "tenantId", state from billing_accounts where tenant_id = any(${tenants})`;
  const states = accounts.map(({ tenantId, state }) => ({
    tenantId,
    ...fromExactJson<StoredState>(state),
  }));
  const lines = new Map<string, LineRow[]>();
  for (const line of [
    ...(await listUsageLines(sql, tenants)),
    ...states.flatMap(({ tenantId, waiting }) => toWaiting(tenantId, waiting)),
  ]) {
    const key = keyOf(line.tenantId, line.run, line.card);
    lines.set(key, [...(lines.get(key) ?? []), line]);
  }
  const late = states.flatMap((state) =>
    state.late.map((use) => ({ ...use, tenantId: state.tenantId })),
  );
  let placed = 0;
  const faults = stretches.flatMap((row) => {
    const own = (lines.get(keyOf(row.tenantId, row.run, row.card)) ?? []).filter(
      ({ from }) => row.from <= from && from < row.to,
    );
    placed += own.length;
    const waiting = late.reduce(
      (sum, { tenantId, stretch, quantity }) =>
        tenantId === row.tenantId &&
        stretch.run === row.run &&
        stretch.card === row.card &&
        stretch.fromMs === row.from.getTime()
          ? sum + quantity
          : sum,
      0n,
    );
    return checkStretch(row, { lines: own, waiting }).map(
      (fault) =>
        `Usage of ${row.tenantId}, run ${String(row.run)}, ${row.card} from ${row.from.toISOString()} to ${row.to.toISOString()}: ${fault}.`,
    );
  });
  const all = [...lines.values()].reduce((sum, own) => sum + own.length, 0);
  return placed === all
    ? faults
    : [...faults, `${String(all - placed)} lines of usage are of no charged stretch.`];
}
