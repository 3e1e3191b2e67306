import type { Tx } from "@turnpike/db/client";
import { type HeldRole, nameOfRole, ROLES, type RoleName } from "@turnpike/domain/access/scopes";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { isBuiltIn, toHeldRole } from "./held-role.ts";
import { listCustomRoleRows } from "./roles.store.ts";

/** Every role of a tenant with its scopes: the built-in ones, strongest first, then its own. */
export async function listHeldRoles(tx: Tx, tenantId: TenantId): Promise<HeldRole[]> {
  const rows = await listCustomRoleRows(tx, tenantId);
  const own = rows.map((row) =>
    toHeldRole({ role: row.role_id, role_title: row.name, role_scopes: row.scopes }),
  );
  return [...ROLES, ...own];
}

/** @throws {AppError} `INVALID_REQUEST` for a role that the tenant does not have. */
export async function getHeldRole(
  tx: Tx,
  tenantId: TenantId,
  role: RoleName,
  pointer = "/role",
): Promise<HeldRole> {
  if (isBuiltIn(role)) {
    return role;
  }
  const found = (await listHeldRoles(tx, tenantId)).find((one) => nameOfRole(one) === role);
  if (found === undefined) {
    const message = "The tenant has no such role.";
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: message,
      errors: [{ pointer, message }],
    });
  }
  return found;
}
