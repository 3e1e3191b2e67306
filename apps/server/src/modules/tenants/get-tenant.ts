import type { Tenant } from "@turnpike/contract/tenants";
import { assertMay, assertMayInTenant, type CallContext, may } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { parseIdCursor } from "#platform/parse-cursor.ts";
import { findTenantRow, listTenantRows, listTenantRowsOfUser } from "./tenants.store.ts";
import { listWithPlans, replyWithPlan, type WithPlans } from "./to-tenant-reply.ts";

/** @throws {AppError} `RESOURCE_NOT_FOUND`, also for a tenant that the actor may not see. */
export async function getTenant(
  deps: AppServices & WithPlans,
  context: CallContext,
  input: { tenantId: TenantId },
): Promise<Tenant> {
  assertMayInTenant(context.actor, "tenants:read", input.tenantId);
  return await deps.transact.asTenant(input.tenantId, async (tx) => {
    const row = await findTenantRow(tx, input.tenantId);
    if (row === undefined) {
      throw resourceNotFound("tenant");
    }
    return await replyWithPlan(deps, tx, { row, actor: context.actor });
  });
}

export type ListTenantsInput = {
  /** Part of the name or the slug. */
  q?: string | undefined;
  slug?: string | undefined;
  cursor?: string | undefined;
  limit: number;
};

/** Lists tenants, newest first: all for the operator's actors, a person's own, and to a tenant's key its one. */
export async function listTenants(
  deps: AppServices & WithPlans,
  context: CallContext,
  input: ListTenantsInput,
): Promise<{ items: Tenant[]; nextCursor: string | null }> {
  const { actor } = context;
  const beforeId = parseIdCursor("tenant", input.cursor);
  if (actor.type === "key") {
    const own = await getTenant(deps, context, actor);
    const isAsked = input.slug === undefined || input.slug === own.slug;
    return { items: isAsked ? [own] : [], nextCursor: null };
  }
  const page = {
    text: input.q,
    slug: input.slug,
    beforeId,
    limit: input.limit + 1,
  };
  const seesAll = may(actor, "tenants:read");
  if (!seesAll && actor.type !== "user") {
    assertMay(actor, "tenants:read");
  }
  return await deps.transact.asOperator(async (tx) => {
    const found =
      !seesAll && actor.type === "user"
        ? await listTenantRowsOfUser(tx, actor.id, page)
        : await listTenantRows(tx, page);
    const rows = found.slice(0, input.limit);
    return {
      items: await listWithPlans(deps, tx, { rows, actor }),
      nextCursor: found.length > input.limit ? (rows.at(-1)?.tenant_id ?? null) : null,
    };
  });
}
