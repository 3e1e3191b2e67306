import type { Account } from "@turnpike/domain/billing/account/account";
import { nextDueMs } from "@turnpike/domain/billing/lifecycle/advance";
import { nextReminderMs } from "@turnpike/domain/billing/lifecycle/reminders";
import { nextCreditMs } from "@turnpike/domain/billing/limits/prepaid";
import { listRuns } from "@turnpike/domain/billing/subscription/subscription";
import { dueDatesOf } from "../../reminders/collect-reminders.ts";
import type { ChangedAccount } from "./changed-account.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** How long after a boundary it is worked on: by then usage of the time before has reached the ledger. */
const SETTLE_MS = 60_000;
/** How often an account with metered cards is fed with its usage. */
const FEED_MS = DAY_MS / 4;

/** True while usage costs something, so that the account has to be fed. */
function isMetered({ subscription }: Account): boolean {
  return (
    subscription?.state === "running" &&
    listRuns(subscription).some(({ stretches }) =>
      stretches.some(({ card }) => card.meterId !== undefined),
    )
  );
}

/** How long usage of what has ended may still reach the ledger: a process that was killed is started again by then. */
const AFTER_END_MS = 40 * DAY_MS;
const AFTER_END_FIRST_MS = 5 * 60_000;

/**
 * When an account in which nothing runs looks for late usage again: at first after minutes, then as long after the end as has passed
 * since. `undefined` once none is to come.
 */
function lateUsageMs(after: Account, { aheadMs, now }: ChangedAccount): number | undefined {
  const endedMs = (after.life.at(-1)?.atMs ?? 0) - aheadMs;
  const passedMs = now.getTime() - endedMs;
  const rests = after.subscription?.state === "ended" || after.subscription?.state === "paused";
  return rests && passedMs < AFTER_END_MS
    ? now.getTime() + Math.max(AFTER_END_FIRST_MS, passedMs)
    : undefined;
}

/**
 * When something next has to be done, by the real clock. A boundary waits for the usage before it to reach the ledger. Accounts with
 * usage are fed a few times a day, so that the running invoice is computed from the usage of some hours and not of a year.
 */
export function dueAtOf(after: Account, changed: ChangedAccount): Date | null {
  const { loaded, advancedToMs, aheadMs, now, settings } = changed;
  const dueDates = dueDatesOf(loaded, { paymentDays: settings.paymentDays, now });
  const dueMs = nextDueMs(after, advancedToMs);
  const reminderMs = nextReminderMs(after, { dueDates, afterMs: advancedToMs });
  const creditMs = nextCreditMs(after, advancedToMs);
  const instants = [
    dueMs === undefined ? undefined : dueMs - aheadMs + SETTLE_MS,
    reminderMs === undefined ? undefined : reminderMs - aheadMs,
    creditMs === undefined ? undefined : creditMs - aheadMs,
    isMetered(after) ? now.getTime() + FEED_MS : undefined,
    lateUsageMs(after, changed),
  ].filter((ms) => ms !== undefined);
  return instants.length === 0 ? null : new Date(Math.min(...instants));
}
