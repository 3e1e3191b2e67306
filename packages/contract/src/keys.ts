import { isCustomScope } from "@turnpike/domain/access/custom-scopes";
import { SCOPE_QUERY_LENGTH_MAX } from "@turnpike/domain/access/scope-query";
import { SCOPES, TENANT_KEY_SCOPES } from "@turnpike/domain/access/scopes";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import { SLUG_PATTERN } from "@turnpike/domain/ids/ids";
import { ENVIRONMENTS } from "@turnpike/domain/keys/key-format";
import { isAddress } from "@turnpike/domain/keys/networks";
import type { Outcome } from "@turnpike/domain/metering/outcome";
import { z } from "zod";
import { concurrency, quota, rateLimit } from "./catalog.ts";
import { COST_MAX, lockRequest, madeLock } from "./locks.ts";
import { operation } from "./operation.ts";
import {
  displayName,
  instant,
  keyId,
  pageOf,
  pageQuery,
  plainText,
  serviceKeyId,
  tenantId,
} from "./shapes.ts";

export const KEY_STATES = ["active", "disabled", "expired", "revoked"] as const;

/** The most scopes that one key carries. */
export const KEY_SCOPES_MAX = 100;

/** Scopes for managing the tenant, or scopes of the operator's own API that the plan allows. */
const tenantKeyScope = z
  .string()
  .refine(
    (name) => TENANT_KEY_SCOPES.some((known) => known === name) || isCustomScope(name),
    `A tenant's key may carry: ${TENANT_KEY_SCOPES.join(", ")}; and scopes of the API that its plan allows, such as maps:read.`,
  );

const metadata = z
  .record(
    plainText(64).min(1),
    z.union([plainText(500), z.number(), z.boolean()], {
      error: "A text, a number, true or false.",
    }),
  )
  .refine((value) => Object.keys(value).length <= 20, "At most 20 entries.");

/** The most networks of one key: every call is compared with each. */
export const KEY_NETWORKS_MAX = 50;

/** IPv4 and IPv6 addresses and ranges. The server writes them in canonical form and refuses anything else. */
const allowedNetworks = z
  .array(plainText(64))
  .max(KEY_NETWORKS_MAX, `At most ${String(KEY_NETWORKS_MAX)} networks.`)
  .meta({
    description:
      "Where calls may come from: addresses and CIDR ranges, IPv4 and IPv6. Empty: anywhere.",
    examples: [["192.0.2.0/24", "2001:db8::/32"]],
  });

/** Every call is checked against each limit of its tenant and its key, so there are few. */
export const KEY_LIMITS_MAX = 5;

function areNamesUnique(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}

/** Rate limits of this key, on top of those of the tenant's plan. */
const keyRateLimits = z
  .array(rateLimit)
  .max(KEY_LIMITS_MAX, `At most ${String(KEY_LIMITS_MAX)} rate limits.`)
  .refine((limits) => areNamesUnique(limits.map((limit) => limit.name)), "A name is listed twice.")
  .meta({ description: "Rate limits of this key, on top of those of the plan." });

export const keyQuota = z.strictObject({ meter: quota.shape.meter, limit: quota.shape.limit });

/** Hard caps of this key in one billing period, on top of those of the tenant's plan. */
const keyQuotas = z
  .array(keyQuota)
  .max(KEY_LIMITS_MAX, `At most ${String(KEY_LIMITS_MAX)} quotas.`)
  .refine((quotas) => areNamesUnique(quotas.map((each) => each.meter)), "A meter is listed twice.")
  .meta({
    description:
      "Hard caps of this key in one billing period. A rolled key shares them with its predecessors.",
  });

const keyConcurrency = concurrency.nullable().meta({
  description:
    "Calls of this key through the gateway that may be under way at once, below the limit of the plan; null for none of its own.",
});

