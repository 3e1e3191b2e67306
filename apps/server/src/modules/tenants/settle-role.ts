import type { Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import { canGrantRole, type HeldRole, nameOfRole } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { PausedWebhook } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { insertChange } from "#platform/changes.store.ts";
import { listHeldRoles } from "./find-role.ts";
import type { MemberRow } from "./members.store.ts";
import { pauseWebhooksOfMember } from "./pause-webhooks-of-member.ts";
import { withdrawInvitationsBy } from "./withdraw-invitations.ts";

/**
 * Ends what a member may no longer keep up with a new role, or with new scopes of their role: invitations to roles above it, and
 * webhooks if they may write none. Every process learns of the role. The caller has written it, in a transaction of the operator
 * role.
 *
 * @param input.before - The member with the role of before; undefined for a new one.
 * @returns The webhooks that are paused.
 */
export async function settleRole(
  deps: AppServices,
  tx: Tx,
  context: CallContext,
  input: {
    tenantId: TenantId;
    userId: MemberRow["user_id"];
    before: MemberRow | undefined;
    role: HeldRole;
  },
): Promise<PausedWebhook[]> {
  const { tenantId, userId, before, role } = input;
  const roles = await listHeldRoles(tx, tenantId);
  await withdrawInvitationsBy(deps, tx, context, {
    tenantId,
    userId,
    roles: roles.filter((other) => !canGrantRole(role, other)).map(nameOfRole),
  });
  const paused =
    before === undefined
      ? []
      : await pauseWebhooksOfMember(deps, tx, context, { tenantId, member: before, role });
  await insertChange(tx, { kind: "user", tenantId, entityId: userId });
  return paused;
}
