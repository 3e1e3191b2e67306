import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** What becomes of the notifications and webhooks of a tenant that is deleted. Needs the operator role. */
export const noticesOfTenant = {
  /** Disables every endpoint; what waits for one has failed. Both stay so when the tenant is restored. */
  async close(tx: Tx, input: { tenantId: TenantId; now: Date }): Promise<void> {
    // The endpoint first: whoever changes its deliveries holds it.
    await tx`
      update webhook_endpoints set state = 'disabled', updated_at = ${input.now}
      where tenant_id = ${input.tenantId} and state <> 'disabled'`;
    await tx`
      update webhook_deliveries set state = 'failed', claimed_until = null, finished_at = ${input.now}
      where tenant_id = ${input.tenantId} and state = 'pending'`;
  },
  /** Deliveries first, so that no endpoint takes more than `limit` of them with it. */
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
