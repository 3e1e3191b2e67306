import type { AlertEvent } from "@turnpike/contract/alerts";
import type { JsonValue, Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { insertAlertEvent } from "./alert-events.store.ts";
import { type AlertRow, findAlertRow } from "./alerts.store.ts";

export type NamedAlert = { tenantId: TenantId; alertId: string };

export async function auditAlert(
  deps: AppServices,
  tx: Tx,
  context: CallContext,
  input: { row: AlertRow; verb: string; details?: Record<string, JsonValue> },
): Promise<void> {
  await writeAudit(deps, tx, context, {
    tenantId: input.row.tenant_id,
    action: `alert.${input.verb}`,
    entityType: "alert",
    entityId: input.row.alert_id,
    details: { name: input.row.name, ...input.details },
  });
}

/** Adds to the history of an alert. */
export async function recordAlertEvent(
  deps: AppServices,
  tx: Tx,
  row: AlertRow,
  alertEvent: { what: AlertEvent["what"]; note?: string },
): Promise<void> {
  await insertAlertEvent(tx, row, {
    alert_event_id: deps.newId("alertEvent"),
    happened_at: deps.clock.now(),
    value: null,
    note: "",
    ...alertEvent,
  });
}

/** @throws {AppError} `RESOURCE_NOT_FOUND`. */
export function orNotFound<Row>(row: Row | undefined): Row {
  if (row === undefined) {
    throw resourceNotFound("alert");
  }
  return row;
}

/** @throws {AppError} `RESOURCE_NOT_FOUND`. */
export async function getAlertRow(
  deps: AppServices,
  { tenantId, alertId }: NamedAlert,
): Promise<AlertRow> {
  return orNotFound(
    await deps.transact.asTenant(tenantId, (tx) => findAlertRow(tx, tenantId, alertId)),
  );
}
