import type { Tenant } from "@turnpike/contract/tenants";
import { assertMay, assertMayInTenant, type CallContext, may } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { findTenantRow, listTenantRows, listTenantRowsOfUser } from "./tenants.store.ts";
import { toTenantReply } from "./to-tenant-reply.ts";

/** @throws {AppError} `RESOURCE_NOT_FOUND`, also for a tenant that the actor may not see. */
export async function getTenant(
  deps: AppServices,
  context: CallContext,
  input: { tenantId: TenantId },
): Promise<Tenant> {
  assertMayInTenant(context.actor, "tenants:read", input.tenantId);
  const row = await deps.transact.asTenant(input.tenantId, (tx) =>
    findTenantRow(tx, input.tenantId),
  );
  if (row === undefined) {
    throw resourceNotFound("tenant");
  }
  return toTenantReply(row, context.actor);
}

/** Lists tenants, newest first: all for the operator's actors, a person's own, and to a tenant's key its one. */
export async function listTenants(
  deps: AppServices,
  context: CallContext,
  input: { q?: string | undefined; cursor?: string | undefined; limit: number },
): Promise<{ items: Tenant[]; nextCursor: string | null }> {
  const { actor } = context;
  if (actor.type === "key") {
    return { items: [await getTenant(deps, context, actor)], nextCursor: null };
  }
  const page = { text: input.q, beforeId: input.cursor, limit: input.limit + 1 };
  const seesAll = may(actor, "tenants:read");
  if (!seesAll && actor.type !== "user") {
    assertMay(actor, "tenants:read");
  }
  const rows = await deps.transact.asOperator((tx) =>
    !seesAll && actor.type === "user"
      ? listTenantRowsOfUser(tx, actor.id, page)
      : listTenantRows(tx, page),
  );
  const items = rows.slice(0, input.limit).map((row) => toTenantReply(row, actor));
  return { items, nextCursor: rows.length > input.limit ? (items.at(-1)?.tenantId ?? null) : null };
}
