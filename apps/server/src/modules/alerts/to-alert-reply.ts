import type { Alert, AlertEvent } from "@turnpike/contract/alerts";
import type { AlertState } from "@turnpike/domain/alerts/advance-alert";
import { type AlertRule, evaluationIntervalMs } from "@turnpike/domain/alerts/alert-rule";
import type { AlertEventRow } from "./alert-events.store.ts";
import type { AlertRow } from "./alerts.store.ts";

const MINUTE_MS = 60_000;

/** True while the alert is not evaluated. A pause that is over does not count, even before the next evaluation. */
export function isPausedAt(row: Pick<AlertRow, "paused_at" | "paused_until">, now: Date): boolean {
  return row.paused_at !== null && (row.paused_until === null || row.paused_until > now);
}

export function toAlertReply(row: AlertRow, now: Date): Alert {
  const isPaused = isPausedAt(row, now);
  return {
    alertId: row.alert_id,
    tenantId: row.tenant_id,
    name: row.name,
    query: row.query,
    windowMinutes: row.window_minutes,
    condition: row.condition,
    forEvaluations: row.for_evaluations,
    renotifyMinutes: row.renotify_minutes,
    mailRoles: row.mail_roles,
    phase: row.phase,
    phaseSince: row.phase_since?.toISOString() ?? null,
    isPaused,
    pausedUntil: isPaused ? (row.paused_until?.toISOString() ?? null) : null,
    lastValue: row.last_value,
    lastPrevious: row.last_previous,
    evaluatedTo: row.evaluated_to?.toISOString() ?? null,
    lastError: row.last_error,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

export function toAlertEventReply(row: AlertEventRow): AlertEvent {
  return {
    happeningId: row.alert_event_id,
    at: row.happened_at.toISOString(),
    what: row.what,
    value: row.value,
    note: row.note,
  };
}

type RuleRow = Pick<
  AlertRow,
  "condition" | "for_evaluations" | "renotify_minutes" | "window_minutes"
>;

/** @param unitMs - The time unit in which the measure is stored: evaluations are never closer together. */
export function toAlertRule(row: RuleRow, unitMs: number): AlertRule {
  return {
    condition: row.condition,
    forEvaluations: row.for_evaluations,
    renotifyMs: row.renotify_minutes === null ? null : row.renotify_minutes * MINUTE_MS,
    everyMs: Math.max(unitMs, evaluationIntervalMs(row.window_minutes)),
  };
}

export function toAlertState(row: AlertRow): AlertState {
  return {
    phase: row.phase,
    sinceMs: row.phase_since?.getTime() ?? null,
    streak: row.streak,
    evaluatedToMs: row.evaluated_to?.getTime() ?? null,
    noticeAtMs: row.notice_at?.getTime() ?? null,
  };
}

function toDate(epochMs: number | null): Date | null {
  return epochMs === null ? null : new Date(epochMs);
}

export function fromAlertState(
  state: AlertState,
): Pick<AlertRow, "phase" | "phase_since" | "streak" | "evaluated_to" | "notice_at"> {
  return {
    phase: state.phase,
    phase_since: toDate(state.sinceMs),
    streak: state.streak,
    evaluated_to: toDate(state.evaluatedToMs),
    notice_at: toDate(state.noticeAtMs),
  };
}
