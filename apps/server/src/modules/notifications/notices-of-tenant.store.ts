import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** The notifications and webhooks of a deleted tenant. Needs the operator role. */
export const noticesOfTenant = {
  /** Disables every endpoint and fails its waiting deliveries. A restored tenant does not get them back. */
  async close(tx: Tx, input: { tenantId: TenantId; now: Date }): Promise<void> {
    // Locks the endpoint first, as every change of its deliveries does.
    await tx`
      update webhook_endpoints set state = 'disabled', updated_at = ${input.now}
      where tenant_id = ${input.tenantId} and state <> 'disabled'`;
    await tx`
      update webhook_deliveries set state = 'failed', claimed_until = null, finished_at = ${input.now}
      where tenant_id = ${input.tenantId} and state = 'pending'`;
  },
  /** Deletes deliveries first, so that deleting an endpoint never cascades to more than `limit` rows. */
  async forget(tx: Tx, input: { tenantId: TenantId; limit: number }): Promise<number> {
    const { tenantId, limit } = input;
    const deliveries = await tx`
      delete from webhook_deliveries where ctid = any(array(
        select ctid from webhook_deliveries where tenant_id = ${tenantId} limit ${limit}))
      returning 1`;
    if (deliveries.length > 0) {
      return deliveries.length;
    }
    const endpoints = await tx`
      delete from webhook_endpoints where tenant_id = ${tenantId} returning 1`;
    const notifications = await tx`
      delete from notifications where ctid = any(array(
        select ctid from notifications where tenant_id = ${tenantId} limit ${limit}))
      returning 1`;
    return endpoints.length + notifications.length;
  },
};
