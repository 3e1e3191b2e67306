import type { CallContext } from "@turnpike/domain/access/actor";
import type { Account } from "@turnpike/domain/billing/account/account";
import { passTime } from "@turnpike/domain/billing/lifecycle/pass-time";
import type { DueDates, Reminder } from "@turnpike/domain/billing/lifecycle/reminders";
import { isPrepaid } from "@turnpike/domain/billing/limits/prepaid";
import {
  type AccountKey,
  listAccounts,
  listDueAccounts,
  lockEntitlements,
} from "../accounts/accounts.store.ts";
import { keyText, type LoadedAccount, loadAccounts } from "../accounts/load-accounts.ts";
import { syncEntitlement } from "../accounts/sync-entitlement.ts";
import { takeCutOff } from "../accounts/take-cut-off.ts";
import { isTaxGap } from "../accounts/to-tax-refusal.ts";
import { writeChanges } from "../accounts/write-changes.ts";
import { toWrites } from "../accounts/writes/to-writes.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { liftOutOfCredit } from "../credits/out-of-credit.ts";
import { createReminderCollector, dueDatesOf } from "../reminders/collect-reminders.ts";
import { notifyOfReminders } from "../reminders/notify-of-reminders.ts";
import { createRevenueCollector, type RevenuePosition } from "../revenue/collect-positions.ts";
import { projectSpendBudget } from "../spend-cap/project-spend-budget.ts";
import { syncSpendBudget } from "../spend-cap/sync-spend-budget.ts";
import { type HeldAccount, holdAccounts } from "./hold-accounts.ts";

/** Accounts that are closed in one transaction: enough that statements do not count, few enough that numbers are held for a moment. */
const BATCH = 50;
const MINUTE_MS = 60_000;

const CLOSING_CONTEXT: CallContext = {
  actor: { type: "system", id: "billing" },
  requestId: "billing.close",
};

/** How many accounts a run looked at, and how many of them it closed; another process may have closed the others. */
export type Closed = { due: number; closed: number };

type Turned = {
  loaded: LoadedAccount;
  after: Account;
  atMs: number;
  dueDates: DueDates;
  reminders: readonly Reminder[];
  revenue: readonly RevenuePosition[];
};

/** Periods end on whole minutes, and a minute is whole once it has passed. */
function turn(loaded: LoadedAccount, { billing }: BillingDeps, now: Date): Turned {
  const nowMs = now.getTime() + (loaded.row?.aheadMs ?? 0);
  const fromMs = loaded.row?.advancedTo.getTime() ?? nowMs;
  const atMs = Math.max(fromMs, Math.floor(nowMs / MINUTE_MS) * MINUTE_MS);
  const dueDates = dueDatesOf(loaded, { paymentDays: billing.paymentDays, now });
  const { onSpan, list } = createReminderCollector(loaded, dueDates);
  const collector = createRevenueCollector(loaded, onSpan);
  const { usages, account } = loaded;
  const after = passTime(account, { fromMs, toMs: atMs, usages, onSpan: collector.onSpan });
  const revenue = collector.list(after, atMs);
  return { loaded, after, atMs, dueDates, reminders: list(atMs), revenue };
}

/** An account that has to wait for the operator is given back with the reason. */
function turnOrHold(loaded: LoadedAccount, deps: BillingDeps, now: Date): Turned | HeldAccount {
  try {
    return turn(loaded, deps, now);
  } catch (error) {
    if (isTaxGap(error)) {
      return { key: loaded.key, reason: error.message };
    }
    throw error;
  }
}

