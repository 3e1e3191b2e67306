import type { Invitation } from "@turnpike/contract/invitations";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { nameOfRole } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { parseIdCursor } from "#platform/parse-cursor.ts";
import { listHeldRoles } from "./find-role.ts";
import { listInvitationRows } from "./invitations.store.ts";
import { toInvitationReply } from "./to-invitation-reply.ts";

/** Lists the invitations of a tenant that can still be accepted, newest first. */
export async function listInvitations(
  deps: AppServices,
  context: CallContext,
  input: { tenantId: TenantId; cursor?: string | undefined; limit: number },
): Promise<{ items: Invitation[]; nextCursor: string | null }> {
  assertMayInTenant(context.actor, "members:read", input.tenantId);
  const beforeId = parseIdCursor("invitation", input.cursor);
  const { rows, roles } = await deps.transact.asTenant(input.tenantId, async (tx) => {
    await assertTenantExists(tx, input.tenantId);
    const page = { beforeId, limit: input.limit + 1, now: deps.clock.now() };
    return {
      rows: await listInvitationRows(tx, input.tenantId, page),
      roles: await listHeldRoles(tx, input.tenantId),
    };
  });
  const byName = new Map(roles.map((role) => [nameOfRole(role), role]));
  const items = rows.slice(0, input.limit).flatMap((row) => {
    const role = byName.get(row.role);
    return role === undefined ? [] : [toInvitationReply(row, role)];
  });
  return {
    items,
    nextCursor: rows.length > input.limit ? (items.at(-1)?.invitationId ?? null) : null,
  };
}
