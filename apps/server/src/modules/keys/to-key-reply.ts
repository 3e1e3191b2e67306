import type { Key, ServiceKey } from "@turnpike/contract/keys";
import type { KeyRow } from "./keys.store.ts";
import type { ServiceKeyRow } from "./service-keys.store.ts";

function stateOf(row: KeyRow, now: Date): Key["state"] {
  if (row.revoked_at !== null) {
    return "revoked";
  }
  if (row.expires_at !== null && row.expires_at <= now) {
    return "expired";
  }
  return row.disabled_at === null ? "active" : "disabled";
}

export function toKeyReply(row: KeyRow, now: Date): Key {
  return {
    keyId: row.key_id,
    tenantId: row.tenant_id,
    name: row.name,
    environment: row.environment,
    start: row.start,
    lastFour: row.last_four,
    scopes: row.scopes,
    metadata: row.metadata,
    allowedNetworks: row.allowed_networks,
    rateLimits: row.rate_limits,
    quotas: row.quotas,
    concurrency: row.concurrency,
    state: stateOf(row, now),
    expiresAt: row.expires_at?.toISOString() ?? null,
    revokedAt: row.revoked_at?.toISOString() ?? null,
    rolledToKeyId: row.rolled_to,
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

export function toServiceKeyReply(row: ServiceKeyRow): ServiceKey {
  return {
    serviceKeyId: row.service_key_id,
    name: row.name,
    start: row.start,
    scopes: row.scopes,
    createdAt: row.created_at.toISOString(),
    revokedAt: row.revoked_at?.toISOString() ?? null,
  };
}
