import { databaseErrorCode } from "@turnpike/db/database-errors";
import type { AlertNotice, AlertState } from "@turnpike/domain/alerts/advance-alert";
import { advanceAlert, INITIAL_ALERT_STATE } from "@turnpike/domain/alerts/advance-alert";
import { SETTLE_MS, settledMinuteMs } from "@turnpike/domain/alerts/alert-rule";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { insertAlertEvent } from "./alert-events.store.ts";
import { type AlertRow, claimAlertRows, lockAlertRow, updateAlertRow } from "./alerts.store.ts";
import { type MeasuredWindow, measureWindow } from "./measure-window.ts";
import { type NotifyOfAlertDeps, notifyOfAlert, notifyOfFailedAlert } from "./notify-of-alert.ts";
import { fromAlertState, toAlertRule, toAlertState } from "./to-alert-reply.ts";

/** A process looks at so many at once: what a database answers beside the calls and screens of others. */
const AT_ONCE = 3;
/** It takes so many in hand, */
const BATCH = 6;
/** of one tenant no more than these, so that those of others have their turn; */
const BATCH_OF_TENANT = 2;
/** and gives them back by then: each statement takes ten seconds at the most, and a change asks two. */
export const CLAIM_MS = 120_000;
/** One run takes no longer: the next one goes on with what was due the longest. */
const RUN_MS = 45_000;
/** An alert that cannot be evaluated is tried again after so long. */
const FAILED_WAIT_MS = 15 * 60_000;
/** One that took too long is so the next minute, */
const TIMEOUT_WAIT_MS = 60_000;
/** until it did so many times in a row: then it is no moment of load any more. */
const TIMEOUTS_BEFORE_NOTICE = 3;
/** SQLSTATE of a statement that was ended by its time limit. */
const QUERY_CANCELED = "57014";

export type EvaluateOptions = {
  /** Left out: those of all tenants. */
  tenantIds?: readonly TenantId[];
};

async function claim(deps: NotifyOfAlertDeps, { tenantIds }: EvaluateOptions): Promise<AlertRow[]> {
  const now = deps.clock.now();
  const until = new Date(now.getTime() + CLAIM_MS);
  return await deps.transact.asOperator((tx) =>
    claimAlertRows(tx, { now, until, limit: BATCH, perTenant: BATCH_OF_TENANT, tenantIds }),
  );
}

/** What a pause that is over leaves behind is nothing: it begins as a new one. */
function startOf(row: AlertRow): AlertState {
  return row.paused_at === null ? toAlertState(row) : INITIAL_ALERT_STATE;
}

async function store(
  deps: NotifyOfAlertDeps,
  row: AlertRow,
  window: MeasuredWindow,
): Promise<AlertNotice | null> {
  const now = deps.clock.now();
  const rule = toAlertRule(row, window.unitMs);
  const { state, notice } = advanceAlert({
    rule,
    state: startOf(row),
    reading: window,
    isPaused: false,
  });
  const next: AlertRow = {
    ...row,
    ...fromAlertState(state),
    paused_at: null,
    paused_until: null,
    last_value: window.value,
    last_previous: window.previous,
    last_error: null,
    timeouts: 0,
    next_evaluation_at: new Date(
      Math.max(window.atMs + rule.everyMs + SETTLE_MS, now.getTime() + 1),
    ),
    claimed_until: null,
  };
  return await deps.transact.asOperator(async (tx) => {
    const current = await lockAlertRow(tx, row.tenant_id, row.alert_id);
    if (current?.revision !== row.revision) {
      // It was changed, paused or deleted meanwhile, or another process took it for ours being dead: that one decides.
      return null;
    }
    await updateAlertRow(tx, next);
    const alertEvent = {
      alert_event_id: deps.newId("alertEvent"),
      happened_at: now,
      value: window.value,
      note: "",
    };
    if (row.paused_at !== null) {
      const note = "The pause was over.";
      const resumed = { ...alertEvent, what: "resumed" as const, value: null, note };
      await insertAlertEvent(tx, row, resumed);
    }
    if (notice !== null) {
      const alert_event_id = deps.newId("alertEvent");
      await insertAlertEvent(tx, row, { ...alertEvent, alert_event_id, what: notice });
      await notifyOfAlert(deps, tx, { row: next, notice, reading: window });
    }
    return notice;
  });
}

