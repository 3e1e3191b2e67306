import {
  ALERTS_MAX,
  type Alert,
  type AlertEvent,
  type CreateAlertRequest,
  type UpdateAlertRequest,
} from "@turnpike/contract/alerts";
import type { JsonValue } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import { pausedState } from "@turnpike/domain/alerts/advance-alert";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { lockCountOf } from "#platform/count-lock.store.ts";
import { parseIdCursor } from "#platform/parse-cursor.ts";
import { listAlertEventRows } from "./alert-events.store.ts";
import {
  auditAlert,
  getAlertRow,
  type NamedAlert,
  orNotFound,
  recordAlertEvent,
} from "./alert-rows.ts";
import {
  type AlertRow,
  deleteAlertRow,
  findAlertRow,
  insertAlert,
  listAlertRows,
  lockAlertRow,
  updateAlertRow,
} from "./alerts.store.ts";
import {
  assertAnswerable,
  assertMayAlerts,
  assertMayAsk,
  toCondition,
} from "./assert-answerable.ts";
import {
  fromAlertState,
  isPausedAt,
  toAlertEventReply,
  toAlertReply,
  toAlertState,
} from "./to-alert-reply.ts";

/**
 * Adds an alert. Its first evaluation is in the next minute.
 *
 * @throws {AppError} `INVALID_REQUEST` for a question that cannot be answered; `QUERY_TOO_COSTLY`; `CONFLICT` at the limit of
 *   alerts; `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`.
 */
export async function createAlert(
  deps: AppServices,
  context: CallContext,
  input: CreateAlertRequest,
): Promise<Alert> {
  const { tenantId } = input;
  assertMayAsk(context, "write", tenantId);
  await assertAnswerable(deps, { ...input, kind: input.condition.kind });
  const now = deps.clock.now();
  const row: AlertRow = {
    tenant_id: tenantId,
    alert_id: deps.newId("alert"),
    name: input.name,
    query: input.query,
    window_minutes: input.windowMinutes,
    condition: toCondition(input.condition),
    for_evaluations: input.forEvaluations,
    renotify_minutes: input.renotifyMinutes,
    mail_roles: [...new Set(input.mailRoles)],
    paused_at: null,
    paused_until: null,
    phase: "ok",
    phase_since: null,
    streak: 0,
    evaluated_to: null,
    notice_at: null,
    last_value: null,
    last_previous: null,
    last_error: null,
    timeouts: 0,
    next_evaluation_at: now,
    claimed_until: null,
    revision: 0n,
    created_at: now,
    updated_at: now,
  };
  await deps.transact.asTenant(tenantId, async (tx) => {
    await assertTenantExists(tx, tenantId);
    await lockCountOf(tx, "alerts", tenantId);
    if ((await listAlertRows(tx, tenantId, ALERTS_MAX)).length === ALERTS_MAX) {
      throw new AppError({
        code: "CONFLICT",
        publicMessage: `There are already ${String(ALERTS_MAX)} alerts: delete one first.`,
      });
    }
    await insertAlert(tx, row);
    await auditAlert(deps, tx, context, { row, verb: "created", details: toDetails(row) });
  });
  return toAlertReply(row, now);
}

function toDetails(row: AlertRow): Record<string, JsonValue> {
  const { query, condition, window_minutes: windowMinutes, mail_roles: mailRoles } = row;
  return { query, condition: { ...condition }, windowMinutes, mailRoles };
}

/** Lists the alerts of a tenant, newest first. @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`. */
export async function listAlerts(
  deps: AppServices,
  context: CallContext,
  { tenantId }: { tenantId: TenantId },
): Promise<{ items: Alert[] }> {
  assertMayAlerts(context, "read", tenantId);
  const rows = await deps.transact.asTenant(tenantId, async (tx) => {
    await assertTenantExists(tx, tenantId);
    return await listAlertRows(tx, tenantId, ALERTS_MAX);
  });
  return { items: rows.map((row) => toAlertReply(row, deps.clock.now())) };
}

/** @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`. */
export async function getAlert(
  deps: AppServices,
  context: CallContext,
  { tenantId, alertId }: NamedAlert,
): Promise<Alert> {
  assertMayAlerts(context, "read", tenantId);
  const row = await deps.transact.asTenant(tenantId, (tx) => findAlertRow(tx, tenantId, alertId));
  return toAlertReply(orNotFound(row), deps.clock.now());
}

/** Changes a locked row, and audits who did what. */
async function change(
  deps: AppServices,
  context: CallContext,
  input: NamedAlert & {
    verb: "updated" | "paused" | "resumed";
    decide: (row: AlertRow, now: Date) => AlertRow;
    what: (before: AlertRow, after: AlertRow) => AlertEvent["what"] | null;
  },
): Promise<Alert> {
  const { tenantId, alertId, verb } = input;
  assertMayAlerts(context, "write", tenantId);
  const now = deps.clock.now();
  return await deps.transact.asTenant(tenantId, async (tx) => {
    const before = orNotFound(await lockAlertRow(tx, tenantId, alertId));
    const after = { ...input.decide(before, now), updated_at: now };
    await updateAlertRow(tx, after);
    const what = input.what(before, after);
    if (what !== null) {
      await recordAlertEvent(deps, tx, after, { what });
    }
    const pausedUntil = after.paused_until?.toISOString() ?? null;
    const details = verb === "updated" ? toDetails(after) : { pausedUntil };
    await auditAlert(deps, tx, context, { row: after, verb, details });
    return toAlertReply(after, now);
  });
}

