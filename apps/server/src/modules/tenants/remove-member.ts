import { LEFT_KEYS_MAX, type LeftKey, type PausedWebhook } from "@turnpike/contract/tenants";
import type { Tx } from "@turnpike/db/client";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { nameOfRole, titleOfRole } from "@turnpike/domain/access/scopes";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import { publishEvent } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { lockTenant } from "#platform/assert-tenant-exists.store.ts";
import { insertChange } from "#platform/changes.store.ts";
import { assertOwnerRemains } from "./assert-owner-remains.ts";
import { listHeldRoles } from "./find-role.ts";
import { toHeldRole } from "./held-role.ts";
import { assertMayGrant } from "./member-authority.ts";
import { deleteMember, findMemberRow } from "./members.store.ts";
import { pauseWebhooksOfMember } from "./pause-webhooks-of-member.ts";
import type { MemberKeys } from "./tenants.ports.ts";
import { withdrawInvitationsBy } from "./withdraw-invitations.ts";

export type RemoveMemberDeps = AppServices & { memberKeys: MemberKeys };

/**
 * Removes a member, or lets the actor leave. Invitations that they sent end. Their keys keep working, because programs of the
 * tenant may need them; their webhooks are paused. The reply and the audit trail name both.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` when the user is no member; `LAST_OWNER`; `INSUFFICIENT_SCOPE` for a member whose
 *   role is above the actor's own.
 */
export async function removeMember(
  deps: RemoveMemberDeps,
  context: CallContext,
  input: { tenantId: TenantId; userId: UserId },
): Promise<{ liveKeys: LeftKey[]; pausedWebhooks: PausedWebhook[] }> {
  const { actor } = context;
  const { tenantId, userId } = input;
  const isLeaving = actor.type === "user" && actor.id === userId;
  assertMayInTenant(actor, isLeaving ? "tenants:read" : "members:write", tenantId);
  return await deps.transact.asOperator(
    (tx) => endMembership(deps, tx, context, { tenantId, userId, isLeaving }),
    { holder: tenantId },
  );
}

/**
 * Ends a membership with what depends on it, in a transaction of the operator role.
 *
 * @param input.isLeaving - True where the member goes by themselves.
 * @throws {AppError} As `removeMember`.
 */
export async function endMembership(
  deps: RemoveMemberDeps,
  tx: Tx,
  context: CallContext,
  input: { tenantId: TenantId; userId: UserId; isLeaving: boolean },
): Promise<{ liveKeys: LeftKey[]; pausedWebhooks: PausedWebhook[] }> {
  const { tenantId, userId, isLeaving } = input;
  await lockTenant(tx, tenantId);
  const before = await findMemberRow(tx, tenantId, userId);
  if (before === undefined) {
    throw resourceNotFound("member");
  }
  if (!isLeaving) {
    await assertMayGrant(tx, context.actor, { tenantId, roles: [toHeldRole(before)] });
  }
  await assertOwnerRemains(tx, tenantId, before);
  await deleteMember(tx, tenantId, userId);
  await withdrawInvitationsBy(deps, tx, context, {
    tenantId,
    userId,
    roles: (await listHeldRoles(tx, tenantId)).map(nameOfRole),
  });
  const liveKeys = await deps.memberKeys.listLiveKeysOf(tx, {
    tenantId,
    createdBy: `user:${userId}`,
    limit: LEFT_KEYS_MAX,
  });
  const pausedWebhooks = await pauseWebhooksOfMember(deps, tx, context, {
    tenantId,
    member: before,
    role: null,
  });
  await writeAudit(deps, tx, context, {
    tenantId,
    action: "member.removed",
    entityType: "member",
    entityId: userId,
    details: {
      role: [titleOfRole(toHeldRole(before)), null],
      liveKeys: liveKeys.map((key) => key.keyId),
      pausedWebhooks: pausedWebhooks.map((webhook) => webhook.webhookId),
    },
  });
  await publishEvent(deps, tx, {
    tenantId,
    type: "member.removed",
    data: { tenantId, userId, before: before.role },
  });
  await insertChange(tx, { kind: "user", tenantId, entityId: userId });
  return { liveKeys, pausedWebhooks };
}
