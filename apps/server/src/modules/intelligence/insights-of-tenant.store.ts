import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** The insights of a deleted tenant, and who was mailed of them. */
export const insightsOfTenant = {
  /** Needs the operator role. */
  async forget(tx: Tx, input: { tenantId: TenantId; limit: number }): Promise<number> {
    const { tenantId, limit } = input;
    const insights = await tx`
      delete from insights where ctid = any(array(
        select ctid from insights where tenant_id = ${tenantId} limit ${limit}))
      returning 1`;
    if (insights.length > 0) {
      return insights.length;
    }
    const digests = await tx`
      delete from insight_digests where tenant_id = ${tenantId} returning 1`;
    const checks = await tx`delete from insight_checks where tenant_id = ${tenantId} returning 1`;
    const advice = await tx`delete from kept_plan_advice where tenant_id = ${tenantId} returning 1`;
    return digests.length + checks.length + advice.length;
  },
};