export const key = z.strictObject({
  keyId,
  tenantId,
  name: z.string(),
  environment: z.enum(ENVIRONMENTS),
  /** Prefix and first characters: safe to show. */
  start: z.string(),
  lastFour: z.string(),
  scopes: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()),
  /** Where calls may come from, as CIDRs in canonical form. Empty: anywhere. */
  allowedNetworks: z.array(z.string()),
  /** Limits of the key, on top of those of its tenant. */
  rateLimits: z.array(rateLimit),
  quotas: z.array(keyQuota),
  concurrency: keyConcurrency,
  state: z.enum(KEY_STATES),
  expiresAt: instant.nullable(),
  revokedAt: instant.nullable(),
  /** The key that replaced this one when it was rolled. */
  rolledToKeyId: keyId.nullable(),
  /** Kind and id of the actor who created it. The key outlives them. */
  createdBy: z.string(),
  createdAt: instant,
  updatedAt: instant,
});
export type Key = z.infer<typeof key>;

/** Names of keys are read by those who may see the keys, and are often those of a service or a mailbox. */
const keyName = displayName(100, { mayHoldAddress: true });

export const createKeyRequest = z.strictObject({
  tenantId,
  name: keyName,
  environment: z.enum(ENVIRONMENTS).default("live"),
  scopes: z.array(tenantKeyScope).max(KEY_SCOPES_MAX).default([]),
  metadata: metadata.default({}),
  allowedNetworks: allowedNetworks.optional(),
  rateLimits: keyRateLimits.optional(),
  quotas: keyQuotas.optional(),
  concurrency: keyConcurrency.optional(),
  expiresAt: instant.optional(),
});
export type CreateKeyRequest = z.infer<typeof createKeyRequest>;

/** The only answer that holds the key itself. It is stored as a hash and cannot be shown again. */
export const createdKey = z.strictObject({ ...key.shape, key: z.string() });
export type CreatedKey = z.infer<typeof createdKey>;

export const serviceKey = z.strictObject({
  serviceKeyId,
  name: z.string(),
  start: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  createdAt: instant,
  revokedAt: instant.nullable(),
});
export type ServiceKey = z.infer<typeof serviceKey>;
export const createdServiceKey = z.strictObject({ ...serviceKey.shape, key: z.string() });
export type CreatedServiceKey = z.infer<typeof createdServiceKey>;

export const createServiceKeyRequest = z.strictObject({
  name: keyName,
  scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length),
});
export type CreateServiceKeyRequest = z.infer<typeof createServiceKeyRequest>;

/** A missing field stays as it is. A revoked key cannot be changed. */
export const updateKeyRequest = z.strictObject({
  tenantId,
  keyId,
  name: keyName.optional(),
  scopes: z.array(tenantKeyScope).max(KEY_SCOPES_MAX).optional(),
  metadata: metadata.optional(),
  allowedNetworks: allowedNetworks.optional(),
  rateLimits: keyRateLimits.optional(),
  quotas: keyQuotas.optional(),
  concurrency: keyConcurrency.optional(),
  /** Null for no expiry. */
  expiresAt: instant.nullable().optional(),
  /** A disabled key is refused everywhere until it is enabled again. */
  disabled: z.boolean().optional(),
});
export type UpdateKeyRequest = z.infer<typeof updateKeyRequest>;

/** How long a rolled key still works beside its successor, in seconds: none, 1 minute, 1 hour, 1 day, 7 days. */
export const KEY_GRACE_SECONDS = [0, 60, 3_600, 86_400, 604_800] as const;

export const rollKeyRequest = z.strictObject({
  tenantId,
  keyId,
  graceSeconds: z.literal(KEY_GRACE_SECONDS, {
    error: `One of ${KEY_GRACE_SECONDS.join(", ")}.`,
  }),
});
export type RollKeyRequest = z.infer<typeof rollKeyRequest>;

export const KEY_SORTS = ["-createdAt", "createdAt", "name", "-name"] as const;

