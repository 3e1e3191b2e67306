import { type Account, isRunning, lifeOf } from "../account/account.ts";
import { accessAt, makeAttempts, nextDunningMs } from "../payments/dunning.ts";
import { beginScheduled, isScheduled } from "./schedule.ts";
import { settleCredit } from "./settle-credit.ts";
import { nextBoundaryMs, turnPeriod } from "./turn-period.ts";

/** Records what has changed by itself: credit, the life of a subscription, and what the customer may do. */
export function recordStates(given: Account, atMs: number): Account {
  const account = settleCredit(given, atMs);
  const { subscription, life, access, calendars, terms, invoices } = account;
  if (subscription === undefined) {
    return account;
  }
  const state = lifeOf(subscription);
  const { planId } = subscription.run.plan;
  const last = life.at(-1);
  const isSame = last?.state === state && last.planId === planId;
  const reached = accessAt(calendars, terms.dunning, { invoices, atMs });
  return {
    ...account,
    life: isSame ? life : [...life, { atMs, state, planId }],
    access: access.at(-1)?.state === reached ? access : [...access, { atMs, state: reached }],
  };
}

/** Does what is due at the next boundary of a subscription; `undefined` without one. */
function passBoundary(account: Account, atMs: number): Account | undefined {
  const { subscription } = account;
  if (isScheduled(subscription)) {
    return beginScheduled(account, subscription);
  }
  return isRunning(account) ? turnPeriod(account, atMs) : undefined;
}

/** Turns periods at one instant until nothing is due any more. */
function turnAt(account: Account, atMs: number): Account {
  let current = account;
  while ((nextBoundaryMs(current) ?? atMs + 1) <= atMs) {
    const turned = passBoundary(current, atMs);
    if (turned === undefined) {
      break;
    }
    current = recordStates(turned, atMs);
  }
  return current;
}

/** The next instant from `fromMs` on at which something is due by itself; `undefined` for none. */
export function nextDueMs(account: Account, fromMs: number): number | undefined {
  const { calendars, terms, invoices } = account;
  const instants = [
    nextBoundaryMs(account),
    nextDunningMs(calendars, terms.dunning, { invoices, afterMs: fromMs }),
  ].filter((ms) => ms !== undefined);
  return instants.length === 0 ? undefined : Math.min(...instants);
}

/**
 * Lets time pass up to and including `toMs`: periods close and open in order, then attempts to collect are made, instant by instant.
 *
 * @param fromMs - Where the account is in time.
 */
export function advance(
  account: Account,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Account {
  let current = account;
  let nowMs = fromMs;
  for (;;) {
    const nextMs = nextDueMs(current, nowMs);
    if (nextMs === undefined || nextMs > toMs) {
      return settleCredit(current, toMs);
    }
    nowMs = Math.max(nowMs, nextMs);
    current = turnAt(current, nowMs);
    const made = makeAttempts(current.calendars, current.terms.dunning, {
      invoices: current.invoices,
      atMs: nowMs,
    });
    current = recordStates(
      {
        ...current,
        calendars: made.calendars,
        attempts: [...current.attempts, ...made.attempts],
      },
      nowMs,
    );
  }
}
