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

/** Questions that one process asks concurrently: a load that the database can bear beside calls and screens. */
const AT_ONCE = 3;
/** Alerts that a process claims at once. */
const BATCH = 6;
/** Claims of one tenant in a batch, so that other tenants get their turn. */
const BATCH_OF_TENANT = 2;
/** How long a claim lasts: each statement takes at most ten seconds, and a change needs two. */
export const CLAIM_MS = 120_000;
/** The longest run. The next one continues with the longest overdue alerts. */
const RUN_MS = 45_000;
/** How long after a failure an alert is retried. */
const FAILED_WAIT_MS = 15 * 60_000;
/** How long after a timeout it is retried, */
const TIMEOUT_WAIT_MS = 60_000;
/** until there are this many timeouts in a row. Then load is no longer the explanation. */
const TIMEOUTS_BEFORE_NOTICE = 3;
/** SQLSTATE of a statement that exceeded its time limit. */
const QUERY_CANCELED = "57014";

export type EvaluateOptions = {
  /** Left out: all tenants. */
  tenantIds?: readonly TenantId[];
};

async function claim(deps: NotifyOfAlertDeps, { tenantIds }: EvaluateOptions): Promise<AlertRow[]> {
  const now = deps.clock.now();
  const until = new Date(now.getTime() + CLAIM_MS);
  return await deps.transact.asOperator((tx) =>
    claimAlertRows(tx, { now, until, limit: BATCH, perTenant: BATCH_OF_TENANT, tenantIds }),
  );
}

/** After a pause that has ended, an alert starts over. */
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
      // It was changed, paused or deleted meanwhile, or another process took over because this one seemed dead. That one decides.
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
      const note = "The pause ended.";
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

/** True for a question that timed out, which a busy database can cause. A question that is too large fails differently. */
function isTimeout(error: AppError): boolean {
  return error.code === "QUERY_TOO_COSTLY" && databaseErrorCode(error.cause) === QUERY_CANCELED;
}

/** True for errors that are, or may be, caused by the question itself. All others are temporary. */
function isOfQuestion(error: unknown): error is AppError {
  const codes: readonly string[] = ["INVALID_REQUEST", "QUERY_TOO_COSTLY", "RESOURCE_NOT_FOUND"];
  return error instanceof AppError && codes.includes(error.code);
}

/** Evaluates an alert that this process has claimed. @returns The notice that was sent. */
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

/** Yields the due alerts in batches until there are none left or the run is over. Several consumers may share it. */
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
 * Evaluates the due alerts of all tenants, in turns. Several processes share the work. A killed process loses no alert and sends
 * no notice twice, because a decision and its notice are one transaction. After a time without evaluations each alert is
 * evaluated once, for the newest window.
 *
 * @returns How many alerts were evaluated, and how many notices were sent.
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
        // The others must not wait for it. It is retried when the claim expires.
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
