import type { Key } from "@turnpike/contract/keys";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import { publishEvent } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { findKeyRow, markKeyRevoked, publishKey } from "./keys.store.ts";
import { toKeyReply } from "./to-key-reply.ts";

/**
 * Revokes a key for good; every process refuses it within a second. Revoking it again changes nothing and returns the same
 * key.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`.
 */
export async function revokeKey(
  deps: AppServices,
  context: CallContext,
  input: { tenantId: TenantId; keyId: KeyId },
): Promise<Key> {
  assertMayInTenant(context.actor, "keys:write", input.tenantId);
  const now = deps.clock.now();
  return await deps.transact.asTenant(input.tenantId, async (tx) => {
    const revoked = await markKeyRevoked(tx, { ...input, now });
    if (revoked === undefined) {
      const existing = await findKeyRow(tx, input.tenantId, input.keyId);
      if (existing === undefined) {
        throw resourceNotFound("key");
      }
      return toKeyReply(existing, now);
    }
    await writeAudit(deps, tx, context, {
      tenantId: input.tenantId,
      action: "key.revoked",
      entityType: "key",
      entityId: input.keyId,
      details: { name: revoked.name, start: revoked.start },
    });
    await publishEvent(deps, tx, {
      tenantId: input.tenantId,
      type: "key.revoked",
      data: { key: toKeyReply(revoked, now) },
    });
    await publishKey(tx, input.tenantId, input.keyId);
    return toKeyReply(revoked, now);
  });
}
