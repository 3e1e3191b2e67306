import type { Member } from "@turnpike/contract/tenants";
import type { Tx } from "@turnpike/db/client";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { Role } from "@turnpike/domain/access/scopes";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import {
  countOtherOwners,
  deleteMember,
  findMemberRow,
  listMemberRows,
  type MemberRow,
  upsertMember,
} from "./members.store.ts";
import { findTenantRow, lockTenant } from "./tenants.store.ts";
import { toMemberReply } from "./to-tenant-reply.ts";

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

async function lockExistingTenant(tx: Tx, tenantId: TenantId): Promise<void> {
  if (!(await lockTenant(tx, tenantId))) {
    throw resourceNotFound("tenant");
  }
}

/** Lists the members of a tenant, by user id. */
export async function listMembers(
  deps: AppServices,
  context: CallContext,
  input: { tenantId: TenantId; cursor?: string | undefined; limit: number },
): Promise<{ items: Member[]; nextCursor: string | null }> {
  assertMayInTenant(context.actor, "members:read", input.tenantId);
  const rows = await deps.transact.asOperator(async (tx) => {
    if ((await findTenantRow(tx, input.tenantId)) === undefined) {
      throw resourceNotFound("tenant");
    }
    return await listMemberRows(tx, input.tenantId, {
      afterId: input.cursor,
      limit: input.limit + 1,
    });
  });
  const items = rows.slice(0, input.limit).map(toMemberReply);
  return { items, nextCursor: rows.length > input.limit ? (items.at(-1)?.userId ?? null) : null };
}

/**
 * Makes a user a member, or changes the role of one.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` for the tenant or the user; `LAST_OWNER`.
 */
export async function putMember(
  deps: AppServices,
  context: CallContext,
  input: { tenantId: TenantId; userId: UserId; role: Role },
): Promise<Member> {
  assertMayInTenant(context.actor, "members:write", input.tenantId);
  return await deps.transact.asOperator(async (tx) => {
    await lockExistingTenant(tx, input.tenantId);
    const before = await findMemberRow(tx, input.tenantId, input.userId);
    if (input.role !== "owner") {
      await assertOwnerRemains(tx, input.tenantId, before);
    }
    if (!(await upsertMember(tx, { ...input, now: deps.clock.now() }))) {
      throw resourceNotFound("user");
    }
    const after = await findMemberRow(tx, input.tenantId, input.userId);
    if (after === undefined) {
      throw resourceNotFound("user");
    }
    await writeAudit(deps, tx, context, {
      tenantId: input.tenantId,
      action: before === undefined ? "member.added" : "member.role_changed",
      entityType: "member",
      entityId: input.userId,
      details: { role: [before?.role ?? null, input.role] },
    });
    return toMemberReply(after);
  });
}

/** @throws {AppError} `RESOURCE_NOT_FOUND` when the user is no member; `LAST_OWNER`. */
export async function removeMember(
  deps: AppServices,
  context: CallContext,
  input: { tenantId: TenantId; userId: UserId },
): Promise<void> {
  assertMayInTenant(context.actor, "members:write", input.tenantId);
  await deps.transact.asOperator(async (tx) => {
    await lockExistingTenant(tx, input.tenantId);
    const before = await findMemberRow(tx, input.tenantId, input.userId);
    await assertOwnerRemains(tx, input.tenantId, before);
    if (before === undefined || !(await deleteMember(tx, input.tenantId, input.userId))) {
      throw resourceNotFound("member");
    }
    await writeAudit(deps, tx, context, {
      tenantId: input.tenantId,
      action: "member.removed",
      entityType: "member",
      entityId: input.userId,
      details: { role: [before.role, null] },
    });
  });
}
