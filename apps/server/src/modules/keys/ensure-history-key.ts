import { hash } from "node:crypto";
import type { Key } from "@turnpike/contract/keys";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { type KeyId, type TenantId, toId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import { publishEvent } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { insertRevokedKey } from "./key-import.store.ts";
import { findKeyRow, type KeyRow } from "./keys.store.ts";
import { mintKey } from "./mint-key.ts";
import { toKeyReply } from "./to-key-reply.ts";

const NAME = "Imported history";
/** Digits of a UUIDv7 that say when it was minted. */
const TIME_DIGITS = 12;

/** Derives the id from the tenant's, with the tenant's age: the key comes last in a list that is sorted by age. */
export function historyKeyIdOf(tenantId: TenantId): KeyId {
  const [, uuid = ""] = tenantId.split("_");
  const rest = hash("sha256", `history of ${tenantId}`, "hex");
  return toId("key", `${uuid.slice(0, TIME_DIGITS)}${rest}`.slice(0, 32));
}

/**
 * Finds or creates the key that imported calls belong to. It is revoked from the start, and its text is discarded.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INSUFFICIENT_SCOPE`.
 */
export async function ensureHistoryKey(
  deps: AppServices,
  context: CallContext,
  { tenantId }: { tenantId: TenantId },
): Promise<Key> {
  assertMayInTenant(context.actor, "keys:write", tenantId);
  const now = deps.clock.now();
  const keyId = historyKeyIdOf(tenantId);
  const { start, lastFour, hash: keyHash } = mintKey("live", deps.randomBytes);
  const row: KeyRow = {
    tenant_id: tenantId,
    key_id: keyId,
    origin_key_id: keyId,
    name: NAME,
    environment: "live",
    start,
    last_four: lastFour,
    scopes: [],
    metadata: {},
    allowed_networks: [],
    rate_limits: [],
    quotas: [],
    concurrency: null,
    expires_at: null,
    disabled_at: null,
    revoked_at: now,
    rolled_to: null,
    created_by: `${context.actor.type}:${context.actor.id}`,
    created_at: now,
    updated_at: now,
  };
  return await deps.transact.asTenant(tenantId, async (tx) => {
    await assertTenantExists(tx, tenantId);
    if (!(await insertRevokedKey(tx, { ...row, key_hash: keyHash }))) {
      return toKeyReply((await findKeyRow(tx, tenantId, keyId)) ?? row, now);
    }
    await writeAudit(deps, tx, context, {
      tenantId,
      action: "key.created",
      entityType: "key",
      entityId: keyId,
      details: { name: NAME, environment: "live", start },
    });
    const key = toKeyReply(row, now);
    await publishEvent(deps, tx, { tenantId, type: "key.created", data: { key } });
    return key;
  });
}
