import type { Member } from "@turnpike/contract/tenants";
import { type Actor, assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { type HeldRole, type RoleName, scopesOf } from "@turnpike/domain/access/scopes";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { lockTenant } from "#platform/assert-tenant-exists.store.ts";
import { assertOwnerRemains } from "./assert-owner-remains.ts";
import { assignRole } from "./assign-role.ts";
import { getHeldRole } from "./find-role.ts";
import { toHeldRole } from "./held-role.ts";
import { assertMayGrant } from "./member-authority.ts";
import { findMemberRow } from "./members.store.ts";
import { toMemberReply } from "./to-tenant-reply.ts";

/** Only the operator's actors add people directly; members send an invitation. */
function mayAddDirectly(actor: Actor): boolean {
  return actor.type !== "user" || actor.isOperator;
}

/** A role that operators gave themselves would outlast the session in which they act, and its reason. */
function assertNotOwnGain(
  actor: Actor,
  { userId, before, role }: { userId: UserId; before: HeldRole | undefined; role: HeldRole },
): void {
  const isOwn = actor.type === "user" && actor.isOperator && actor.id === userId;
  const held = before === undefined ? [] : scopesOf(before);
  if (isOwn && !scopesOf(role).every((scope) => held.includes(scope))) {
    throw new AppError({
      code: "INSUFFICIENT_SCOPE",
      publicMessage: "Operators give no role to themselves: one of the tenant's owners can.",
    });
  }
}

/**
 * Changes the role of a member; giving the present role does nothing. Webhooks of a member who may no longer write any are paused. The operator's actors can also make a user a member.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` for the tenant, the user or the member; `LAST_OWNER`; `INSUFFICIENT_SCOPE` for a
 *   role above the actor's own, before or after, and for operators who would gain by it themselves.
 */
export async function putMember(
  deps: AppServices,
  context: CallContext,
  input: { tenantId: TenantId; userId: UserId; role: RoleName },
): Promise<Member> {
  const { actor } = context;
  const { tenantId, userId, role } = input;
  assertMayInTenant(actor, "members:write", tenantId);
  return await deps.transact.asOperator(
    async (tx) => {
      await lockTenant(tx, tenantId);
      const before = await findMemberRow(tx, tenantId, userId);
      if (before === undefined && !mayAddDirectly(actor)) {
        throw resourceNotFound("member");
      }
      const held = await getHeldRole(tx, tenantId, role);
      const heldBefore = before === undefined ? undefined : toHeldRole(before);
      const roles = heldBefore === undefined ? [held] : [held, heldBefore];
      await assertMayGrant(tx, actor, { tenantId, roles });
      assertNotOwnGain(actor, { userId, before: heldBefore, role: held });
      if (before?.role === role) {
        return toMemberReply(before);
      }
      if (role !== "owner") {
        await assertOwnerRemains(tx, tenantId, before);
      }
      const after = await assignRole(deps, tx, context, {
        ...{ tenantId, userId, before },
        role: held,
      });
      return toMemberReply(after);
    },
    { holder: tenantId },
  );
}
