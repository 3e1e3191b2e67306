import type { Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import type { RoleName } from "@turnpike/domain/access/scopes";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import { lockTenant } from "#platform/assert-tenant-exists.store.ts";
import { assignRole } from "./assign-role.ts";
import { getHeldRole } from "./find-role.ts";
import { findMemberRow } from "./members.store.ts";
import { endMembership, type RemoveMemberDeps } from "./remove-member.ts";

/** The tenant's own directory, as the audit trail names it: no person decides when it speaks. */
export function directoryContext(requestId: string): CallContext {
  return { actor: { type: "system", id: "directory" }, requestId };
}

type DirectoryInput = { tenantId: TenantId; userId: UserId; requestId: string };

/**
 * Makes a person of the tenant's directory a member, or gives a member the role that their groups give. Owners keep their role: they
 * are made and unmade by owners. Needs the operator role.
 *
 * @param input.keepsRole - True where a member keeps the role they have.
 */
export async function admitByDirectory(
  deps: RemoveMemberDeps,
  tx: Tx,
  input: DirectoryInput & { role: RoleName; keepsRole: boolean },
): Promise<void> {
  const { tenantId, userId, role, keepsRole } = input;
  await lockTenant(tx, tenantId);
  const before = await findMemberRow(tx, tenantId, userId);
  if (before !== undefined && (keepsRole || before.role === "owner" || before.role === role)) {
    return;
  }
  await assignRole(deps, tx, directoryContext(input.requestId), {
    ...{ tenantId, userId, before },
    role: await getHeldRole(tx, tenantId, role),
  });
}

/**
 * Ends the membership of a person whom the tenant's directory no longer lets in; does nothing for one who is no member. Needs the
 * operator role.
 *
 * @throws {AppError} `LAST_OWNER`.
 */
export async function removeByDirectory(
  deps: RemoveMemberDeps,
  tx: Tx,
  { tenantId, userId, requestId }: DirectoryInput,
): Promise<void> {
  await lockTenant(tx, tenantId);
  if ((await findMemberRow(tx, tenantId, userId)) !== undefined) {
    const context = directoryContext(requestId);
    await endMembership(deps, tx, context, { tenantId, userId, isLeaving: false });
  }
}
