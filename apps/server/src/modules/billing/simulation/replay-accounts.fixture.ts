import type { SubscriptionAction } from "@turnpike/contract/subscriptions";
import type { Sql } from "@turnpike/db/client";
import {
  type Account,
  type BillingTerms,
  createAccount,
} from "@turnpike/domain/billing/account/account";
import type { BillingPlan } from "@turnpike/domain/billing/catalog/billing-plan";
import { toBillingPlan } from "@turnpike/domain/billing/catalog/to-billing-plan";
import { adjust } from "@turnpike/domain/billing/lifecycle/adjust";
import { passTime } from "@turnpike/domain/billing/lifecycle/pass-time";
import { playAt } from "@turnpike/domain/billing/lifecycle/play-at";
import type { Usage } from "@turnpike/domain/billing/lifecycle/record-usage";
import { DUNNING_DEFAULT } from "@turnpike/domain/billing/payments/dunning";
import { doStep } from "@turnpike/domain/billing/steps/do-step";
import type { Customer } from "@turnpike/domain/billing/tax/tax-decision";
import type { MeterDefinition } from "@turnpike/domain/catalog/meter";
import type { PlanTerms } from "@turnpike/domain/catalog/plan";
import { findCurrency, roundToMinor } from "@turnpike/domain/money/currency";
import { toScaled } from "@turnpike/domain/money/decimal";
import { toExact } from "@turnpike/domain/money/exact";
import { OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import type { Json } from "#platform/exact-json.ts";
import { findTarget } from "../subscriptions/find-target.ts";
import { type ActionTarget, toStep } from "../subscriptions/to-step.ts";
import type { LoggedAct } from "./log-writes.fixture.ts";
import { COUPON_IDS } from "./simulated-plans.fixture.ts";
import type { SimulatedWorld } from "./simulated-world.fixture.ts";

type Details = { [member: string]: Json };
type EventRow = { sequence: number; recordedAt: Date; kind: string; details: Details };
type WriteRow = {
  advancedTo: Date;
  fedTo: Date;
  events: number;
  /** Columns of the billing details at that time; null while there were none. */
  customer: { [column: string]: string | null } | null;
  act: LoggedAct | null;
};
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

/** What accounts are billed by. */
type Rules = {
  terms: BillingTerms;
  offers: Offers;
  coupons: ReadonlyMap<string, ActionTarget["coupon"]>;
};

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

function toReplayedCustomer(customer: WriteRow["customer"]): Customer {
  return {
    country: customer?.["country"] ?? undefined,
    region: customer?.["region"] ?? undefined,
    taxId: customer?.["tax_id"] ?? undefined,
    taxIdStatus: (customer?.["tax_id_status"] ?? undefined) as Customer["taxIdStatus"],
    isExempt: (customer?.["exemption"] ?? null) !== null,
  };
}

/** Does to the replayed account what an operator did. */
function doAct(
  account: Account,
  { act, atMs, ids }: { act: LoggedAct; atMs: number; ids: readonly string[] },
): Account {
  switch (act.do) {
    case "writeOff":
      return account;
    case "adjust": {
      const { amount, label, waits } = act;
      const minor = roundToMinor(toExact(toScaled(amount)), account.terms.currency);
      return adjust(account, { amount: minor, label, taxClass: "standard" }, { atMs, waits });
    }
    default: {
      const { invoiceId, ...members } = act;
      return doStep(account, { members: { ...members, invoice: ids.indexOf(invoiceId) }, atMs });
    }
  }
}

function replay(
  history: {
    writes: readonly WriteRow[];
    events: readonly EventRow[];
    ledger: readonly UsageRow[];
    /** Ids of all invoices in the order of issue. */
    invoiceIds: readonly string[];
  },
  { terms, offers, coupons }: Rules,
): Account {
  let account = createAccount(terms, toReplayedCustomer(null));
  let before: WriteRow | undefined;
  for (const write of history.writes) {
    const events = history.events.filter(
      ({ sequence }) => sequence > (before?.events ?? 0) && sequence <= write.events,
    );
    const asked = findAsked(events);
    const { act } = write;
    account = { ...account, customer: toReplayedCustomer(write.customer) };
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
      asked === undefined && act === null
        ? passTime(account, { fromMs, toMs: atMs, usages: happened })
        : playAt(account, {
            fromMs,
            atMs,
            usages: happened,
            step: (passed) =>
              asked === undefined
                ? act === null
                  ? passed
                  : doAct(passed, { act, atMs, ids: history.invoiceIds })
                : doAsked(passed, { asked, atMs, offers, coupons }),
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
    coupons,
  }: Pick<Rules, "offers" | "coupons"> & {
    asked: EventRow & { action: SubscriptionAction };
    atMs: number;
  },
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
  const coupon = action.do === "coupon" ? coupons.get(action.couponId) : undefined;
  const step = toStep(action, { plan: target, coupon });
  const known = { ...account, terms: { ...terms, catalog: { ...terms.catalog, plans } } };
  return { ...step(known, { atMs, loaded: undefined as never }), terms };
}

/** What an invoice says, in few words. */
function toWords(invoices: Account["invoices"]): string[] {
  return invoices.map(
    ({ total, net, paid, fromBalance, credited, isVoid, lines }) =>
      `${lines.map(({ kind, amount, discount, credited: back, span }) => `${kind} ${String(amount)}-${String(discount)}-${String(back)}@${String(span?.fromMs)}`).join(", ")} = ${String(net)} net, ${String(total)}, balance ${String(fromBalance)}, paid ${String(paid)}, credited ${String(credited)}${isVoid ? ", void" : ""}`,
  );
}

async function readInvoices(
  sql: Sql,
  tenantId: string,
): Promise<{ invoiceId: string; words: string }[]> {
  return await sql<{ invoiceId: string; words: string }[]>`
    select i.invoice_id as "invoiceId",
      string_agg(l.kind || ' ' || l.amount || '-' || l.discount || '-' || l.credited || '@'
        || coalesce((extract(epoch from l.from_at) * 1000)::bigint::text, 'undefined'), ', ' order by l.line)
      || ' = ' || i.net || ' net, ' || i.total || ', balance ' || i.from_balance || ', paid ' || i.paid
      || ', credited ' || i.credited || case when i.state = 'void' then ', void' else '' end as words
    from invoices i join invoice_lines l using (invoice_id)
    where i.tenant_id = ${tenantId}
    group by i.tenant_id, i.invoice_id order by i.closed_at, i.issued_at, i.series_number`;
}

/** What coupons of the catalogue give. */
async function readCoupons({ deps }: SimulatedWorld): Promise<Rules["coupons"]> {
  const coupons: Map<string, ActionTarget["coupon"]> = new Map();
  for (const couponId of COUPON_IDS) {
    const action = { do: "coupon" as const, couponId };
    const { coupon } = await deps.transact.asOperator((tx) =>
      findTarget(tx, OPERATOR_CONTEXT, { action, now: deps.clock.now() }),
    );
    coupons.set(couponId, coupon);
  }
  return coupons;
}

function toTerms({ deps }: SimulatedWorld, code: string): BillingTerms {
  const currency = findCurrency(code);
  if (currency === undefined) {
    throw new Error(`${code} is no currency.`);
  }
  return {
    currency,
    seller: deps.billing.tax,
    catalog: { meters: new Map(), plans: new Map() },
    proration: "time",
    dunning: DUNNING_DEFAULT,
  };
}

/**
 * Plays the history of every account anew, from nothing, by the engine alone: no state is stored and read again on the way, and no
 * document is left out. What is written of an account in `simulated_writes` says when it was changed and up to where usage was in it.
 *
 * @returns A sentence for each account whose invoices come out otherwise.
 */
export async function replayAccounts(world: SimulatedWorld): Promise<string[]> {
  const { sql } = world.database;
  const offers = await readOffers(sql);
  const coupons = await readCoupons(world);
  const accounts = await sql<{ tenantId: string; currency: string; beginsAt: Date }[]>`
    select tenant_id as "tenantId", currency, begins_at as "beginsAt" from billing_accounts`;
  const differences: string[] = [];
  for (const { tenantId, currency, beginsAt } of accounts) {
    const writes = await sql<WriteRow[]>`
      select advanced_to as "advancedTo", fed_to as "fedTo", events, customer, act from simulated_writes
      where tenant_id = ${tenantId} order by revision`;
    const events = await sql<EventRow[]>`
      select sequence, recorded_at as "recordedAt", kind, details from billing_events
      where tenant_id = ${tenantId} order by sequence`;
    const ledger = await sql<UsageRow[]>`
      select meter_id as "meterId", occurred_at as minute, recorded_at as "recordedAt", quantity::text as quantity
      from ledger_entries
      where tenant_id = ${tenantId} and occurred_at >= ${beginsAt} order by occurred_at`;
    const stored = await readInvoices(sql, tenantId);
    const invoiceIds = stored.map(({ invoiceId }) => invoiceId);
    const rules = { terms: toTerms(world, currency), offers, coupons };
    const { invoices } = replay({ writes, events, ledger, invoiceIds }, rules);
    const replayed = toWords(invoices);
    const place = stored.findIndex(({ words }, index) => words !== replayed[index]);
    if (place >= 0 || stored.length !== replayed.length) {
      differences.push(
        `${tenantId}: invoice ${String(place)} of ${String(stored.length)} is "${String(stored[place]?.words)}", replayed "${String(replayed[place])}" of ${String(replayed.length)}`,
      );
    }
  }
  return differences;
}
