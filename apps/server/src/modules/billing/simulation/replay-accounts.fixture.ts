import type { SubscriptionAction } from "@turnpike/contract/billing";
import type { Sql } from "@turnpike/db/client";
import { type Account, createAccount } from "@turnpike/domain/billing/account/account";
import type { BillingPlan } from "@turnpike/domain/billing/catalog/billing-plan";
import { toBillingPlan } from "@turnpike/domain/billing/catalog/to-billing-plan";
import { passTime } from "@turnpike/domain/billing/lifecycle/pass-time";
import { playAt } from "@turnpike/domain/billing/lifecycle/play-at";
import type { Usage } from "@turnpike/domain/billing/lifecycle/record-usage";
import { DUNNING_DEFAULT } from "@turnpike/domain/billing/payments/dunning";
import type { MeterDefinition } from "@turnpike/domain/catalog/meter";
import type { PlanTerms } from "@turnpike/domain/catalog/plan";
import { findCurrency } from "@turnpike/domain/money/currency";
import { toScaled } from "@turnpike/domain/money/decimal";
import type { Json } from "../accounts/exact-json.ts";
import { toStep } from "../subscriptions/to-step.ts";

type Details = { [member: string]: Json };
type EventRow = { sequence: number; recordedAt: Date; kind: string; details: Details };
type WriteRow = { advancedTo: Date; fedTo: Date; events: number };
type VersionRow = { planId: string; version: number; publishedAt: Date; terms: PlanTerms };
type UsageRow = { meterId: string; minute: Date; recordedAt: Date; quantity: string };

/** The plans that were on offer at an instant, each version one object. */
type Offers = (at: Date) => ReadonlyMap<string, { plan: BillingPlan; version: number }>;

async function readOffers(sql: Sql): Promise<Offers> {
  const rows = await sql<(MeterDefinition & { valueMax: string | null })[]>`
    select meter_id as "meterId", name, unit, aggregation, value_max::text as "valueMax" from meters`;
  const meters = rows.map(({ valueMax, ...meter }) =>
    valueMax === null ? meter : { ...meter, valueMax },
  );
  const versions = await sql<(VersionRow & { place: number })[]>`
    select v.plan_id as "planId", v.version, v.published_at as "publishedAt", v.terms,
      dense_rank() over (order by p.created_at, p.plan_id)::int as place
    from plan_versions v join plans p using (plan_id) order by v.version`;
  const plans = versions.map((row) => ({
    ...row,
    plan: toBillingPlan({ ...row, meters }),
  }));
  return (at) =>
    new Map(plans.filter(({ publishedAt }) => publishedAt <= at).map((row) => [row.planId, row]));
}

/** What was asked for with one write, of the history of the account. */
function findAsked(
  events: readonly EventRow[],
): (EventRow & { action: SubscriptionAction }) | undefined {
  const asked = events.find(({ kind }) => kind.startsWith("asked."));
  if (asked === undefined) {
    return;
  }
  const { hash: _, ...action } = asked.details;
  return { ...asked, action: action as SubscriptionAction };
}

function toUsage({ meterId, minute, quantity }: UsageRow): Usage {
  return { meterId, atMs: minute.getTime(), quantity: toScaled(quantity) };
}

function replay(
  key: { currency: string; beginsAt: Date },
  history: {
    writes: readonly WriteRow[];
    events: readonly EventRow[];
    ledger: readonly UsageRow[];
  },
  offers: Offers,
): Account {
  const currency = findCurrency(key.currency);
  if (currency === undefined) {
    throw new Error(`${key.currency} is no currency.`);
  }
  const terms = {
    currency,
    seller: undefined,
    catalog: { meters: new Map(), plans: new Map() },
    proration: "time" as const,
    dunning: DUNNING_DEFAULT,
  };
  const customer = {
    country: undefined,
    region: undefined,
    taxId: undefined,
    taxIdStatus: undefined,
    isExempt: false,
  };
  let account = createAccount(terms, customer);
  let before: WriteRow | undefined;
  for (const write of history.writes) {
    const events = history.events.filter(
      ({ sequence }) => sequence > (before?.events ?? 0) && sequence <= write.events,
    );
    const asked = findAsked(events);
    const atMs = write.advancedTo.getTime();
    const fromMs = before?.advancedTo.getTime() ?? atMs;
    const isRunning = account.subscription?.state === "running";
    const fed = history.ledger.filter(
      ({ recordedAt, minute }) =>
        recordedAt <= write.fedTo &&
        ((before !== undefined && recordedAt > before.fedTo) ||
          (!isRunning && minute.getTime() >= fromMs)),
    );
    const happened = fed.map(toUsage);
    account =
      asked === undefined
        ? passTime(account, { fromMs, toMs: atMs, usages: happened })
        : playAt(account, {
            fromMs,
            atMs,
            usages: happened,
            step: (passed) => doAsked(passed, { asked, atMs, offers }),
          });
    before = write;
  }
  return account;
}

