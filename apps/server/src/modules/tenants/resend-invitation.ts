import type { SentInvitation } from "@turnpike/contract/invitations";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { lockTenant } from "#platform/assert-tenant-exists.store.ts";
import { findOpenInvitation } from "./invitations.store.ts";
import { type InvitationsDeps, sendInvitation } from "./send-invitation.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * Replaces an open invitation by one with a new link, the same role and as many days. The link before stops working. One that
 * was accepted or revoked meanwhile stays so.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE` for a role above the actor's own; `ALREADY_EXISTS` for a
 *   member's address; `TOO_MANY_INVITATIONS`.
 */
export async function resendInvitation(
  deps: InvitationsDeps,
  context: CallContext,
  input: { tenantId: TenantId; invitationId: string },
): Promise<SentInvitation> {
  const { tenantId, invitationId } = input;
  assertMayInTenant(context.actor, "members:write", tenantId);
  return await deps.transact.asOperator(
    async (tx) => {
      await lockTenant(tx, tenantId);
      const now = deps.clock.now();
      const row = await findOpenInvitation(tx, tenantId, { invitationId, now });
      if (row === undefined) {
        throw resourceNotFound("invitation");
      }
      const { email, role } = row;
      const expiresInDays = Math.round(
        (row.expires_at.getTime() - row.created_at.getTime()) / DAY_MS,
      );
      return await sendInvitation(deps, tx, context, { tenantId, email, role, expiresInDays });
    },
    { holder: tenantId },
  );
}
