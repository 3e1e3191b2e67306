import type { BillingClock } from "@turnpike/contract/sandbox";
import type { BillingEvent } from "@turnpike/contract/subscriptions";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { findTenantRow } from "#modules/tenants/index.ts";
import { shareOf } from "#platform/transact.ts";
import { listAccounts } from "../accounts/accounts.store.ts";
import type { BillingDeps } from "../billing-deps.ts";

export function toClock(
  tenantId: TenantId,
  { now, aheadMs, events }: { now: Date; aheadMs: number; events: BillingEvent[] },
): BillingClock {
  return {
    tenantId,
    now: new Date(now.getTime() + aheadMs).toISOString(),
    realNow: now.toISOString(),
    aheadMs,
    events,
  };
}

/**
 * Gets the time in the sandbox of a tenant. It is the real time until it is advanced.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INSUFFICIENT_SCOPE`.
 */
export async function getClock(
  deps: BillingDeps,
  context: CallContext,
  { tenantId }: { tenantId: TenantId },
): Promise<BillingClock> {
  assertMayInTenant(context.actor, "billing:read", tenantId);
  return await deps.transact.asOperator(async (tx) => {
    if ((await findTenantRow(tx, tenantId)) === undefined) {
      throw resourceNotFound("tenant");
    }
    const [row] = await listAccounts(tx, [{ tenantId, environment: "test" }]);
    const now = deps.clock.now();
    return toClock(tenantId, { now, aheadMs: row?.aheadMs ?? 0, events: [] });
  }, shareOf(context.actor));
}
