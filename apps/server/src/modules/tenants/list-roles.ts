import type { TenantRole } from "@turnpike/contract/roles";
import type { Tx } from "@turnpike/db/client";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { nameOfRole, scopesOf, titleOfRole } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { listHeldRoles } from "./find-role.ts";
import { countRoleUse, listCustomRoleRows } from "./roles.store.ts";

/** The roles of a tenant as replies: the built-in ones, strongest first, then its own, oldest first. */
export async function listRoleReplies(
  tx: Tx,
  tenantId: TenantId,
  now: Date,
): Promise<TenantRole[]> {
  const own = new Map((await listCustomRoleRows(tx, tenantId)).map((row) => [row.role_id, row]));
  const uses = new Map((await countRoleUse(tx, tenantId, now)).map((use) => [use.role, use]));
  return (await listHeldRoles(tx, tenantId)).map((held) => {
    const role = nameOfRole(held);
    return {
      role,
      name: titleOfRole(held),
      description: typeof held === "string" ? "" : (own.get(held.roleId)?.description ?? ""),
      scopes: [...scopesOf(held)],
      isCustom: typeof held !== "string",
      members: uses.get(role)?.members ?? 0,
      invitations: uses.get(role)?.invitations ?? 0,
    };
  });
}

/**
 * Lists the roles of a tenant, with what each may do and how many have it.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`.
 */
export async function listRoles(
  deps: AppServices,
  context: CallContext,
  { tenantId }: { tenantId: TenantId },
): Promise<{ items: TenantRole[] }> {
  assertMayInTenant(context.actor, "members:read", tenantId);
  return await deps.transact.asTenant(tenantId, async (tx) => {
    await assertTenantExists(tx, tenantId);
    return { items: await listRoleReplies(tx, tenantId, deps.clock.now()) };
  });
}
