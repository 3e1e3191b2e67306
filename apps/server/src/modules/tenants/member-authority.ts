import type { Tx } from "@turnpike/db/client";
import { type Actor, findMissingScope } from "@turnpike/domain/access/actor";
import {
  canGrantRole,
  type HeldRole,
  type Scope,
  titleOfRole,
} from "@turnpike/domain/access/scopes";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { toHeldRole } from "./held-role.ts";
import { findMemberRow } from "./members.store.ts";

function beyondAuthority(message: string, requiredScope?: Scope): AppError {
  return new AppError({
    code: "INSUFFICIENT_SCOPE",
    publicMessage: message,
    ...(requiredScope === undefined ? {} : { extensions: { requiredScope } }),
  });
}

/** A program makes no member more powerful than itself: its thief would take the role. */
function assertProgramHolds(
  actor: Actor,
  { tenantId, roles }: { tenantId: TenantId; roles: readonly HeldRole[] },
): void {
  for (const role of roles) {
    const missing = findMissingScope(actor, role, tenantId);
    if (missing !== undefined) {
      throw beyondAuthority(
        `Giving or taking the role ${titleOfRole(role)} needs all of its scopes, and this credential lacks ${missing}.`,
        missing,
      );
    }
  }
}

/**
 * Refuses to give or take a role with a scope that the actor does not hold. A member's role is read under the tenant's lock,
 * because the one in the session may be a second old.
 *
 * @param roles - The role that is given and the one that is taken.
 * @throws {AppError} `INSUFFICIENT_SCOPE`; `RESOURCE_NOT_FOUND` when the actor is no longer a member.
 */
export async function assertMayGrant(
  tx: Tx,
  actor: Actor,
  input: { tenantId: TenantId; roles: readonly HeldRole[] },
): Promise<void> {
  if (actor.type !== "user" || actor.isOperator) {
    assertProgramHolds(actor, input);
    return;
  }
  const own = await findMemberRow(tx, input.tenantId, actor.id);
  if (own === undefined) {
    throw resourceNotFound("tenant");
  }
  const held = toHeldRole(own);
  const beyond = input.roles.find((role) => !canGrantRole(held, role));
  if (beyond !== undefined) {
    throw beyondAuthority(
      `Your role ${titleOfRole(held)} may not give or take the role ${titleOfRole(beyond)}.`,
    );
  }
}
