import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** The alerts of a deleted tenant. They are not evaluated until the tenant is restored. */
export const alertsOfTenant = {
  /** Needs the operator role. Deletes the history first, so that deleting an alert never cascades to more than `limit` rows. */
  async forget(tx: Tx, input: { tenantId: TenantId; limit: number }): Promise<number> {
    const { tenantId, limit } = input;
    const alertEvents = await tx`
      delete from alert_events where ctid = any(array(
        select ctid from alert_events where tenant_id = ${tenantId} limit ${limit}))
      returning 1`;
    if (alertEvents.length > 0) {
      return alertEvents.length;
    }
    const alerts = await tx`delete from alerts where tenant_id = ${tenantId} returning 1`;
    const states =
      await tx`delete from quota_alert_states where tenant_id = ${tenantId} returning 1`;
    const settings =
      await tx`delete from quota_alert_settings where tenant_id = ${tenantId} returning 1`;
    const runOuts =
      await tx`delete from run_out_alert_states where tenant_id = ${tenantId} returning 1`;
    const runOutSettings =
      await tx`delete from run_out_alert_settings where tenant_id = ${tenantId} returning 1`;
    return alerts.length + states.length + settings.length + runOuts.length + runOutSettings.length;
  },
};
