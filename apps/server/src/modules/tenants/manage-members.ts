import { LEFT_KEYS_MAX, type LeftKey, type Member } from "@turnpike/contract/tenants";
import type { Tx } from "@turnpike/db/client";
import { type Actor, assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { canGrantRole, ROLES, type Role } from "@turnpike/domain/access/scopes";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import { publishEvent } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists, lockTenant } from "#platform/assert-tenant-exists.store.ts";
import { insertChange } from "#platform/changes.store.ts";
import { parseIdCursor } from "#platform/parse-cursor.ts";
import { assertMayGrant } from "./member-authority.ts";
import {
  countOtherOwners,
  deleteMember,
  findMemberRow,
  listMemberRows,
  type MemberRow,
  upsertMember,
} from "./members.store.ts";
import type { MemberKeys } from "./tenants.ports.ts";
import { toMemberReply } from "./to-tenant-reply.ts";
import { withdrawInvitationsBy } from "./withdraw-invitations.ts";

export type RemoveMemberDeps = AppServices & { memberKeys: MemberKeys };

/** Refuses to leave a tenant that has an owner without one. The caller holds the tenant's lock. */
async function assertOwnerRemains(
  tx: Tx,
  tenantId: TenantId,
  leaving: MemberRow | undefined,
): Promise<void> {
  if (leaving?.role === "owner" && (await countOtherOwners(tx, tenantId, leaving.user_id)) === 0) {
    throw new AppError({
      code: "LAST_OWNER",
      publicMessage: "A tenant keeps at least one owner: make somebody else an owner first.",
    });
  }
}

/** Lists the members of a tenant, by user id. */
export async function listMembers(
  deps: AppServices,
  context: CallContext,
  input: { tenantId: TenantId; cursor?: string | undefined; limit: number },
): Promise<{ items: Member[]; nextCursor: string | null }> {
  assertMayInTenant(context.actor, "members:read", input.tenantId);
  const afterId = parseIdCursor("user", input.cursor);
  const rows = await deps.transact.asOperator(async (tx) => {
    await assertTenantExists(tx, input.tenantId);
    return await listMemberRows(tx, input.tenantId, {
      afterId,
      limit: input.limit + 1,
    });
  });
  const items = rows.slice(0, input.limit).map(toMemberReply);
  return { items, nextCursor: rows.length > input.limit ? (items.at(-1)?.userId ?? null) : null };
}

/** Only the operator's actors add people whom nobody asked: everybody else sends an invitation. */
function mayAddUnasked(actor: Actor): boolean {
  return actor.type !== "user" || actor.isOperator;
}

/**
 * Changes the role of a member; the one that they have changes nothing and tells nobody. The operator's actors also make
 * a user a member.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` for the tenant, the user or the member; `LAST_OWNER`; `INSUFFICIENT_SCOPE` for a
 *   role above the actor's own, before or after.
 */
export async function putMember(
  deps: AppServices,
  context: CallContext,
  input: { tenantId: TenantId; userId: UserId; role: Role },
): Promise<Member> {
  const { actor } = context;
  const { tenantId, userId, role } = input;
  assertMayInTenant(actor, "members:write", tenantId);
  return await deps.transact.asOperator(async (tx) => {
    await lockTenant(tx, tenantId);
    const before = await findMemberRow(tx, tenantId, userId);
    if (before === undefined && !mayAddUnasked(actor)) {
      throw resourceNotFound("member");
    }
    const roles = before === undefined ? [role] : [role, before.role];
    await assertMayGrant(tx, actor, { tenantId, roles });
    if (before?.role === role) {
      return toMemberReply(before);
    }
    if (role !== "owner") {
      await assertOwnerRemains(tx, tenantId, before);
    }
    if (!(await upsertMember(tx, { ...input, now: deps.clock.now() }))) {
      throw resourceNotFound("user");
    }
    const after = await findMemberRow(tx, tenantId, userId);
    if (after === undefined) {
      throw resourceNotFound("user");
    }
    await withdrawInvitationsBy(deps, tx, context, {
      tenantId,
      userId,
      roles: ROLES.filter((other) => !canGrantRole(role, other)),
    });
    await writeAudit(deps, tx, context, {
      tenantId,
      action: before === undefined ? "member.added" : "member.role_changed",
      entityType: "member",
      entityId: userId,
      details: { role: [before?.role ?? null, role] },
    });
    await (before === undefined
      ? publishEvent(deps, tx, { tenantId, type: "member.added", data: { tenantId, userId, role } })
      : publishEvent(deps, tx, {
          tenantId,
          type: "member.role_changed",
          data: { tenantId, userId, role, before: before.role },
        }));
    await insertChange(tx, { kind: "user", tenantId, entityId: userId });
    return toMemberReply(after);
  });
}

/**
 * Removes a member, or lets the actor leave. Invitations that they sent end with it. Their keys work on, because programs
 * of the tenant may need them: the answer and the audit trail name them.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` when the user is no member; `LAST_OWNER`; `INSUFFICIENT_SCOPE` for a member whose
 *   role is above the actor's own.
 */
export async function removeMember(
  deps: RemoveMemberDeps,
  context: CallContext,
  input: { tenantId: TenantId; userId: UserId },
): Promise<{ liveKeys: LeftKey[] }> {
  const { actor } = context;
  const { tenantId, userId } = input;
  const isLeaving = actor.type === "user" && actor.id === userId;
  assertMayInTenant(actor, isLeaving ? "tenants:read" : "members:write", tenantId);
  return await deps.transact.asOperator(async (tx) => {
    await lockTenant(tx, tenantId);
    const before = await findMemberRow(tx, tenantId, userId);
    if (before === undefined) {
      throw resourceNotFound("member");
    }
    if (!isLeaving) {
      await assertMayGrant(tx, actor, { tenantId, roles: [before.role] });
    }
    await assertOwnerRemains(tx, tenantId, before);
    await deleteMember(tx, tenantId, userId);
    await withdrawInvitationsBy(deps, tx, context, { tenantId, userId, roles: ROLES });
    const liveKeys = await deps.memberKeys.listLiveKeysOf(tx, {
      tenantId,
      createdBy: `user:${userId}`,
      limit: LEFT_KEYS_MAX,
    });
    await writeAudit(deps, tx, context, {
      tenantId,
      action: "member.removed",
      entityType: "member",
      entityId: userId,
      details: { role: [before.role, null], liveKeys: liveKeys.map((key) => key.keyId) },
    });
    await publishEvent(deps, tx, {
      tenantId,
      type: "member.removed",
      data: { tenantId, userId, before: before.role },
    });
    await insertChange(tx, { kind: "user", tenantId, entityId: userId });
    return { liveKeys };
  });
}
