import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { fromScaled, toScaled } from "@turnpike/domain/money/decimal";
import { periodAt } from "@turnpike/domain/time/period";
import { findEntitlement } from "#modules/entitlements/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { listBalances } from "./usage.store.ts";

/**
 * Gets the price and limits of a tenant's plan, what is used and left of each limit in the current billing period, and the use
 * of other meters.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`.
 */
export async function getLimits(
  deps: AppServices,
  context: CallContext,
  input: { tenantId: TenantId },
) {
  assertMayInTenant(context.actor, "usage:read", input.tenantId);
  return await deps.transact.asTenant(input.tenantId, async (tx) => {
    const entitlement = await findEntitlement(tx, input.tenantId);
    if (entitlement === undefined) {
      throw resourceNotFound("tenant");
    }
    const { planId, planVersion, terms, periodAnchor, periodUnit } = entitlement;
    const period = periodAt(periodAnchor, periodUnit, deps.clock.now());
    const balances = await listBalances(tx, input.tenantId, period.start);
    const quotas = terms.quotas.flatMap((quota) =>
      (["live", "test"] as const).map((environment) => {
        const balance = balances.find(
          (row) => row.meter_id === quota.meter && row.environment === environment,
        );
        // Units held by leases can still be spent; units that locks reserve or crashes forfeited cannot.
        const gone = [balance?.used, balance?.locked, balance?.forfeited].reduce(
          (sum, quantity) => sum + toScaled(quantity ?? "0"),
          0n,
        );
        const left = toScaled(String(quota.limit)) - gone;
        return {
          meter: quota.meter,
          environment,
          kind: quota.kind,
          limit: quota.limit,
          used: balance?.used ?? "0",
          leased: balance?.leased ?? "0",
          locked: balance?.locked ?? "0",
          forfeited: balance?.forfeited ?? "0",
          remaining: fromScaled(left > 0n ? left : 0n),
          periodStart: period.start.toISOString(),
          resetAt: period.end.toISOString(),
        };
      }),
    );
    const { name, currency, pricePerMonth } = terms;
    return {
      planId,
      planVersion,
      plan: { name, currency, pricePerMonth },
      rateLimits: terms.rateLimits.map((rateLimit) => ({ ...rateLimit })),
      concurrency: terms.concurrency ?? null,
      quotas,
      balances: balances.map(({ meter_id: meter, environment, used }) => ({
        meter,
        environment,
        used,
      })),
    };
  });
}
