import type { Key } from "@turnpike/contract/keys";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { findKeyRow, listKeyRows, tenantExists } from "./keys.store.ts";
import { toKeyReply } from "./to-key-reply.ts";

/** Lists a tenant's keys, newest first, revoked ones included. */
export async function listKeys(
  deps: AppServices,
  context: CallContext,
  input: { tenantId: TenantId; cursor?: string | undefined; limit: number },
): Promise<{ items: Key[]; nextCursor: string | null }> {
  assertMayInTenant(context.actor, "keys:read", input.tenantId);
  const rows = await deps.transact.asTenant(input.tenantId, async (tx) => {
    if (!(await tenantExists(tx, input.tenantId))) {
      throw resourceNotFound("tenant");
    }
    return await listKeyRows(tx, input.tenantId, {
      beforeId: input.cursor,
      limit: input.limit + 1,
    });
  });
  const now = deps.clock.now();
  const items = rows.slice(0, input.limit).map((row) => toKeyReply(row, now));
  return { items, nextCursor: rows.length > input.limit ? (items.at(-1)?.keyId ?? null) : null };
}

/** @throws {AppError} `RESOURCE_NOT_FOUND`. */
export async function getKey(
  deps: AppServices,
  context: CallContext,
  input: { tenantId: TenantId; keyId: KeyId },
): Promise<Key> {
  assertMayInTenant(context.actor, "keys:read", input.tenantId);
  const row = await deps.transact.asTenant(input.tenantId, (tx) =>
    findKeyRow(tx, input.tenantId, input.keyId),
  );
  if (row === undefined) {
    throw resourceNotFound("key");
  }
  return toKeyReply(row, deps.clock.now());
}
