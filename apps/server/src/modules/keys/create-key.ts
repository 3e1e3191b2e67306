import type { CreatedKey, CreateKeyRequest } from "@turnpike/contract/keys";
import {
  assertMayInTenant,
  assertMayLearnSecret,
  type CallContext,
} from "@turnpike/domain/access/actor";
import { writeAudit } from "#modules/audit/index.ts";
import { publishEvent } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import {
  assertMetersExist,
  assertScopesAllowed,
  assertScopesHeld,
  parseExpiry,
  parseNetworks,
} from "./key-input.ts";
import { insertKey, type KeyRow, publishKey } from "./keys.store.ts";
import { mintKey, toHex } from "./mint-key.ts";
import { toKeyReply } from "./to-key-reply.ts";

/**
 * Creates a key of a tenant. The reply is the only place where its text appears; the database holds a hash.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INSUFFICIENT_SCOPE`, `INVALID_REQUEST` (expiry in the past, invalid network, unknown
 *   meter, a scope that the plan does not allow), `DIRECTORY_UNAVAILABLE`.
 */
export async function createKey(
  deps: AppServices,
  context: CallContext,
  input: CreateKeyRequest,
): Promise<CreatedKey> {
  assertMayInTenant(context.actor, "keys:write", input.tenantId);
  assertMayLearnSecret(context.actor, input.tenantId);
  assertScopesHeld(context, input.tenantId, input.scopes);
  const now = deps.clock.now();
  const minted = mintKey(input.environment, deps.randomBytes);
  const keyId = deps.newId("key");
  const row: KeyRow = {
    tenant_id: input.tenantId,
    key_id: keyId,
    origin_key_id: keyId,
    name: input.name,
    environment: input.environment,
    start: minted.start,
    last_four: minted.lastFour,
    scopes: [...new Set(input.scopes)],
    metadata: input.metadata,
    allowed_networks: parseNetworks(input.allowedNetworks) ?? [],
    rate_limits: input.rateLimits ?? [],
    quotas: input.quotas ?? [],
    concurrency: input.concurrency ?? null,
    expires_at: parseExpiry(input.expiresAt, now),
    disabled_at: null,
    revoked_at: null,
    rolled_to: null,
    created_by: `${context.actor.type}:${context.actor.id}`,
    created_at: now,
    updated_at: now,
  };
  await deps.transact.asTenant(input.tenantId, async (tx) => {
    await assertTenantExists(tx, input.tenantId);
    await assertScopesAllowed(tx, input.tenantId, { scopes: input.scopes, kept: [] });
    await assertMetersExist(tx, row.quotas);
    await deps.cellEntries?.admitKeys(input.tenantId, [toHex(minted.hash)]);
    await insertKey(tx, {
      ...row,
      metadata: input.metadata,
      key_hash: minted.hash,
    });
    await writeAudit(deps, tx, context, {
      tenantId: input.tenantId,
      action: "key.created",
      entityType: "key",
      entityId: row.key_id,
      details: { name: row.name, environment: row.environment, start: row.start },
    });
    await publishEvent(deps, tx, {
      tenantId: input.tenantId,
      type: "key.created",
      data: { key: toKeyReply(row, now) },
    });
    await publishKey(tx, input.tenantId, row.key_id);
  });
  return { ...toKeyReply(row, now), key: minted.key };
}
