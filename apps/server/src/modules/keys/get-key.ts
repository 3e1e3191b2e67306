import type { Key } from "@turnpike/contract/keys";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { findKeyRow } from "./keys.store.ts";
import { toKeyReply } from "./to-key-reply.ts";

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
