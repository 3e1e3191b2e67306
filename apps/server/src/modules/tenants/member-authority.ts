import type { Tx } from "@turnpike/db/client";
import type { Actor } from "@turnpike/domain/access/actor";
import { canGrantRole, type Role } from "@turnpike/domain/access/scopes";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { findMemberRow } from "./members.store.ts";

/**
 * Refuses to give or take a role above the actor's own. Checked under the tenant's lock, because the role in the session may
 * be a second old.
 *
 * @param roles - The role that is given and the one that is taken.
 * @throws {AppError} `INSUFFICIENT_SCOPE`; `RESOURCE_NOT_FOUND` when the actor is no longer a member.
 */
export async function assertMayGrant(
  tx: Tx,
  actor: Actor,
  input: { tenantId: TenantId; roles: readonly Role[] },
): Promise<void> {
  if (actor.type !== "user" || actor.isOperator) {
    return;
  }
  const own = await findMemberRow(tx, input.tenantId, actor.id);
  if (own === undefined) {
    throw resourceNotFound("tenant");
  }
  const beyond = input.roles.find((role) => !canGrantRole(own.role, role));
  if (beyond !== undefined) {
    throw new AppError({
      code: "INSUFFICIENT_SCOPE",
      publicMessage: `Your role ${own.role} may not give or take the role ${beyond}.`,
    });
  }
}
