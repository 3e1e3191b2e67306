import type { Invitation } from "@turnpike/contract/invitations";
import type { InvitationRow } from "./invitations.store.ts";

export function toInvitationReply(row: InvitationRow): Invitation {
  return {
    invitationId: row.invitation_id,
    tenantId: row.tenant_id,
    email: row.email,
    role: row.role,
    createdAt: row.created_at.toISOString(),
    createdBy: row.created_by,
    expiresAt: row.expires_at.toISOString(),
  };
}
