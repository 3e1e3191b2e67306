import type { Invitation } from "@turnpike/contract/invitations";
import type { HeldRole } from "@turnpike/domain/access/scopes";
import { toRoleReply } from "./held-role.ts";
import type { InvitationRow } from "./invitations.store.ts";

export function toInvitationReply(row: InvitationRow, role: HeldRole): Invitation {
  return {
    invitationId: row.invitation_id,
    tenantId: row.tenant_id,
    email: row.email,
    ...toRoleReply(role),
    createdAt: row.created_at.toISOString(),
    createdBy: row.created_by,
    expiresAt: row.expires_at.toISOString(),
  };
}
