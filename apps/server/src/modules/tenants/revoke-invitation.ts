import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { lockTenant } from "#platform/assert-tenant-exists.store.ts";
import { getHeldRole } from "./find-role.ts";
import { findOpenInvitation, revokeInvitationRow } from "./invitations.store.ts";
import { assertMayGrant } from "./member-authority.ts";
import { recordRevoked } from "./withdraw-invitations.ts";

/**
 * Revokes an invitation that can still be accepted.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE` for a role above the actor's own.
 */
export async function revokeInvitation(
  deps: AppServices,
  context: CallContext,
  input: { tenantId: TenantId; invitationId: string },
): Promise<void> {
  const { tenantId, invitationId } = input;
  assertMayInTenant(context.actor, "members:write", tenantId);
  await deps.transact.asOperator(
    async (tx) => {
      await lockTenant(tx, tenantId);
      const now = deps.clock.now();
      const row = await findOpenInvitation(tx, tenantId, { invitationId, now });
      if (row === undefined) {
        throw resourceNotFound("invitation");
      }
      const role = await getHeldRole(tx, tenantId, row.role);
      await assertMayGrant(tx, context.actor, { tenantId, roles: [role] });
      if (!(await revokeInvitationRow(tx, tenantId, { invitationId, now }))) {
        throw resourceNotFound("invitation");
      }
      await recordRevoked(deps, tx, context, [row]);
    },
    { holder: tenantId },
  );
}