/** Writes what was computed, with no lock held before. @returns The accounts that nothing else had changed meanwhile. */
async function writeTurned(
  deps: BillingDeps,
  turned: readonly Turned[],
  now: Date,
): Promise<number> {
  const writes = turned.map(({ loaded, after, atMs, reminders, revenue }) =>
    toWrites({
      loaded,
      after,
      advancedToMs: atMs,
      now,
      aheadMs: loaded.row?.aheadMs ?? 0,
      actor: "system:billing",
      events: [],
      reminders,
      revenue,
      noteReason: "Usage of an earlier period was recorded late.",
      settings: deps.billing,
      newId: deps.newId,
    }),
  );
  return await deps.transact.asOperator(async (tx) => {
    await lockEntitlements(
      tx,
      turned.map(({ loaded }) => loaded.key),
    );
    const written = await writeChanges(deps, tx, { writes, now });
    const keys = new Set(written.map(keyText));
    for (const { reminders, ...turn } of turned) {
      if (keys.has(keyText(turn.loaded.key))) {
        await notifyOfReminders(deps, tx, { ...turn, reminders });
        await syncEntitlement(deps, tx, CLOSING_CONTEXT, turn);
        await syncSpendBudget(tx, { ...turn, now });
        const { key, account } = turn.loaded;
        if (key.environment === "live" && isPrepaid(account)) {
          await liftOutOfCredit(deps, tx, key.tenantId);
        }
      }
    }
    return written.length;
  });
}

/**
 * Lets time pass for accounts up to now. In steps that can be repeated: a cut-off of usage, a reading, a computation without any
 * lock, and one transaction that writes all of it where nothing else has changed the account since. Killed at any point, run twice or
 * on two processes, it has its effect once.
 */
export async function closeAccounts(
  deps: BillingDeps,
  keys: readonly AccountKey[],
  now: Date,
): Promise<number> {
  const recordedTo = await takeCutOff(deps);
  const loaded = await deps.transact.asOperator(async (tx) =>
    loadAccounts(tx, await listAccounts(tx, keys), { settings: deps.billing, recordedTo }),
  );
  const results = loaded.map((each) => turnOrHold(each, deps, now));
  const held = results.filter((result) => "reason" in result);
  if (held.length > 0) {
    await holdAccounts(deps, held, now);
  }
  const turned = results.filter((result) => "after" in result);
  return turned.length === 0 ? 0 : await writeTurned(deps, turned, now);
}

/**
 * Closes the periods of all accounts for which something is due, batch by batch.
 *
 * @param input.signal - Ends the run after the batch under way; the next run goes on.
 */
export async function closeDue(
  deps: BillingDeps,
  { signal }: { signal?: AbortSignal } = {},
): Promise<Closed> {
  const total: Closed = { due: 0, closed: 0 };
  const failed = new Set<string>();
  while (signal?.aborted !== true) {
    const now = deps.clock.now();
    const due = await deps.transact.asOperator((tx) =>
      listDueAccounts(tx, { now, limit: BATCH + failed.size }),
    );
    const keys = due.filter((key) => !failed.has(keyText(key))).slice(0, BATCH);
    if (keys.length === 0) {
      return total;
    }
    total.due += keys.length;
    total.closed += await closeBatch(deps, keys, { now, failed });
  }
  return total;
}

/** Puts one account aside, and keeps what its calls may draw as if it was closed. */
async function holdOne(deps: BillingDeps, held: HeldAccount, now: Date): Promise<void> {
  await holdAccounts(deps, [held], now);
  const recordedTo = await takeCutOff(deps);
  await deps.transact.asOperator((tx) =>
    projectSpendBudget(deps, tx, held.key, { recordedTo, now }),
  );
}

/** One account that cannot be closed must not keep the others of its batch from it. */
async function closeBatch(
  deps: BillingDeps,
  keys: readonly AccountKey[],
  { now, failed }: { now: Date; failed: Set<string> },
): Promise<number> {
  try {
    return await closeAccounts(deps, keys, now);
  } catch (error) {
    if (keys.length === 1) {
      for (const key of keys) {
        if (isTaxGap(error)) {
          await holdOne(deps, { key, reason: error.message }, now);
          return 0;
        }
        failed.add(keyText(key));
        deps.logger.error({ err: error, ...key }, "The periods of an account could not be closed");
      }
      return 0;
    }
  }
  let closed = 0;
  for (const key of keys) {
    closed += await closeBatch(deps, [key], { now, failed });
  }
  return closed;
}