/** The state of an alert that starts over. */
function begin(row: AlertRow, now: Date): AlertRow {
  return {
    ...row,
    ...fromAlertState({ ...pausedState(toAlertState(row)), evaluatedToMs: null }),
    last_value: null,
    last_previous: null,
    last_error: null,
    timeouts: 0,
    next_evaluation_at: now,
    claimed_until: null,
  };
}

/** True if the measurement, or the condition to fire, differs. */
function isOtherRule(before: AlertRow, after: AlertRow): boolean {
  const rule = (row: AlertRow) => [
    row.query.measure,
    Object.entries(row.query.filters).sort(([one], [other]) => (one < other ? -1 : 1)),
    Object.entries(row.condition).sort(([one], [other]) => (one < other ? -1 : 1)),
    row.window_minutes,
    row.for_evaluations,
  ];
  return JSON.stringify(rule(before)) !== JSON.stringify(rule(after));
}

/**
 * Changes an alert. With another rule it starts over: a state reached under the old rule says nothing about the new one.
 *
 * @throws {AppError} As {@link createAlert}.
 */
export async function updateAlert(
  deps: AppServices,
  context: CallContext,
  input: UpdateAlertRequest,
): Promise<Alert> {
  const { tenantId, alertId } = input;
  assertMayAsk(context, "write", tenantId);
  const present = await getAlertRow(deps, { tenantId, alertId });
  await assertAnswerable(deps, {
    tenantId,
    query: input.query ?? present.query,
    windowMinutes: input.windowMinutes ?? present.window_minutes,
    kind: input.condition?.kind ?? present.condition.kind,
  });
  return await change(deps, context, {
    tenantId,
    alertId,
    verb: "updated",
    decide: (before, now) => {
      const { renotifyMinutes, condition } = input;
      const after: AlertRow = {
        ...before,
        name: input.name ?? before.name,
        query: input.query ?? before.query,
        window_minutes: input.windowMinutes ?? before.window_minutes,
        condition: condition === undefined ? before.condition : toCondition(condition),
        for_evaluations: input.forEvaluations ?? before.for_evaluations,
        renotify_minutes: renotifyMinutes === undefined ? before.renotify_minutes : renotifyMinutes,
        mail_roles: [...new Set(input.mailRoles ?? before.mail_roles)],
      };
      return isOtherRule(before, after) ? begin(after, now) : after;
    },
    what: (before, after) => (isOtherRule(before, after) ? "changed" : null),
  });
}

/**
 * Pauses an alert: it is not evaluated, is ok and sends nothing. It starts over at `until`, or when it is resumed.
 *
 * @throws {AppError} `INVALID_REQUEST` for a time in the past; `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`.
 */
export async function pauseAlert(
  deps: AppServices,
  context: CallContext,
  input: NamedAlert & { until?: string | undefined },
): Promise<Alert> {
  const until = input.until === undefined ? null : new Date(input.until);
  return await change(deps, context, {
    tenantId: input.tenantId,
    alertId: input.alertId,
    verb: "paused",
    decide: (before, now) => {
      if (until !== null && until <= now) {
        const message = "Must be in the future.";
        throw new AppError({
          code: "INVALID_REQUEST",
          publicMessage: message,
          errors: [{ pointer: "/until", message }],
        });
      }
      return { ...begin(before, until ?? now), paused_at: now, paused_until: until };
    },
    what: () => "paused",
  });
}

/** Resumes an alert; no-op if it is not paused. @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`. */
export async function resumeAlert(
  deps: AppServices,
  context: CallContext,
  { tenantId, alertId }: NamedAlert,
): Promise<Alert> {
  return await change(deps, context, {
    tenantId,
    alertId,
    verb: "resumed",
    decide: (before, now) =>
      before.paused_at === null
        ? before
        : { ...begin(before, now), paused_at: null, paused_until: null },
    what: (before, after) =>
      before.paused_at !== null && isPausedAt(before, after.updated_at) ? "resumed" : null,
  });
}

/** Deletes an alert and its history. @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`. */
export async function deleteAlert(
  deps: AppServices,
  context: CallContext,
  { tenantId, alertId }: NamedAlert,
): Promise<void> {
  assertMayAlerts(context, "write", tenantId);
  await deps.transact.asTenant(tenantId, async (tx) => {
    const row = orNotFound(await deleteAlertRow(tx, tenantId, alertId));
    await auditAlert(deps, tx, context, { row, verb: "deleted" });
  });
}

/** Lists the history of an alert, newest first. @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`. */
export async function listAlertHistory(
  deps: AppServices,
  context: CallContext,
  input: NamedAlert & { cursor?: string | undefined; limit: number },
): Promise<{ items: AlertEvent[]; nextCursor: string | null }> {
  const { tenantId, alertId, limit, cursor } = input;
  assertMayAlerts(context, "read", tenantId);
  const beforeId = parseIdCursor("alertEvent", cursor);
  const rows = await deps.transact.asTenant(tenantId, async (tx) => {
    orNotFound(await findAlertRow(tx, tenantId, alertId));
    return await listAlertEventRows(tx, tenantId, { alertId, beforeId, limit: limit + 1 });
  });
  const items = rows.slice(0, limit).map(toAlertEventReply);
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.happeningId ?? null) : null };
}
