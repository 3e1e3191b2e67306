import type { OwnTenant } from "@turnpike/contract/auth";
import type { InvitationPreview } from "@turnpike/contract/invitations";
import type { Tx } from "@turnpike/db/client";
import { type CallContext, getPerson } from "@turnpike/domain/access/actor";
import { titleOfRole } from "@turnpike/domain/access/scopes";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import { findUserEmail } from "#modules/identity/index.ts";
import { publishEvent } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { lockTenant } from "#platform/assert-tenant-exists.store.ts";
import { insertChange } from "#platform/changes.store.ts";
import { VISITORS } from "#platform/transact.ts";
import { getHeldRole } from "./find-role.ts";
import { hashInvitationToken } from "./hash-invitation-token.ts";
import {
  findOpenInvitationByHash,
  findTenantAcceptedBy,
  type InvitationRow,
  markInvitationAccepted,
} from "./invitations.store.ts";
import { findMemberRow, listOwnTenantRows, upsertMember } from "./members.store.ts";
import { findTenantRow } from "./tenants.store.ts";
import { listOwnWithPlans, type WithPlans } from "./to-tenant-reply.ts";

/** The same answer for every fault of the token, so that guessing reveals nothing. */
function invalidInvitation(): AppError {
  return new AppError({
    code: "INVITATION_INVALID",
    publicMessage:
      "This invitation is no longer valid: it was used, replaced or revoked, or its time is over. Ask for a new one.",
  });
}

/**
 * Shows what an invitation is for. The link is the credential.
 *
 * @throws {AppError} `INVITATION_INVALID`.
 */
export async function previewInvitation(
  deps: AppServices,
  input: { token: string },
): Promise<InvitationPreview> {
  return await deps.transact.asOperator(async (tx) => {
    const hash = hashInvitationToken(input.token);
    const row = await findOpenInvitationByHash(tx, { hash, now: deps.clock.now() });
    const tenant = row === undefined ? undefined : await findTenantRow(tx, row.tenant_id);
    if (row === undefined || tenant === undefined) {
      throw invalidInvitation();
    }
    const role = await getHeldRole(tx, row.tenant_id, row.role);
    return { tenantName: tenant.name, email: row.email, role: titleOfRole(role) };
  }, VISITORS);
}

/** The token proves access to the mailbox; the account must have the same address. */
async function assertSameMailbox(tx: Tx, userId: UserId, row: InvitationRow): Promise<void> {
  const email = await findUserEmail(tx, userId);
  if (email?.toLowerCase() !== row.email) {
    throw new AppError({
      code: "INVITATION_EMAIL_MISMATCH",
      publicMessage: `This invitation is for ${row.email}: sign in with that account.`,
    });
  }
}

/**
 * Makes the signed-in person a member of the tenant that invited them. A member keeps the role they already have. Accepting
 * again, as a second tab does, changes nothing and has the same answer while the person is a member.
 *
 * @throws {AppError} `INVITATION_INVALID`; `INVITATION_EMAIL_MISMATCH`; `INSUFFICIENT_SCOPE` for a program.
 */
export async function acceptInvitation(
  deps: AppServices & WithPlans,
  context: CallContext,
  input: { token: string },
): Promise<{ tenant: OwnTenant }> {
  const { id: userId } = getPerson(context.actor);
  return await deps.transact.asOperator(
    async (tx) => {
      const now = deps.clock.now();
      const hash = hashInvitationToken(input.token);
      const row = await findOpenInvitationByHash(tx, { hash, now });
      if (row === undefined) {
        return await findAccepted(deps, tx, { hash, userId });
      }
      const { tenant_id: tenantId, invitation_id: invitationId } = row;
      await assertSameMailbox(tx, userId, row);
      await lockTenant(tx, tenantId);
      const role = await markInvitationAccepted(tx, tenantId, { invitationId, userId, now });
      if (role === undefined) {
        return await findAccepted(deps, tx, { hash, userId });
      }
      const held = await getHeldRole(tx, tenantId, role);
      if ((await findMemberRow(tx, tenantId, userId)) === undefined) {
        if (!(await upsertMember(tx, { tenantId, userId, role, now }))) {
          throw resourceNotFound("user");
        }
        await publishEvent(deps, tx, {
          tenantId,
          type: "member.added",
          data: { tenantId, userId, role },
        });
      }
      await writeAudit(deps, tx, context, {
        tenantId,
        action: "invitation.accepted",
        entityType: "invitation",
        entityId: invitationId,
        details: { role: titleOfRole(held), userId },
      });
      await publishEvent(deps, tx, {
        tenantId,
        type: "invitation.accepted",
        data: { tenantId, invitationId, userId, role },
      });
      await insertChange(tx, { kind: "user", tenantId, entityId: userId });
      return await getJoined(deps, tx, { tenantId, userId });
    },
    { holder: userId },
  );
}

/** What the person accepted before, in another tab or with a request whose answer was lost. */
async function findAccepted(
  deps: WithPlans,
  tx: Tx,
  { hash, userId }: { hash: Uint8Array; userId: UserId },
): Promise<{ tenant: OwnTenant }> {
  const tenantId = await findTenantAcceptedBy(tx, { hash, userId });
  if (tenantId === undefined) {
    throw invalidInvitation();
  }
  return await getJoined(deps, tx, { tenantId, userId });
}

async function getJoined(
  deps: WithPlans,
  tx: Tx,
  { tenantId, userId }: { tenantId: TenantId; userId: UserId },
): Promise<{ tenant: OwnTenant }> {
  const rows = await listOwnTenantRows(tx, userId, { tenantId, limit: 1 });
  const [own] = await listOwnWithPlans(deps, tx, rows);
  if (own === undefined) {
    throw invalidInvitation();
  }
  return { tenant: own };
}