function doAsked(
  account: Account,
  {
    asked,
    atMs,
    offers,
  }: { asked: EventRow & { action: SubscriptionAction }; atMs: number; offers: Offers },
): Account {
  const { action } = asked;
  const offer = "planId" in action ? offers(asked.recordedAt).get(action.planId) : undefined;
  const target =
    offer === undefined || action.do === "removeAddOn"
      ? undefined
      : {
          planId: offer.plan.planId,
          version: offer.version,
          currency: account.terms.currency.code,
        };
  const plans = new Map(offer === undefined ? [] : [[offer.plan.planId, offer.plan]]);
  const { terms } = account;
  const step = toStep(action, { plan: target, coupon: undefined });
  const known = { ...account, terms: { ...terms, catalog: { ...terms.catalog, plans } } };
  return { ...step(known, { atMs, loaded: undefined as never }), terms };
}

/** What an invoice says, in few words. */
function toWords(invoices: Account["invoices"]): string[] {
  return invoices.map(
    ({ total, fromBalance, credited, lines }) =>
      `${lines.map(({ kind, amount, credited: back, span }) => `${kind} ${String(amount)}-${String(back)}@${String(span?.fromMs)}`).join(", ")} = ${String(total)}, balance ${String(fromBalance)}, credited ${String(credited)}`,
  );
}

async function readInvoices(sql: Sql, tenantId: string): Promise<string[]> {
  const rows = await sql<{ words: string }[]>`
    select string_agg(l.kind || ' ' || l.amount || '-' || l.credited || '@'
        || coalesce((extract(epoch from l.from_at) * 1000)::bigint::text, 'undefined'), ', ' order by l.line)
      || ' = ' || i.total || ', balance ' || i.from_balance || ', credited ' || i.credited as words
    from invoices i join invoice_lines l using (invoice_id)
    where i.tenant_id = ${tenantId}
    group by i.tenant_id, i.invoice_id order by i.closed_at, i.series_number`;
  return rows.map(({ words }) => words);
}

/**
 * Plays the history of every account anew, from nothing, by the engine alone: no state is stored and read again on the way, and no
 * document is left out. What is written of an account in `simulated_writes` says when it was changed and up to where usage was in it.
 *
 * @returns A sentence for each account whose invoices come out otherwise.
 */
export async function replayAccounts(sql: Sql): Promise<string[]> {
  const offers = await readOffers(sql);
  const accounts = await sql<{ tenantId: string; currency: string; beginsAt: Date }[]>`
    select tenant_id as "tenantId", currency, begins_at as "beginsAt" from billing_accounts`;
  const differences: string[] = [];
  for (const account of accounts) {
    const { tenantId } = account;
    const writes = await sql<WriteRow[]>`
      select advanced_to as "advancedTo", fed_to as "fedTo", events from simulated_writes
      where tenant_id = ${tenantId} order by revision`;
    const events = await sql<EventRow[]>`
      select sequence, recorded_at as "recordedAt", kind, details from billing_events
      where tenant_id = ${tenantId} order by sequence`;
    const ledger = await sql<UsageRow[]>`
      select meter_id as "meterId", occurred_at as minute, recorded_at as "recordedAt", quantity::text as quantity
      from ledger_entries
      where tenant_id = ${tenantId} and occurred_at >= ${account.beginsAt} order by occurred_at`;
    const replayed = toWords(replay(account, { writes, events, ledger }, offers).invoices);
    const stored = await readInvoices(sql, tenantId);
    const place = stored.findIndex((words, index) => words !== replayed[index]);
    if (place >= 0 || stored.length !== replayed.length) {
      differences.push(
        `${tenantId}: invoice ${String(place)} of ${String(stored.length)} is "${String(stored[place])}", replayed "${String(replayed[place])}" of ${String(replayed.length)}`,
      );
    }
  }
  return differences;
}