export const listKeysQuery = z.strictObject({
  tenantId,
  /** Part of the name, or the id, the start or the last four characters of the key. */
  q: plainText(100).optional(),
  environment: z.enum(ENVIRONMENTS).optional(),
  state: z.enum(KEY_STATES).optional(),
  /** Only keys that expire by then; expired keys too, unless `state` excludes them. */
  expiresBefore: instant.optional(),
  sort: z.enum(KEY_SORTS).default("-createdAt"),
  ...pageQuery,
});
export type ListKeysQuery = z.infer<typeof listKeysQuery>;

/** `POST /v1/keys/verify`: a plain node:http route in front of the others, with these shapes. */
export const verifyKeyRequest = z.strictObject({
  /** Exactly what the caller sent. An empty key is answered as missing, a malformed one as unknown. */
  key: z.string(),
  /** Whole units of the meter to consume; 0 checks without consuming. */
  cost: z.number().int().min(0).max(COST_MAX).default(1),
  /** The meter to count towards. */
  meter: z
    .string()
    .regex(SLUG_PATTERN, "Lower-case letters, digits and dashes.")
    .default(REQUESTS_METER),
  /** Scopes that the call needs, joined by AND and OR with parentheses: `maps:read AND (a:x OR b:x)`. */
  scopes: z.string().max(SCOPE_QUERY_LENGTH_MAX).optional(),
  /** The path that is called. Usage can be broken down by it, as the route. */
  resource: plainText(500).regex(/^\//, "A path: it starts with a slash.").optional(),
  /** The environment the key must belong to. A key of the other one is treated as unknown. */
  environment: z.enum(ENVIRONMENTS).optional(),
  /** The address of the caller, as the asking program knows it. It is compared with the networks of the key. */
  address: z.string().refine(isAddress, "Not an IP address, or one with a port.").optional(),
  /** Reserves the cost instead of consuming it, for a call whose cost is known only at its end. */
  lock: lockRequest.optional(),
});
export type VerifyKeyRequest = z.infer<typeof verifyKeyRequest>;

export const limitState = z.strictObject({
  name: z.string(),
  kind: z.enum(["rate_limit", "quota"]),
  /** Whose limit: shared by all keys of the tenant, or of this key alone. */
  scope: z.enum(["tenant", "key"]),
  /** Units, or calls for a rate limit. */
  limit: z.number(),
  /**
   * Units that are left. Of a quota: as this process knows it, at most one lease behind the ledger.
   */
  remaining: z.number(),
  /** Of a rate limit: the length of its window. A quota covers a billing period. */
  windowSeconds: z.int().optional(),
  resetAt: instant,
});

/** The codes of a verdict in this version. */
export const VERDICT_CODES = [
  "VALID",
  "MISSING_KEY",
  "INVALID_KEY",
  "REVOKED",
  "EXPIRED",
  "DISABLED",
  "FORBIDDEN_NETWORK",
  "INSUFFICIENT_SCOPE",
  "TENANT_SUSPENDED",
  "RATE_LIMITED",
  "QUOTA_EXCEEDED",
  "TOO_MANY_LOCKS",
] as const satisfies readonly Outcome[];

/** The answer always has status 200. `valid` is the verdict, `code` the reason. */
export const verifyKeyResponse = z.strictObject({
  valid: z.boolean(),
  code: z.union([z.enum(VERDICT_CODES), z.string()]).meta({
    description: "The reason. New codes may be added: for an unknown code, rely on `valid`.",
  }),
  /** Why the call is refused, in one sentence. */
  detail: z.string().optional(),
  requestId: z.string(),
  keyId: keyId.optional(),
  keyName: z.string().optional(),
  tenantId: tenantId.optional(),
  planId: z.string().optional(),
  planVersion: z.number().int().optional(),
  environment: z.enum(ENVIRONMENTS).optional(),
  /** Scopes in effect, without those that the plan no longer allows. */
  scopes: z.array(z.string()).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  expiresAt: instant.nullable().optional(),
  /** Of a known key: every rate limit of tenant and key, and their hard quotas on the meter. Soft quotas refuse nothing. */
  limits: z.array(limitState).optional(),
  /** With INSUFFICIENT_SCOPE: the scopes that the key lacks. */
  missingScopes: z.array(z.string()).optional(),
  /** Seconds after which a retry can succeed. */
  retryAfterSeconds: z.number().int().optional(),
  /**
   * On a refusal: the cheapest plan under which this call would have passed, or null if there is none. Never the tenant's current
   * plan; and if no hard quota caps the meter now, never one that adds a cap.
   */
  offer: z
    .strictObject({ planId: z.string(), name: z.string(), url: z.string() })
    .nullable()
    .optional(),
  /** With PAYMENT_REQUIRED: the page on which an invoice is paid or credit is bought, so that calls pass again. */
  paymentUrl: z.string().optional(),
  /** When a lock was requested and the call may pass: the lock to settle or release when the call ends. */
  lock: madeLock.optional(),
});
export type VerifyKeyResponse = z.infer<typeof verifyKeyResponse>;

const tags = ["Keys"];

export const keysContract = {
  create: operation({ scope: "keys:write" })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/keys",
      successStatus: 201,
      summary: "Create a key; only this answer shows it",
      tags,
    })
    .input(createKeyRequest)
    .output(createdKey),
  list: operation({ scope: "keys:read" })
    .route({ method: "GET", path: "/tenants/{tenantId}/keys", summary: "List keys", tags })
    .input(listKeysQuery)
    .output(pageOf(key)),
  get: operation({ scope: "keys:read" })
    .route({ method: "GET", path: "/tenants/{tenantId}/keys/{keyId}", summary: "Get a key", tags })
    .input(z.strictObject({ tenantId, keyId }))
    .output(key),
  update: operation({ scope: "keys:write", worksWhenFull: "overdraft" })
    .route({
      method: "PATCH",
      path: "/tenants/{tenantId}/keys/{keyId}",
      summary:
        "Change the name, scopes, networks, limits, metadata or expiry of a key; disable or enable it",
      tags,
    })
    .input(updateKeyRequest)
    .output(key),
  roll: operation({ scope: "keys:write" })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/keys/{keyId}/roll",
      successStatus: 201,
      summary:
        "Replace a key with a copy that has a new text; the old key works for the grace period",
      tags,
    })
    .input(rollKeyRequest)
    .output(createdKey),
  revoke: operation({ scope: "keys:write", worksWhenFull: true })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/keys/{keyId}/revoke",
      summary: "Revoke a key for good, everywhere within a second",
      tags,
    })
    .input(z.strictObject({ tenantId, keyId }))
    .output(key),
  verify: operation({ scope: "keys:verify" })
    .route({
      method: "POST",
      path: "/keys/verify",
      summary: "Verify a key, apply its limits and meter the call, in one step",
      description:
        "With an `Idempotency-Key` header (1 to 255 printable ASCII characters), a repeated request gets the first answer for 24 hours and consumes nothing more; once the key has lost its rights it is refused.",
      tags,
    })
    .input(verifyKeyRequest)
    .output(verifyKeyResponse),
};

const serviceTags = ["Service keys"];

export const serviceKeysContract = {
  create: operation({ scope: "service_keys:write" })
    .route({
      method: "POST",
      path: "/service-keys",
      successStatus: 201,
      summary: "Create a service key; only this answer shows it",
      tags: serviceTags,
    })
    .input(createServiceKeyRequest)
    .output(createdServiceKey),
  list: operation({ scope: "service_keys:read" })
    .route({
      method: "GET",
      path: "/service-keys",
      summary: "List service keys",
      tags: serviceTags,
    })
    .input(z.strictObject({ ...pageQuery }))
    .output(pageOf(serviceKey)),
  revoke: operation({ scope: "service_keys:write", worksWhenFull: true })
    .route({
      method: "POST",
      path: "/service-keys/{serviceKeyId}/revoke",
      summary: "Revoke a service key",
      tags: serviceTags,
    })
    .input(z.strictObject({ serviceKeyId }))
    .output(serviceKey),
};
