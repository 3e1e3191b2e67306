import { isDeepStrictEqual } from "node:util";
import type { TenantTerms, TermsOverridesInput } from "@turnpike/contract/tenant-terms";
import type { JsonValue, Tx } from "@turnpike/db/client";
import { assertMay, assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { PlanTerms } from "@turnpike/domain/catalog/plan";
import type { TermsOverrides } from "@turnpike/domain/entitlements/entitlement";
import { AppError, type FieldError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import { findQuotaFault, listMeterRows } from "#modules/catalog/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { insertChange } from "#platform/changes.store.ts";
import {
  findTermsRow,
  lockEntitlement,
  type TermsRow,
  updateOverrides,
} from "./entitlements.store.ts";

function toLimits({
  rateLimits,
  quotas,
  concurrency = null,
}: Pick<PlanTerms, keyof TermsOverrides>): TenantTerms["terms"] {
  return { rateLimits: [...rateLimits], quotas: [...quotas], concurrency };
}

/** Only what is given: a field that is there without a value would replace the plan's. */
function toOverrides({ rateLimits, quotas, concurrency }: TermsOverridesInput | TermsOverrides) {
  return {
    ...(rateLimits && { rateLimits: [...rateLimits] }),
    ...(quotas && { quotas: [...quotas] }),
    ...(concurrency !== undefined && { concurrency }),
  };
}

function toReply(tenantId: TenantId, row: TermsRow): TenantTerms {
  const { planId, planVersion, planTerms, overrides } = row;
  return {
    ...{ tenantId, planId, planVersion },
    plan: toLimits(planTerms),
    overrides: toOverrides(overrides),
    terms: toLimits({ ...planTerms, ...overrides }),
  };
}

async function getReply(tx: Tx, tenantId: TenantId): Promise<TenantTerms> {
  const row = await findTermsRow(tx, tenantId);
  if (row === undefined) {
    throw resourceNotFound("tenant");
  }
  return toReply(tenantId, row);
}

/** @throws {AppError} `RESOURCE_NOT_FOUND`, `INSUFFICIENT_SCOPE`. */
export async function getTenantTerms(
  deps: Pick<AppServices, "transact">,
  context: CallContext,
  { tenantId }: { tenantId: TenantId },
): Promise<TenantTerms> {
  assertMayInTenant(context.actor, "tenants:read", tenantId);
  return await deps.transact.asOperator((tx) => getReply(tx, tenantId));
}

async function assertMetersFit(tx: Tx, { quotas = [] }: TermsOverridesInput): Promise<void> {
  const meters = quotas.length === 0 ? [] : await listMeterRows(tx);
  const errors = quotas.flatMap(({ meter }, index): FieldError[] => {
    const message = findQuotaFault(meters, meter);
    return message === undefined
      ? []
      : [{ pointer: `/overrides/quotas/${String(index)}/meter`, message }];
  });
  const [first] = errors;
  if (first !== undefined) {
    throw new AppError({ code: "INVALID_REQUEST", publicMessage: first.message, errors });
  }
}

/** What this module needs from the tenants module, which is above it and knows the people of a tenant. */
export interface LimitsNotices {
  /**
   * Tells the members of a tenant that its limits are others, if and only if the transaction commits. Needs the operator role.
   *
   * @param input.isOwn - False when the plan's hold again.
   */
  tellOfLimits(tx: Tx, input: { tenantId: TenantId; isOwn: boolean }): Promise<void>;
}

/**
 * Gives a tenant limits other than those of its plan, instead of those that it had. Every process applies them within a second,
 * and the members get a notification. Giving those that it has changes nothing.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INVALID_REQUEST` for a meter that cannot have a quota; `INSUFFICIENT_SCOPE` for all but
 *   the operator's actors.
 */
export async function setTenantTerms(
  deps: AppServices & LimitsNotices,
  context: CallContext,
  input: { tenantId: TenantId; overrides: TermsOverridesInput; reason: string },
): Promise<TenantTerms> {
  const { tenantId, reason } = input;
  const overrides = toOverrides(input.overrides);
  // A stranger does not learn that the tenant exists.
  assertMayInTenant(context.actor, "catalog:write", tenantId);
  assertMay(context.actor, "catalog:write");
  return await deps.transact.asOperator(async (tx) => {
    if ((await lockEntitlement(tx, tenantId)) === undefined) {
      throw resourceNotFound("tenant");
    }
    await assertMetersFit(tx, overrides);
    const before = await getReply(tx, tenantId);
    if (isDeepStrictEqual(before.overrides, overrides)) {
      return before;
    }
    await updateOverrides(tx, tenantId, { overrides, now: deps.clock.now() });
    const after = await getReply(tx, tenantId);
    await writeAudit(deps, tx, context, {
      tenantId,
      action: "tenant.limits_changed",
      entityType: "tenant",
      entityId: tenantId,
      details: {
        reason,
        overrides: [before.overrides as JsonValue, after.overrides as JsonValue],
      },
    });
    await insertChange(tx, { kind: "tenant", tenantId, entityId: tenantId });
    if (!isDeepStrictEqual(before.terms, after.terms)) {
      const isOwn = Object.keys(after.overrides).length > 0;
      await deps.tellOfLimits(tx, { tenantId, isOwn });
    }
    return after;
  });
}
