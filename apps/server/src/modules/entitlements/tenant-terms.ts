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

/** Of what an override may replace. */
const LIMITS = ["rateLimits", "quotas", "concurrency"] as const;

function toLimits(terms: Pick<PlanTerms, (typeof LIMITS)[number]>): TenantTerms["terms"] {
  return {
    rateLimits: [...terms.rateLimits],
    quotas: [...terms.quotas],
    concurrency: terms.concurrency ?? null,
  };
}

function toReply(tenantId: TenantId, row: TermsRow): TenantTerms {
  const { scopes: _scopes, ...overrides } = row.overrides;
  return {
    tenantId,
    planId: row.planId,
    planVersion: row.planVersion,
    plan: toLimits(row.planTerms),
    overrides: {
      ...(overrides.rateLimits && { rateLimits: [...overrides.rateLimits] }),
      ...(overrides.quotas && { quotas: [...overrides.quotas] }),
      ...(overrides.concurrency !== undefined && { concurrency: overrides.concurrency }),
    },
    terms: toLimits({ ...row.planTerms, ...row.overrides }),
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

function listRepeated(names: readonly string[], pointer: string, field: string): FieldError[] {
  return names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [{ pointer: `${pointer}/${String(index)}/${field}`, message: `${name} is listed twice.` }],
  );
}

async function assertFits(tx: Tx, overrides: TermsOverridesInput): Promise<void> {
  const { rateLimits = [], quotas = [] } = overrides;
  const meters = quotas.length === 0 ? [] : await listMeterRows(tx);
  const errors = [
    ...listRepeated(
      rateLimits.map(({ name }) => name),
      "/overrides/rateLimits",
      "name",
    ),
    ...listRepeated(
      quotas.map(({ meter }) => meter),
      "/overrides/quotas",
      "meter",
    ),
    ...quotas.flatMap(({ meter }, index) => {
      const message = findQuotaFault(meters, meter);
      return message === undefined
        ? []
        : [{ pointer: `/overrides/quotas/${String(index)}/meter`, message }];
    }),
  ];
  if (errors.length > 0) {
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: errors[0]?.message ?? "",
      errors,
    });
  }
}

/**
 * Gives a tenant limits other than those of its plan, in place of those that it had. Every process applies them within a second.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INVALID_REQUEST` for a meter that cannot have a quota, or a name that is there twice;
 *   `INSUFFICIENT_SCOPE` for all but the operator's actors.
 */
export async function setTenantTerms(
  deps: AppServices,
  context: CallContext,
  input: { tenantId: TenantId; overrides: TermsOverridesInput; reason: string },
): Promise<TenantTerms> {
  const { tenantId, overrides, reason } = input;
  // A stranger does not learn that the tenant exists.
  assertMayInTenant(context.actor, "catalog:write", tenantId);
  assertMay(context.actor, "catalog:write");
  return await deps.transact.asOperator(async (tx) => {
    if ((await lockEntitlement(tx, tenantId)) === undefined) {
      throw resourceNotFound("tenant");
    }
    await assertFits(tx, overrides);
    const before = await getReply(tx, tenantId);
    await updateOverrides(tx, tenantId, {
      overrides: overrides as TermsOverrides,
      now: deps.clock.now(),
    });
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
    return after;
  });
}
