import type { Member } from "@turnpike/contract/tenants";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { parseIdCursor } from "#platform/parse-cursor.ts";
import { listMemberRows } from "./members.store.ts";
import { toMemberReply } from "./to-tenant-reply.ts";

/** Lists the members of a tenant, by user id. */
export async function listMembers(
  deps: AppServices,
  context: CallContext,
  input: { tenantId: TenantId; cursor?: string | undefined; limit: number },
): Promise<{ items: Member[]; nextCursor: string | null }> {
  assertMayInTenant(context.actor, "members:read", input.tenantId);
  const afterId = parseIdCursor("user", input.cursor);
  const rows = await deps.transact.asOperator(
    async (tx) => {
      await assertTenantExists(tx, input.tenantId);
      return await listMemberRows(tx, input.tenantId, {
        afterId,
        limit: input.limit + 1,
      });
    },
    { holder: input.tenantId },
  );
  const items = rows.slice(0, input.limit).map(toMemberReply);
  return { items, nextCursor: rows.length > input.limit ? (items.at(-1)?.userId ?? null) : null };
}
