import type {
  AccessRow,
  Account,
  BillingTerms,
  ClosedCommitment,
  LateUse,
  LifeRow,
  MeterUse,
} from "@turnpike/domain/billing/account/account";
import { isPriced } from "@turnpike/domain/billing/catalog/billing-plan";
import type { CreditNote } from "@turnpike/domain/billing/credit-notes/credit-note";
import type { Coupon } from "@turnpike/domain/billing/invoices/coupon";
import type { Grant } from "@turnpike/domain/billing/invoices/grant";
import type { Invoice } from "@turnpike/domain/billing/invoices/invoice";
import { listRefillStarts } from "@turnpike/domain/billing/limits/quota";
import type { DunningCalendar } from "@turnpike/domain/billing/payments/dunning";
import type { Line, Span } from "@turnpike/domain/billing/rating/line";
import { type ClosedStretch, type Stretch, sumUses } from "@turnpike/domain/billing/rating/stretch";
import {
  listRuns,
  type ProrationMode,
  type Run,
  type Subscription,
} from "@turnpike/domain/billing/subscription/subscription";
import type { Customer } from "@turnpike/domain/billing/tax/tax-decision";
import { fromExactJson, type Json, toExactJson } from "#platform/exact-json.ts";
import type { PlanBook, PlanReference } from "./plan-book.ts";

/** A stretch refers to its card by key: the card is one of the phase in force. */
type StoredStretch = Omit<Stretch, "card" | "used"> & { card: string };

type StoredRun = Omit<Run, "plan" | "inForce" | "stretches"> & {
  plan: PlanReference;
  phase: Span & { index: number; isLast: boolean };
  stretches: readonly StoredStretch[];
};

type StoredSubscription = Omit<Subscription, "run" | "addOns" | "pendingChange"> & {
  run: StoredRun;
  addOns: readonly StoredRun[];
  pendingChange: { plan: PlanReference; mode: ProrationMode } | undefined;
};

type StoredCalendar = Omit<DunningCalendar, "invoice"> & { invoiceId: string };

type StoredState = {
  subscription: StoredSubscription | undefined;
  coupons: readonly Coupon[];
  grants: readonly Grant[];
  balance: bigint;
  waiting: readonly Line[];
  commitments: readonly ClosedCommitment[];
  late: readonly (Omit<LateUse, "closed"> & { stretch: StretchReference })[];
  meterUses: readonly MeterUse[];
  cap: bigint | undefined;
  capBefore?: Account["capBefore"];
  creditFromMs?: Account["creditFromMs"];
  calendars: readonly StoredCalendar[];
  runs: number;
  periods: number;
  /** What was recorded last, so that only changes are recorded. */
  life: readonly LifeRow[];
  access: readonly AccessRow[];
};

/** Identifies a stretch of a metered card that was charged. */
export type StretchReference = { run: number; card: string; fromMs: number };

export function referenceOfStretch({ owner, card, fromMs }: ClosedStretch): StretchReference {
  return { run: owner.runOrder, card: card.key, fromMs };
}

/** What an account consists of beside its state. Indices of the engine are places in these lists. */
export type AccountParts = {
  readonly terms: BillingTerms;
  readonly customer: Customer;
  readonly invoices: readonly Invoice[];
  readonly invoiceIds: readonly string[];
  readonly creditNotes: readonly CreditNote[];
  readonly closed: readonly ClosedStretch[];
};

/** Charges of a plan's minimum that late usage may still be set against; the newest ones. */
const COMMITMENTS_MAX = 40;

function toStoredRun(run: Run, book: PlanBook): StoredRun {
  const { plan, inForce, stretches, ...rest } = run;
  const { index, fromMs, toMs } = inForce;
  return {
    ...rest,
    plan: book.referenceOf(plan),
    phase: { index, fromMs, toMs: toMs ?? 0, isLast: toMs === undefined },
    stretches: stretches.map(({ card, used: _, ...stretch }) => ({ ...stretch, card: card.key })),
  };
}

function toRun(stored: StoredRun, book: PlanBook): Run {
  const { plan: reference, phase: at, stretches, ...rest } = stored;
  const plan = book.get(reference);
  const phase = plan.phases[at.index];
  if (phase === undefined) {
    throw new Error(`${plan.planId} has no phase ${String(at.index)}.`);
  }
  const cards = new Map(phase.cards.filter(isPriced).map((card) => [card.key, card]));
  return {
    ...rest,
    minimum: rest.minimum,
    plan,
    inForce: { index: at.index, phase, fromMs: at.fromMs, toMs: at.isLast ? undefined : at.toMs },
    stretches: stretches.map((stretch) => {
      const card = cards.get(stretch.card);
      if (card === undefined) {
        throw new Error(`${plan.planId} has no card ${stretch.card}.`);
      }
      return { ...stretch, card, used: sumUses(stretch.uses) };
    }),
  };
}

