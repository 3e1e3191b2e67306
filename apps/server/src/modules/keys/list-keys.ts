import type { Key, ListKeysQuery } from "@turnpike/contract/keys";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { isId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { parseCursor } from "#platform/parse-cursor.ts";
import { type KeyPosition, type KeyRow, listKeyRows } from "./keys.store.ts";
import { toKeyReply } from "./to-key-reply.ts";

function toCursor({ key_id, name }: KeyRow): string {
  return `${key_id}:${name}`;
}

function toPosition(cursor: string): KeyPosition | undefined {
  const [keyId = ""] = cursor.split(":", 1);
  return isId("key", keyId) && cursor.length > keyId.length
    ? { keyId, name: cursor.slice(keyId.length + 1) }
    : undefined;
}

/** Lists a tenant's keys, newest first unless asked otherwise, revoked ones included. */
export async function listKeys(
  deps: AppServices,
  context: CallContext,
  input: Omit<ListKeysQuery, "sort"> & Partial<Pick<ListKeysQuery, "sort">>,
): Promise<{ items: Key[]; nextCursor: string | null }> {
  assertMayInTenant(context.actor, "keys:read", input.tenantId);
  const after = parseCursor(input.cursor, toPosition);
  const now = deps.clock.now();
  const rows = await deps.transact.asTenant(input.tenantId, async (tx) => {
    await assertTenantExists(tx, input.tenantId);
    return await listKeyRows(tx, input.tenantId, {
      filter: {
        text: input.q === "" ? undefined : input.q,
        environment: input.environment,
        state: input.state,
        expiresBefore:
          input.expiresBefore === undefined ? undefined : new Date(input.expiresBefore),
        now,
      },
      sort: input.sort ?? "-createdAt",
      after,
      limit: input.limit + 1,
    });
  });
  const shown = rows.slice(0, input.limit);
  const last = shown.at(-1);
  const isMore = rows.length > input.limit && last !== undefined;
  return {
    items: shown.map((row) => toKeyReply(row, now)),
    nextCursor: isMore ? toCursor(last) : null,
  };
}
