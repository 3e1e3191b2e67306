import { USAGE_ROWS_MAX, type usageQuery } from "@turnpike/contract/usage";
import { assertMay, assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { billingPeriodAt } from "@turnpike/domain/time/billing-period";
import type { z } from "zod";
import type { AppServices } from "#platform/app-services.ts";
import { findTerms, listBalances, sumUsage, type UsageRow } from "./usage.store.ts";

type UsageQuery = z.infer<typeof usageQuery>;

function addDecimals(values: readonly string[]): string {
  const scale = Math.max(0, ...values.map((value) => value.split(".")[1]?.length ?? 0));
  let sum = 0n;
  for (const value of values) {
    const [whole = "0", fraction = ""] = value.split(".");
    sum += BigInt(whole + fraction.padEnd(scale, "0"));
  }
  const digits = sum.toString().padStart(scale + 1, "0");
  return scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function toReply(rows: readonly UsageRow[]) {
  const kept = rows.slice(0, USAGE_ROWS_MAX);
  return {
    rows: kept.map((row) => ({
      group: row.group,
      calls: Number(row.calls),
      quantity: row.quantity,
    })),
    calls: Number(kept.reduce((sum, row) => sum + row.calls, 0n)),
    quantity: addDecimals(kept.map((row) => row.quantity)),
    truncated: rows.length > USAGE_ROWS_MAX,
  };
}

function parseRange(input: { from?: string | undefined; to?: string | undefined }) {
  const from = input.from === undefined ? undefined : new Date(input.from);
  const to = input.to === undefined ? undefined : new Date(input.to);
  if (from !== undefined && to !== undefined && from >= to) {
    const message = "The range is empty: `from` must lie before `to`.";
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: message,
      errors: [{ pointer: "query/from", message }],
    });
  }
  return { from, to };
}

/**
 * Sums a tenant's usage of one meter by one dimension, over calls that occurred in `[from, to)`.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INVALID_REQUEST` when the range is empty.
 */
export async function queryUsage(deps: AppServices, context: CallContext, input: UsageQuery) {
  assertMayInTenant(context.actor, "usage:read", input.tenantId);
  const range = parseRange(input);
  const rows = await deps.transact.asTenant(input.tenantId, async (tx) => {
    if ((await findTerms(tx, input.tenantId)) === undefined) {
      throw resourceNotFound("tenant");
    }
    return await sumUsage(tx, {
      tenantId: input.tenantId,
      meterId: input.meter,
      by: input.by,
      ...range,
      rowsMax: USAGE_ROWS_MAX + 1,
    });
  });
  return toReply(rows);
}

/**
 * Sums the usage of all tenants as {@link queryUsage} does for one, from the same rollups.
 *
 * @throws {AppError} `INVALID_REQUEST` when the range is empty; `INSUFFICIENT_SCOPE`.
 */
export async function queryUsageOfAll(
  deps: AppServices,
  context: CallContext,
  input: Omit<UsageQuery, "tenantId">,
) {
  assertMay(context.actor, "usage:read");
  const range = parseRange(input);
  const rows = await deps.transact.asOperator((tx) =>
    sumUsage(tx, {
      tenantId: null,
      meterId: input.meter,
      by: input.by,
      ...range,
      rowsMax: USAGE_ROWS_MAX + 1,
    }),
  );
  return toReply(rows);
}

/**
 * Tells every limit of a tenant's plan with what is used and left in the current billing period.
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
    const terms = await findTerms(tx, input.tenantId);
    if (terms === undefined) {
      throw resourceNotFound("tenant");
    }
    const period = billingPeriodAt(terms.period_anchor, deps.clock.now());
    const balances = await listBalances(tx, input.tenantId, period.start);
    const quotas = terms.terms.quotas.flatMap((quota) =>
      (["live", "test"] as const).map((environment) => {
        const balance = balances.find(
          (row) => row.meter_id === quota.meter && row.environment === environment,
        );
        // What leases hold can be spent through the processes that hold it; what a crash forfeited cannot.
        const gone = Number(balance?.used ?? 0) + Number(balance?.forfeited ?? 0);
        return {
          meter: quota.meter,
          environment,
          kind: quota.kind,
          limit: quota.limit,
          used: balance?.used ?? "0",
          leased: balance?.leased ?? "0",
          forfeited: balance?.forfeited ?? "0",
          remaining: String(Math.max(0, quota.limit - gone)),
          periodStart: period.start.toISOString(),
          resetAt: period.end.toISOString(),
        };
      }),
    );
    return {
      planId: terms.plan_id,
      planVersion: terms.plan_version,
      rateLimits: terms.terms.rateLimits.map((rateLimit) => ({ ...rateLimit })),
      quotas,
    };
  });
}
