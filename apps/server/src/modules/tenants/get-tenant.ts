import type { Tenant } from "@turnpike/contract/tenants";
import { assertMay, assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { findTenantRow, listTenantRows } from "./tenants.store.ts";
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
  return toTenantReply(row);
}

/** Lists tenants, newest first: all of them for the operator's actors, a tenant's key sees its own. */
export async function listTenants(
  deps: AppServices,
  context: CallContext,
  input: { cursor?: string | undefined; limit: number },
): Promise<{ items: Tenant[]; nextCursor: string | null }> {
  if (context.actor.type === "key") {
    return { items: [await getTenant(deps, context, context.actor)], nextCursor: null };
  }
  assertMay(context.actor, "tenants:read");
  const rows = await deps.transact.asOperator((tx) =>
    listTenantRows(tx, { beforeId: input.cursor, limit: input.limit + 1 }),
  );
  const items = rows.slice(0, input.limit).map(toTenantReply);
  return { items, nextCursor: rows.length > input.limit ? (items.at(-1)?.tenantId ?? null) : null };
}
