import {
  type CreateInvitationRequest,
  INVITATION_DAYS,
  type SentInvitation,
} from "@turnpike/contract/invitations";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { lockTenant } from "#platform/assert-tenant-exists.store.ts";
import { type InvitationsDeps, sendInvitation } from "./send-invitation.ts";

/**
 * Invites a person by mail. An open invitation to the same address ends.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE` for a role above the actor's own; `ALREADY_EXISTS` for a
 *   member's address; `TOO_MANY_INVITATIONS`.
 */
export async function createInvitation(
  deps: InvitationsDeps,
  context: CallContext,
  input: CreateInvitationRequest,
): Promise<SentInvitation> {
  const { tenantId, role, expiresInDays = INVITATION_DAYS } = input;
  assertMayInTenant(context.actor, "members:write", tenantId);
  return await deps.transact.asOperator(
    async (tx) => {
      await lockTenant(tx, tenantId);
      // Addresses that differ only in capitals are the same mailbox.
      const email = input.email.toLowerCase();
      return await sendInvitation(deps, tx, context, { tenantId, email, role, expiresInDays });
    },
    { holder: tenantId },
  );
}
