import {
  type CreateInvitationsRequest,
  type CreateInvitationsResponse,
  type InvitationOutcome,
  parseInvitedAddress,
} from "@turnpike/contract/invitations";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { createInvitation } from "./create-invitation.ts";
import type { InvitationsDeps } from "./send-invitation.ts";

function refuse(email: string, code: string, message: string): InvitationOutcome {
  return { email, invitation: null, error: { code, message } };
}

/**
 * Invites many people with one role, each in a transaction of their own: an address that is refused does not hold up the
 * others. An address that stands twice gets one mail.
 *
 * @returns The outcome of each address, in the order of the request.
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant); `INSUFFICIENT_SCOPE` to send invitations at all.
 */
export async function createInvitations(
  deps: InvitationsDeps,
  context: CallContext,
  input: CreateInvitationsRequest,
): Promise<CreateInvitationsResponse> {
  const { tenantId, emails, ...terms } = input;
  assertMayInTenant(context.actor, "members:write", tenantId);
  await deps.transact.asTenant(tenantId, (tx) => assertTenantExists(tx, tenantId));
  const seen = new Set<string>();
  const items: InvitationOutcome[] = [];
  for (const text of emails) {
    const email = parseInvitedAddress(text);
    if (email === undefined) {
      items.push(refuse(text, "INVALID_REQUEST", "Not an e-mail address."));
    } else if (seen.has(email)) {
      items.push(refuse(text, "ALREADY_EXISTS", "The list has this address twice."));
    } else {
      seen.add(email);
      items.push(await inviteOne(deps, context, { ...terms, tenantId, email, text }));
    }
  }
  const sent = items.filter(({ invitation }) => invitation !== null).length;
  return { sent, refused: items.length - sent, items };
}

async function inviteOne(
  deps: InvitationsDeps,
  context: CallContext,
  { text, ...input }: Parameters<typeof createInvitation>[2] & { text: string },
): Promise<InvitationOutcome> {
  try {
    const invitation = await createInvitation(deps, context, input);
    return { email: text, invitation, error: null };
  } catch (error) {
    if (error instanceof AppError) {
      return refuse(text, error.code, error.message);
    }
    throw error;
  }
}
