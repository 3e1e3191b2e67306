import type { BillingClock } from "@turnpike/contract/sandbox";
import type { Tx } from "@turnpike/db/client";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { passTime } from "@turnpike/domain/billing/lifecycle/pass-time";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import { findTenantRow } from "#modules/tenants/index.ts";
import { type AccountRow, lockAccount } from "../accounts/accounts.store.ts";
import { effectiveMs } from "../accounts/effective-ms.ts";
import { loadAccounts } from "../accounts/load-accounts.ts";
import { takeCutOff } from "../accounts/take-cut-off.ts";
import { writeChanges } from "../accounts/write-changes.ts";
import { toWrites } from "../accounts/writes/to-writes.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { createReminderCollector, dueDatesOf } from "../reminders/collect-reminders.ts";
import { notifyOfReminders } from "../reminders/notify-of-reminders.ts";
import { syncSpendBudget } from "../spend-cap/sync-spend-budget.ts";
import { toBillingEvents } from "../subscriptions/list-billing-events.ts";
import { CLOCK_ADVANCED, insertShift, listLastAdvance } from "./clock.store.ts";
import { toClock } from "./get-clock.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Two years, one of them a leap year. */
const ADVANCE_MAX_MS = 731 * DAY_MS;
/** So that a loop of advances ends. */
const AHEAD_MAX_MS = 20 * 366 * DAY_MS;

export type AdvanceInput = { tenantId: TenantId; to: string };

function refuse(message: string): AppError {
  return new AppError({
    code: "INVALID_REQUEST",
    publicMessage: message,
    errors: [{ pointer: "/to", message }],
  });
}

async function refuseEmpty(tx: Tx, tenantId: TenantId): Promise<AppError> {
  const tenant = await findTenantRow(tx, tenantId);
  return tenant === undefined
    ? resourceNotFound("tenant")
    : new AppError({
        code: "CONFLICT",
        publicMessage:
          "The sandbox has no subscription, so nothing would happen in it: choose a plan in the environment test first.",
        extensions: { reason: "no_subscription" },
      });
}

/** How far ahead the clock is once it shows `toMs`. @throws {AppError} `INVALID_REQUEST` beyond the bounds. */
function toAheadMs({ aheadMs }: AccountRow, { toMs, now }: { toMs: number; now: Date }): number {
  const sandboxMs = now.getTime() + aheadMs;
  if (toMs <= sandboxMs) {
    throw refuse(
      `The clock of a sandbox goes forward only: it is ${new Date(sandboxMs).toISOString()} there.`,
    );
  }
  if (toMs > sandboxMs + ADVANCE_MAX_MS) {
    throw refuse("The clock of a sandbox is advanced by two years at most: advance it in steps.");
  }
  const ahead = toMs - now.getTime();
  if (ahead > AHEAD_MAX_MS) {
    throw refuse("The clock of a sandbox is at most twenty years ahead.");
  }
  return ahead;
}

async function advance(
  deps: BillingDeps,
  tx: Tx,
  context: CallContext,
  { row, recordedTo, toMs }: { row: AccountRow; recordedTo: Date; toMs: number },
): Promise<BillingClock> {
  const { tenantId, advancedTo } = row;
  const now = deps.clock.now();
  const aheadMs = toAheadMs(row, { toMs, now });
  const [loaded] = await loadAccounts(tx, [row], { settings: deps.billing, recordedTo });
  if (loaded === undefined) {
    throw new Error(`The sandbox of ${tenantId} was not loaded.`);
  }
  const reachedMs = effectiveMs(toMs, row);
  const dueDates = dueDatesOf(loaded, { paymentDays: deps.billing.paymentDays, now });
  const { onSpan, list } = createReminderCollector(loaded, dueDates);
  const after = passTime(loaded.account, {
    fromMs: advancedTo.getTime(),
    toMs: reachedMs,
    // Recorded before the clock moves, so it happened by the clock as it was.
    usages: loaded.usages,
    onSpan,
  });
  const reminders = list(reachedMs);
  const fromMs = now.getTime() + row.aheadMs;
  const details = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
  const writes = toWrites({
    loaded,
    after,
    advancedToMs: reachedMs,
    now,
    aheadMs,
    actor: `${context.actor.type}:${context.actor.id}`,
    events: [{ kind: CLOCK_ADVANCED, atMs: fromMs, details: { ...details, after: row.events } }],
    reminders,
    // A sandbox brings nothing.
    revenue: [],
    noteReason: "Usage of an earlier period was recorded late.",
    settings: deps.billing,
    newId: deps.newId,
  });
  const [written] = await writeChanges(deps, tx, { writes: [writes], now });
  if (written === undefined) {
    throw new Error("An account that is locked was changed by something else.");
  }
  await syncSpendBudget(tx, { loaded, after, atMs: reachedMs, aheadMs, now });
  await insertShift(tx, { tenantId, recordedTo: loaded.recordedTo, aheadMs: row.aheadMs });
  await notifyOfReminders(deps, tx, { loaded, after, reminders });
  await writeAudit(deps, tx, context, {
    tenantId,
    action: "sandbox.clock_advanced",
    entityType: "tenant",
    entityId: tenantId,
    details,
  });
  const events = await toBillingEvents(tx, await listLastAdvance(tx, tenantId));
  return toClock(tenantId, { now, aheadMs, events });
}

/**
 * Lets time pass in the sandbox of a tenant, in one transaction: everything happens that would have happened on the way. Usage that
 * is recorded from now on happens by the new time. Asking again for the instant that was asked for last changes nothing.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INSUFFICIENT_SCOPE`, `INVALID_REQUEST` for an instant that is not ahead or is
 *   too far, `CONFLICT` for a sandbox without a subscription.
 */
export async function advanceClock(
  deps: BillingDeps,
  context: CallContext,
  { tenantId, to }: AdvanceInput,
): Promise<BillingClock> {
  assertMayInTenant(context.actor, "billing:write", tenantId);
  const toMs = Date.parse(to);
  const recordedTo = await takeCutOff(deps);
  return await deps.transact.asOperator(async (tx) => {
    const row = await lockAccount(tx, { tenantId, environment: "test" });
    if (row === undefined) {
      throw await refuseEmpty(tx, tenantId);
    }
    const events = await listLastAdvance(tx, tenantId);
    const last = events.find(({ kind }) => kind === CLOCK_ADVANCED);
    if (last?.details["to"] !== new Date(toMs).toISOString()) {
      return await advance(deps, tx, context, { row, recordedTo, toMs });
    }
    return toClock(tenantId, {
      now: deps.clock.now(),
      aheadMs: row.aheadMs,
      events: await toBillingEvents(tx, events),
    });
  });
}
