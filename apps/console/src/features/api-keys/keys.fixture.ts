import { createdKey, key as keySchema } from "@turnpike/contract/keys";
import { keySummaries } from "@turnpike/contract/usage";
import type { OwnTenant } from "#platform/current-tenant.ts";
import type { Key } from "./api-keys.queries.ts";

export const TENANT_ID = "ten_0199f3b0c1d27a4e8f60112233445566";
export const MAKER_ID = "usr_0199f3b0c1d27a4e8f60112233445566";
const DAYS = 14;

/** The id of the key with a number. */
export function toTestKeyId(number: number): string {
  return `key_${String(number).padStart(32, "0")}`;
}

/** A key as the server returns it: active, live and without an expiry unless `change` says otherwise. */
export function makeKey(number: number, change: Partial<Key> = {}): Key {
  return keySchema.parse({
    keyId: toTestKeyId(number),
    tenantId: TENANT_ID,
    name: `Key ${String(number)}`,
    environment: "live",
    start: "tp_live_ab",
    lastFour: `x7Q${String(number % 10)}`,
    scopes: [],
    metadata: {},
    allowedNetworks: [],
    rateLimits: [],
    quotas: [],
    concurrency: null,
    state: "active",
    expiresAt: null,
    revokedAt: null,
    rolledToKeyId: null,
    createdBy: `user:${MAKER_ID}`,
    createdAt: "2026-11-01T00:00:00.000Z",
    updatedAt: "2026-11-01T00:00:00.000Z",
    ...change,
  });
}

/** The only response that contains the key's secret. */
export function makeCreatedKey(number: number, secret: string, change: Partial<Key> = {}): object {
  return createdKey.parse({ ...makeKey(number, change), key: secret });
}

/** The usage of the requested keys: ten requests today for the first one, none for the others. */
export function answerSummaries(request: Request): object {
  const ids = new URL(request.url).searchParams.get("keys")?.split(",") ?? [];
  return keySummaries.parse({
    times: Array.from({ length: DAYS }, (_, day) =>
      new Date(Date.UTC(2026, 10, 8 + day)).toISOString(),
    ),
    timeZone: "UTC",
    items: ids.map((keyId) => {
      const isUsed = keyId === toTestKeyId(1);
      return {
        keyId,
        lastUsedAt: isUsed ? "2026-11-21T11:58:00.000Z" : null,
        requests: isUsed ? 10 : 0,
        denied: 0,
        requestsByDay: Array.from({ length: DAYS }, (_, day) =>
          isUsed && day === DAYS - 1 ? 10 : 0,
        ),
      };
    }),
  });
}

/** The tenant of these keys, for a member with the given role. */
export function makeOwnTenant(role: OwnTenant["role"] = "owner"): OwnTenant {
  return {
    tenantId: TENANT_ID as OwnTenant["tenantId"],
    name: "Acme",
    slug: "acme",
    role,
    planId: "free",
    suspendedAt: null,
    logoId: null,
    createdAt: "2026-11-01T00:00:00.000Z",
  };
}
