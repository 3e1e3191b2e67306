import type { Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import { type RoleName, titleOfRole } from "@turnpike/domain/access/scopes";
import type { ServiceKeyId, TenantId, UserId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import { publishEvent } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { getHeldRole } from "./find-role.ts";
import {
  type InvitationRow,
  revokeInvitationRowsBy,
  revokeInvitationRowsOfProgram,
  revokeInvitationRowsTo,
} from "./invitations.store.ts";

/** Audits and publishes the revocation of open invitations. */
export async function recordRevoked(
  deps: AppServices,
  tx: Tx,
  context: CallContext,
  rows: readonly InvitationRow[],
): Promise<void> {
  for (const { tenant_id: tenantId, invitation_id: invitationId, email, role } of rows) {
    const held = await getHeldRole(tx, tenantId, role);
    await writeAudit(deps, tx, context, {
      tenantId,
      action: "invitation.revoked",
      entityType: "invitation",
      entityId: invitationId,
      details: { email, role: titleOfRole(held) },
    });
    await publishEvent(deps, tx, {
      tenantId,
      type: "invitation.revoked",
      data: { tenantId, invitationId, email, role },
    });
  }
}

/** Revokes the invitations that a person sent to roles they may no longer give. */
export async function withdrawInvitationsBy(
  deps: AppServices,
  tx: Tx,
  context: CallContext,
  input: { tenantId: TenantId; userId: UserId; roles: readonly RoleName[] },
): Promise<void> {
  const rows = await revokeInvitationRowsBy(tx, input.tenantId, {
    createdBy: `user:${input.userId}`,
    roles: input.roles,
    now: deps.clock.now(),
  });
  await recordRevoked(deps, tx, context, rows);
}

/** Revokes the open invitations of a service key, in all tenants: those sent with a stolen one must end with it. */
export async function withdrawInvitationsOfProgram(
  deps: AppServices,
  tx: Tx,
  context: CallContext,
  input: { serviceKeyId: ServiceKeyId },
): Promise<void> {
  const rows = await revokeInvitationRowsOfProgram(tx, {
    createdBy: `service_key:${input.serviceKeyId}`,
    now: deps.clock.now(),
  });
  await recordRevoked(deps, tx, context, rows);
}

/** Revokes open invitations to an address before a new one is sent. */
export async function withdrawInvitationTo(
  deps: AppServices,
  tx: Tx,
  context: CallContext,
  input: { tenantId: TenantId; email: string },
): Promise<void> {
  const rows = await revokeInvitationRowsTo(tx, input.tenantId, {
    email: input.email,
    now: deps.clock.now(),
  });
  await recordRevoked(deps, tx, context, rows);
}
