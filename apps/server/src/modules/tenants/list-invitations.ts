import type { Invitation } from "@turnpike/contract/invitations";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { parseIdCursor } from "#platform/parse-cursor.ts";
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
  const rows = await deps.transact.asTenant(input.tenantId, async (tx) => {
    await assertTenantExists(tx, input.tenantId);
    return await listInvitationRows(tx, input.tenantId, {
      beforeId,
      limit: input.limit + 1,
      now: deps.clock.now(),
    });
  });
  const items = rows.slice(0, input.limit).map(toInvitationReply);
  return {
    items,
    nextCursor: rows.length > input.limit ? (items.at(-1)?.invitationId ?? null) : null,
  };
}
