import type { DeletedTenant } from "@turnpike/contract/tenants";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { isId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { parseCursor } from "#platform/parse-cursor.ts";
import {
  type DeletedPosition,
  type DeletedTenantRow,
  listDeletedTenantRows,
} from "./deleted-tenants.store.ts";
import { restorableUntil } from "./restorable-until.ts";

function toDeletedReply(row: DeletedTenantRow): DeletedTenant {
  return {
    tenantId: row.tenant_id,
    name: row.name,
    slug: row.slug,
    externalId: row.external_id,
    deletedAt: row.deleted_at.toISOString(),
    deletedBy: row.deleted_by,
    restorableUntil: restorableUntil(row.deleted_at).toISOString(),
    purgedAt: row.purged_at?.toISOString() ?? null,
  };
}

function toCursor({ tenant_id, deleted_at }: DeletedTenantRow): string {
  return `${tenant_id}:${String(deleted_at.getTime())}`;
}

function toPosition(cursor: string): DeletedPosition | undefined {
  const [tenantId = "", deletedAtMs = ""] = cursor.split(":");
  return isId("tenant", tenantId) && /^\d{1,15}$/.test(deletedAtMs)
    ? { tenantId, deletedAt: new Date(Number(deletedAtMs)) }
    : undefined;
}

/** Lists deleted tenants, the most recently deleted first, including purged ones. For operators. */
export async function listDeletedTenants(
  deps: AppServices,
  context: CallContext,
  input: { cursor?: string | undefined; limit: number },
): Promise<{ items: DeletedTenant[]; nextCursor: string | null }> {
  assertMay(context.actor, "tenants:read");
  const before = parseCursor(input.cursor, toPosition);
  const rows = await deps.transact.asOperatorWithDeleted((tx) =>
    listDeletedTenantRows(tx, { before, limit: input.limit + 1 }),
  );
  const shown = rows.slice(0, input.limit);
  const last = shown.at(-1);
  const isMore = rows.length > input.limit && last !== undefined;
  return { items: shown.map(toDeletedReply), nextCursor: isMore ? toCursor(last) : null };
}