/** Usage that limits or the next opening still look at. */
function keepUses({ subscription, meterUses }: Account): MeterUse[] {
  if (subscription?.state !== "running") {
    return [];
  }
  const fromMs = Math.min(
    subscription.period.fromMs,
    ...listRuns(subscription).flatMap((run) => listRefillStarts(run, subscription)),
  );
  return meterUses.filter(({ atMs }) => atMs >= fromMs);
}

function toStoredSubscription(subscription: Subscription, book: PlanBook): StoredSubscription {
  const { run, addOns, pendingChange, ...rest } = subscription;
  return {
    ...rest,
    run: toStoredRun(run, book),
    addOns: addOns.map((addOn) => toStoredRun(addOn, book)),
    pendingChange:
      pendingChange === undefined
        ? undefined
        : { ...pendingChange, plan: book.referenceOf(pendingChange.plan) },
  };
}

function toSubscription(stored: StoredSubscription, book: PlanBook): Subscription {
  const { run, addOns, pendingChange, pendingEnd, pendingPause, ...rest } = stored;
  return {
    ...rest,
    pendingEnd,
    pendingPause,
    run: toRun(run, book),
    addOns: addOns.map((addOn) => toRun(addOn, book)),
    pendingChange:
      pendingChange === undefined
        ? undefined
        : { ...pendingChange, plan: book.get(pendingChange.plan) },
  };
}

/** Writes an account without its documents, terms and history. */
export function encodeState(
  account: Account,
  { book, invoiceIds }: { book: PlanBook; invoiceIds: readonly string[] },
): Json {
  const { subscription, coupons, credit, balance, waiting, cap, capBefore, runs, periods } =
    account;
  const state: StoredState = {
    subscription: subscription === undefined ? undefined : toStoredSubscription(subscription, book),
    coupons,
    grants: credit.grants,
    balance,
    waiting,
    commitments: account.commitments.slice(-COMMITMENTS_MAX),
    late: account.late.flatMap(({ closed, quantity }) => {
      const stretch = account.closed[closed];
      return stretch === undefined ? [] : [{ stretch: referenceOfStretch(stretch), quantity }];
    }),
    meterUses: keepUses(account),
    cap,
    capBefore,
    creditFromMs: account.creditFromMs,
    calendars: account.calendars.flatMap(({ invoice, ...calendar }) => {
      const invoiceId = invoiceIds[invoice];
      return invoiceId === undefined ? [] : [{ ...calendar, invoiceId }];
    }),
    runs,
    periods,
    life: account.life.slice(-1),
    access: account.access.slice(-1),
  };
  return toExactJson(state);
}

/** Lists the plans that a state refers to, and the charged stretches that late usage waits for. */
export function listReferences(json: Json): { plans: PlanReference[]; late: StretchReference[] } {
  const { subscription, late } = fromExactJson<StoredState>(json);
  const runs = subscription === undefined ? [] : [subscription.run, ...subscription.addOns];
  const pending = subscription?.pendingChange;
  return {
    plans: [...runs.map(({ plan }) => plan), ...(pending === undefined ? [] : [pending.plan])],
    late: late.map(({ stretch }) => stretch),
  };
}

/** Reads what {@link encodeState} wrote. `parts` holds at least the documents and stretches that it refers to. */
export function decodeState(json: Json, parts: AccountParts, book: PlanBook): Account {
  const stored = fromExactJson<StoredState>(json);
  const { subscription, late, calendars, cap, capBefore, grants, ...rest } = stored;
  const { terms, customer, invoices, invoiceIds, creditNotes, closed } = parts;
  const places = new Map(
    closed.map((stretch, index) => [toKey(referenceOfStretch(stretch)), index]),
  );
  return {
    ...rest,
    cap,
    credit: { grants, entries: [] },
    capBefore,
    terms,
    customer,
    invoices,
    creditNotes,
    closed,
    subscription: subscription === undefined ? undefined : toSubscription(subscription, book),
    late: late.flatMap(({ stretch, quantity }) => {
      const index = places.get(toKey(stretch));
      return index === undefined ? [] : [{ closed: index, quantity }];
    }),
    calendars: calendars.flatMap(({ invoiceId, ...calendar }) => {
      const invoice = invoiceIds.indexOf(invoiceId);
      return invoice < 0 ? [] : [{ ...calendar, invoice }];
    }),
    attempts: [],
    // Unique in their tables.
    paymentKeys: new Set(),
    grantKeys: new Set(),
  };
}

function toKey({ run, card, fromMs }: StretchReference): string {
  return `${String(run)} ${String(fromMs)} ${card}`;
}