async function storeFailure(
  deps: NotifyOfAlertDeps,
  row: AlertRow,
  error: AppError,
): Promise<void> {
  const now = deps.clock.now();
  const reason = error.message;
  const timeouts = isTimeout(error) ? row.timeouts + 1 : 0;
  const mayPass = timeouts > 0 && timeouts < TIMEOUTS_BEFORE_NOTICE;
  await deps.transact.asOperator(async (tx) => {
    const current = await lockAlertRow(tx, row.tenant_id, row.alert_id);
    if (current?.revision !== row.revision) {
      return;
    }
    await updateAlertRow(tx, {
      ...row,
      timeouts,
      last_error: mayPass ? row.last_error : reason,
      next_evaluation_at: new Date(now.getTime() + (mayPass ? TIMEOUT_WAIT_MS : FAILED_WAIT_MS)),
      claimed_until: null,
    });
    if (!mayPass && row.last_error === null) {
      await insertAlertEvent(tx, row, {
        alert_event_id: deps.newId("alertEvent"),
        happened_at: now,
        what: "failed",
        value: null,
        note: reason,
      });
      await notifyOfFailedAlert(deps, tx, { row, reason });
    }
  });
}

/** True when a question was given up after some time, which a busy database does to any: not for its size. */
function isTimeout(error: AppError): boolean {
  return error.code === "QUERY_TOO_COSTLY" && databaseErrorCode(error.cause) === QUERY_CANCELED;
}

/** What the question itself is to blame for, or may be; everything else passes by itself. */
function isOfQuestion(error: unknown): error is AppError {
  const codes: readonly string[] = ["INVALID_REQUEST", "QUERY_TOO_COSTLY", "RESOURCE_NOT_FOUND"];
  return error instanceof AppError && codes.includes(error.code);
}

/** Looks at one alert that this process has in hand. @returns What was told. */
async function evaluateAlert(deps: NotifyOfAlertDeps, row: AlertRow): Promise<AlertNotice | null> {
  const toMs = settledMinuteMs(deps.clock.now().getTime());
  let window: MeasuredWindow;
  try {
    window = await measureWindow(
      deps,
      {
        tenantId: row.tenant_id,
        query: row.query,
        windowMinutes: row.window_minutes,
        kind: row.condition.kind,
      },
      toMs,
    );
  } catch (error) {
    if (!isOfQuestion(error)) {
      throw error;
    }
    await storeFailure(deps, row, error);
    return null;
  }
  return await store(deps, row, window);
}

/** What is due, batch by batch, until there is nothing or the run is over. Several may take from it at once. */
async function* takeDue(
  deps: NotifyOfAlertDeps,
  signal: AbortSignal,
  options: EvaluateOptions,
): AsyncGenerator<AlertRow> {
  const endMs = deps.clock.monotonicMs() + RUN_MS;
  while (!signal.aborted && deps.clock.monotonicMs() < endMs) {
    const rows = await claim(deps, options);
    if (rows.length === 0) {
      return;
    }
    yield* rows;
  }
}

/**
 * Looks at the alerts that are due, of all tenants in turns. Several processes share them; one that is killed loses none and
 * tells nothing twice, because what was decided and what is told of it are one transaction. After a time without evaluations
 * each alert is looked at once, at the newest window.
 *
 * @returns How many were looked at, and how many notices that gave.
 */
export async function evaluateAlerts(
  deps: NotifyOfAlertDeps,
  signal: AbortSignal,
  options: EvaluateOptions = {},
): Promise<{ evaluated: number; notified: number }> {
  const sum = { evaluated: 0, notified: 0 };
  const due = takeDue(deps, signal, options);
  const work = async () => {
    for await (const row of due) {
      try {
        const notice = await evaluateAlert(deps, row);
        sum.notified += notice === null ? 0 : 1;
        sum.evaluated += 1;
      } catch (error) {
        // The others must not wait for it; it is taken up again when the claim is over.
        deps.logger.warn({ err: error, alertId: row.alert_id }, "an alert was not evaluated");
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
  const failed = ends.find((end) => end.status === "rejected");
  if (failed !== undefined) {
    throw failed.reason;
  }
  return sum;
}
