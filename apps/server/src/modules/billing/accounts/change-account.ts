import type { Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import type { Account } from "@turnpike/domain/billing/account/account";
import { playAt } from "@turnpike/domain/billing/lifecycle/play-at";
import type { DueDates } from "@turnpike/domain/billing/lifecycle/reminders";
import { chargeUnasked, isPrepaid } from "@turnpike/domain/billing/limits/prepaid";
import { StepRefused } from "@turnpike/domain/billing/steps/step";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import { listVersionTerms } from "#modules/catalog/index.ts";
import { findTenantRow } from "#modules/tenants/index.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { liftOutOfCredit } from "../credits/out-of-credit.ts";
import type { CreditReason } from "../credits/to-credit-writes.ts";
import {
  createReminderCollector,
  dueDatesOf,
  type ReminderCollector,
} from "../reminders/collect-reminders.ts";
import { notifyOfReminders } from "../reminders/notify-of-reminders.ts";
import { createRevenueCollector } from "../revenue/collect-positions.ts";
import { projectSpendBudget } from "../spend-cap/project-spend-budget.ts";
import { syncSpendBudget } from "../spend-cap/sync-spend-budget.ts";
import { type AccountKey, type AccountRow, listAccounts, lockAccount } from "./accounts.store.ts";
import { effectiveMs, settledMsOf } from "./effective-ms.ts";
import { type LoadedAccount, loadAccounts, loadNewAccount } from "./load-accounts.ts";
import type { PlanReference } from "./plan-book.ts";
import { syncEntitlement } from "./sync-entitlement.ts";
import { takeCutOff } from "./take-cut-off.ts";
import { toTaxRefusal } from "./to-tax-refusal.ts";
import { writeChanges } from "./write-changes.ts";
import type { AccountEvent } from "./writes/changed-account.ts";
import { toWrites } from "./writes/to-writes.ts";

/** Later than any usage is recorded: a reading takes what it sees, and needs no clock. */
const ALL_RECORDED = new Date("9999-12-31T00:00:00Z");

/** The refusal of what needs a plan that runs. */
export function noSubscription(): AppError {
  return new AppError({
    code: "CONFLICT",
    publicMessage: "No plan with a price runs: choose one first.",
    extensions: { reason: "no_subscription" },
  });
}

/** What changes an account: pure, and refused by throwing {@link StepRefused}. */
export type AccountStep = (
  account: Account,
  step: { atMs: number; loaded: LoadedAccount },
) => Account;

function toAppError(error: unknown): unknown {
  if (!(error instanceof StepRefused)) {
    return toTaxRefusal(error);
  }
  const isInput = ["bad_value", "unknown_plan", "unknown_card", "unknown_invoice"].includes(
    error.code,
  );
  return new AppError({
    code: isInput ? "INVALID_REQUEST" : "CONFLICT",
    publicMessage: error.message,
    extensions: { reason: error.code },
    cause: error,
  });
}

/** Lets an account live until an instant and does a step. @throws {AppError} When the step is refused. */
export function playStep(
  loaded: LoadedAccount,
  {
    atMs,
    step,
    settledMs = atMs,
    onSpan,
  }: {
    atMs: number;
    step: AccountStep;
    /** When every process has heard of the step; left out: at once. */
    settledMs?: number;
    onSpan?: ReminderCollector["onSpan"] | undefined;
  },
): Account {
  const fromMs = loaded.row?.advancedTo.getTime() ?? atMs;
  const { usages } = loaded;
  try {
    return playAt(loaded.account, {
      fromMs,
      atMs,
      usages,
      onSpan,
      step: (before) =>
        chargeUnasked(step(before, { atMs, loaded }), { before, untilMs: settledMs }),
    });
  } catch (error) {
    throw toAppError(error);
  }
}

/** Loads one account, or what a first one begins with. @throws {AppError} `RESOURCE_NOT_FOUND` (tenant). */
async function loadOne(
  deps: BillingDeps,
  tx: Tx,
  {
    key,
    row,
    recordedTo,
    wanted,
    invoiceIds,
    atMs,
  }: {
    key: AccountKey;
    row: AccountRow | undefined;
    recordedTo: Date;
    wanted: readonly PlanReference[];
    invoiceIds: readonly string[];
    /** Where a first plan begins. */
    atMs: number;
  },
): Promise<LoadedAccount | undefined> {
  if (row !== undefined) {
    const loading = { settings: deps.billing, recordedTo, wanted, invoiceIds };
    const [loaded] = await loadAccounts(tx, [row], loading);
    return loaded;
  }
  const tenant = await findTenantRow(tx, key.tenantId);
  if (tenant === undefined) {
    throw resourceNotFound("tenant");
  }
  const [plan] = await listVersionTerms(tx, wanted.slice(0, 1));
  return plan === undefined
    ? undefined
    : await loadNewAccount(tx, key, {
        settings: deps.billing,
        recordedTo,
        wanted,
        currency: plan.terms.currency,
        tenantName: tenant.name,
        atMs,
      });
}

/**
 * Reads an account as it is now, without changing anything.
 *
 * @param input.wanted - Plans that are looked at; the first is that of an account which does not exist yet.
 * @returns `undefined` for a tenant without an account when no plan is wanted.
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant).
 */
export async function readAccount(
  deps: BillingDeps,
  tx: Tx,
  { key, wanted = [] }: { key: AccountKey; wanted?: readonly PlanReference[] },
): Promise<LoadedAccount | undefined> {
  const [row] = await listAccounts(tx, [key]);
  const atMs = effectiveMs(deps.clock.now().getTime(), row);
  return await loadOne(deps, tx, {
    key,
    row,
    recordedTo: ALL_RECORDED,
    wanted,
    invoiceIds: [],
    atMs,
  });
}

export type AccountChange = {
  key: AccountKey;
  /** Plans that the step may name. */
  wanted?: readonly PlanReference[];
  /** Invoices that the step names. */
  invoiceIds?: readonly string[];
  /** An invoice that `alsoWrites` writes off: it is not waited for any more. */
  writtenOff?: string;
  /** When the step happens, by the clock of the environment; left out: now. */
  atMs?: number;
  /** Money has moved. That is recorded also while the account waits for the operator: then where it is in time, which does not pass. */
  isMoney?: true;
  step: AccountStep;
  events: readonly Omit<AccountEvent, "atMs">[];
  /** Why credit notes are issued. */
  noteReason: string;
  /** Why credit is granted or revoked. */
  creditReason?: CreditReason;
  /** Written together with the change. */
  alsoWrites?: (tx: Tx) => Promise<void>;
};

/** What was changed, for the answer. */
export type ChangedAccount = { loaded: LoadedAccount; after: Account; atMs: number };

/** With the ids of the invoices that it has issued, in the order of `after.invoices`. */
export type WrittenAccount = ChangedAccount & { issued: readonly string[] };

/**
 * {@link changeAccount} as part of the caller's transaction, which must be one of the operator role.
 *
 * @param input.recordedTo - A cut-off that was taken.
 */
export async function changeAccountWithin(
  deps: BillingDeps,
  tx: Tx,
  context: CallContext,
  {
    change: {
      key,
      wanted = [],
      invoiceIds = [],
      writtenOff,
      atMs,
      isMoney,
      step,
      events,
      noteReason,
      creditReason,
      alsoWrites,
    },
    recordedTo: cutOff,
    check = () => undefined,
  }: { change: AccountChange; recordedTo: Date; check?: (changed: ChangedAccount) => void },
): Promise<WrittenAccount> {
  const row = await lockAccount(tx, key);
  const now = deps.clock.now();
  const aheadMs = row?.aheadMs ?? 0;
  const waiting = isMoney === true && row?.heldSince != null ? row : undefined;
  const effective =
    atMs ?? waiting?.advancedTo.getTime() ?? effectiveMs(now.getTime() + aheadMs, row);
  const recordedTo = waiting?.fedTo ?? cutOff;
  const loading = { key, row, recordedTo, wanted, invoiceIds, atMs: effective };
  const loaded = await loadOne(deps, tx, loading);
  if (loaded === undefined) {
    throw noSubscription();
  }
  const dueDates = dueDatesOf(loaded, { paymentDays: deps.billing.paymentDays, now });
  const collector = createReminderCollector(loaded, dueDates);
  const revenue = createRevenueCollector(loaded, collector.onSpan);
  const settledMs = settledMsOf(now.getTime() + aheadMs);
  const after = playStep(loaded, { atMs: effective, step, settledMs, onSpan: revenue.onSpan });
  const reminders = collector.list(effective);
  const changed = { loaded, after, atMs: effective };
  check(changed);
  const { actor } = context;
  const writes = toWrites({
    loaded,
    after,
    advancedToMs: effective,
    now,
    aheadMs,
    actor: `${actor.type}:${actor.id}`,
    events: events.map((event) => ({ ...event, atMs: effective })),
    reminders,
    revenue: revenue.list(after, effective),
    noteReason,
    creditReason,
    settings: deps.billing,
    newId: deps.newId,
  });
  const [written] = await writeChanges(deps, tx, { writes: [writes], now }).catch(
    (error: unknown) => {
      throw toTaxRefusal(error);
    },
  );
  if (written === undefined) {
    throw new Error("An account that is locked was changed by something else.");
  }
  await alsoWrites?.(tx);
  await notifyOfReminders(deps, tx, { loaded, after, reminders });
  const dueDatesAfter: DueDates = (invoice, index) =>
    loaded.invoiceIds[index] === writtenOff && writtenOff !== undefined
      ? undefined
      : dueDates(invoice, index);
  await syncEntitlement(deps, tx, context, {
    loaded,
    after,
    atMs: effective,
    dueDates,
    dueDatesAfter,
  });
  await syncSpendBudget(tx, { loaded, after, atMs: effective, now });
  if (waiting !== undefined) {
    await projectSpendBudget(deps, tx, key, { recordedTo: cutOff, now });
  }
  if (key.environment === "live" && isPrepaid(loaded.account)) {
    await liftOutOfCredit(deps, tx, key.tenantId);
  }
  return { ...changed, issued: writes.invoices.map(({ invoiceId }) => invoiceId) };
}

/**
 * Changes an account and writes everything that follows: its state, invoices, credit notes, history and entitlement, at once. A cut-off
 * of usage is taken before. Changes of one account take turns.
 *
 * @param check - Looks at what the change comes to, and throws to refuse it: then nothing is written.
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `CONFLICT` or `INVALID_REQUEST` when the step is refused.
 */
export async function changeAccount(
  deps: BillingDeps,
  context: CallContext,
  change: AccountChange,
  check: (changed: ChangedAccount) => void = () => undefined,
): Promise<WrittenAccount> {
  const recordedTo = await takeCutOff(deps);
  return await deps.transact.asOperator((tx) =>
    changeAccountWithin(deps, tx, context, { change, recordedTo, check }),
  );
}
