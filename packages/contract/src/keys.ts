import { isCustomScope } from "@turnpike/domain/access/custom-scopes";
import { SCOPE_QUERY_LENGTH_MAX } from "@turnpike/domain/access/scope-query";
import { SCOPES, TENANT_KEY_SCOPES } from "@turnpike/domain/access/scopes";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import { SLUG_PATTERN } from "@turnpike/domain/ids/ids";
import { ENVIRONMENTS } from "@turnpike/domain/keys/key-format";
import { isAddress } from "@turnpike/domain/keys/networks";
import type { Outcome } from "@turnpike/domain/metering/outcome";
import { z } from "zod";
import { quota, rateLimit } from "./catalog.ts";
import { COST_MAX, lockRequest, madeLock } from "./locks.ts";
import { operation } from "./operation.ts";
import {
  displayText,
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

/** For managing the tenant, or of the operator's own API: these the plan must allow. */
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

/** The most networks that one key is bound to: every call is compared with each. */
export const KEY_NETWORKS_MAX = 50;

/** Addresses and ranges, IPv4 and IPv6; the server writes them in canonical form and refuses what is neither. */
const allowedNetworks = z
  .array(plainText(64))
  .max(KEY_NETWORKS_MAX, `At most ${String(KEY_NETWORKS_MAX)} networks.`)
  .meta({
    description:
      "Where calls may come from: addresses and CIDR ranges, IPv4 and IPv6. Empty: from anywhere.",
    examples: [["192.0.2.0/24", "2001:db8::/32"]],
  });

/** Each call is held against every limit of its tenant and of its key, hence few. */
export const KEY_LIMITS_MAX = 5;

function areNamesUnique(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}

/** Rate limits of the key alone, below those of the tenant's plan. */
const keyRateLimits = z
  .array(rateLimit)
  .max(KEY_LIMITS_MAX, `At most ${String(KEY_LIMITS_MAX)} rate limits.`)
  .refine(
    (limits) => areNamesUnique(limits.map((limit) => limit.name)),
    "A name stands here twice.",
  )
  .meta({ description: "Calls of this key in short windows, below the limits of the plan." });

export const keyQuota = z.strictObject({ meter: quota.shape.meter, limit: quota.shape.limit });

/** Hard caps of the key alone for one billing period, below those of the tenant's plan. */
const keyQuotas = z
  .array(keyQuota)
  .max(KEY_LIMITS_MAX, `At most ${String(KEY_LIMITS_MAX)} quotas.`)
  .refine(
    (quotas) => areNamesUnique(quotas.map((each) => each.meter)),
    "A meter stands here twice.",
  )
  .meta({
    description:
      "Hard caps of this key in one billing period. A key that was rolled shares them with those before it.",
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
  /** Where calls may come from, as CIDRs in canonical form. Empty: from anywhere. */
  allowedNetworks: z.array(z.string()),
  /** Limits of the key below those of its tenant. */
  rateLimits: z.array(rateLimit),
  quotas: z.array(keyQuota),
  state: z.enum(KEY_STATES),
  expiresAt: instant.nullable(),
  revokedAt: instant.nullable(),
  /** The key that took this one's place when it was rolled. */
  rolledToKeyId: keyId.nullable(),
  /** Who made it: the kind of actor and its id. The key outlives them. */
  createdBy: z.string(),
  createdAt: instant,
  updatedAt: instant,
});
export type Key = z.infer<typeof key>;

export const createKeyRequest = z.strictObject({
  tenantId,
  name: displayText(100),
  environment: z.enum(ENVIRONMENTS).default("live"),
  scopes: z.array(tenantKeyScope).max(KEY_SCOPES_MAX).default([]),
  metadata: metadata.default({}),
  allowedNetworks: allowedNetworks.optional(),
  rateLimits: keyRateLimits.optional(),
  quotas: keyQuotas.optional(),
  expiresAt: instant.optional(),
});
export type CreateKeyRequest = z.infer<typeof createKeyRequest>;

/** The one answer that holds the key itself. It is stored as a hash and cannot be shown again. */
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
  name: displayText(100),
  scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length),
});
export type CreateServiceKeyRequest = z.infer<typeof createServiceKeyRequest>;

/** What is left out stays as it is. A revoked key cannot be changed. */
export const updateKeyRequest = z.strictObject({
  tenantId,
  keyId,
  name: displayText(100).optional(),
  scopes: z.array(tenantKeyScope).max(KEY_SCOPES_MAX).optional(),
  metadata: metadata.optional(),
  allowedNetworks: allowedNetworks.optional(),
  rateLimits: keyRateLimits.optional(),
  quotas: keyQuotas.optional(),
  /** Null for no expiry. */
  expiresAt: instant.nullable().optional(),
  /** A disabled key is refused everywhere until it is enabled again. */
  disabled: z.boolean().optional(),
});
export type UpdateKeyRequest = z.infer<typeof updateKeyRequest>;

/** How long a rolled key still works beside its successor, in seconds: not at all, 1 minute, 1 hour, 1 day, 7 days. */
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
  /** Part of the name, or the id, or the start or the last four characters of the key. */
  q: plainText(100).optional(),
  environment: z.enum(ENVIRONMENTS).optional(),
  state: z.enum(KEY_STATES).optional(),
  /** Only keys that end by then, those that have ended included unless `state` says otherwise. */
  expiresBefore: instant.optional(),
  sort: z.enum(KEY_SORTS).default("-createdAt"),
  ...pageQuery,
});
export type ListKeysQuery = z.infer<typeof listKeysQuery>;

/** `POST /v1/keys/verify`: plain node:http in front of the rest, with these shapes. */
export const verifyKeyRequest = z.strictObject({
  /** As the caller sent it, whatever that is: an empty one is answered as none, one that no key looks like as unknown. */
  key: z.string(),
  /** Whole units of the meter to consume; 0 looks without consuming. */
  cost: z.number().int().min(0).max(COST_MAX).default(1),
  /** What is metered. */
  meter: z
    .string()
    .regex(SLUG_PATTERN, "Lower-case letters, digits and dashes.")
    .default(REQUESTS_METER),
  /** Scopes that the call needs, joined by AND and OR, with parentheses: `maps:read AND (a:x OR b:x)`. */
  scopes: z.string().max(SCOPE_QUERY_LENGTH_MAX).optional(),
  /** What is called: a path, which usage is broken down by as its route. */
  resource: plainText(500).regex(/^\//, "A path: it starts with a slash.").optional(),
  /** The environment that the key must be of; a key of the other one is as good as unknown. */
  environment: z.enum(ENVIRONMENTS).optional(),
  /** Where the call came from, as the asking program knows it: what the networks of the key are compared with. */
  address: z.string().refine(isAddress, "Not an IP address, without a port.").optional(),
  /** Reserves the cost instead of taking it: for a call whose cost is known at its end. */
  lock: lockRequest.optional(),
});
export type VerifyKeyRequest = z.infer<typeof verifyKeyRequest>;

export const limitState = z.strictObject({
  name: z.string(),
  kind: z.enum(["rate_limit", "quota"]),
  /** Whose limit: of all keys of the tenant together, or of this key. */
  scope: z.enum(["tenant", "key"]),
  /** Units, or calls for a rate limit. */
  limit: z.number(),
  /**
   * Units that may still be used. Of a quota: what this process knows, at most one lease behind the ledger.
   */
  remaining: z.number(),
  /** Of a rate limit: the length of its window. A quota holds for a billing period. */
  windowSeconds: z.int().optional(),
  resetAt: instant,
});

/** What a verdict says in this version. */
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

/** Always answered with status 200; `valid` is the verdict and `code` the reason. */
export const verifyKeyResponse = z.strictObject({
  valid: z.boolean(),
  code: z.union([z.enum(VERDICT_CODES), z.string()]).meta({
    description:
      "The reason. Further codes may come: take one that you do not know as what `valid` says.",
  }),
  /** One sentence on why the call is refused. */
  detail: z.string().optional(),
  requestId: z.string(),
  keyId: keyId.optional(),
  keyName: z.string().optional(),
  tenantId: tenantId.optional(),
  planId: z.string().optional(),
  planVersion: z.number().int().optional(),
  environment: z.enum(ENVIRONMENTS).optional(),
  /** Those in effect: what the plan does not allow any more is not among them. */
  scopes: z.array(z.string()).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  expiresAt: instant.nullable().optional(),
  /** Of a known key: every rate limit of tenant and key, and their hard quotas on the meter. A soft quota refuses nothing. */
  limits: z.array(limitState).optional(),
  /** With INSUFFICIENT_SCOPE: what the key lacks. */
  missingScopes: z.array(z.string()).optional(),
  /** When trying again can help: after so many seconds. */
  retryAfterSeconds: z.number().int().optional(),
  /**
   * On a refusal: the cheapest plan under which this call would have passed, or null when there is none. Never the tenant's own
   * plan, and where no hard quota caps the meter now, none that does.
   */
  offer: z
    .strictObject({ planId: z.string(), name: z.string(), url: z.string() })
    .nullable()
    .optional(),
  /** When a lock was asked for and the call may pass: what to settle or release at its end. */
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
      summary: "Create a key; the answer is the only place where it is shown",
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
  update: operation({ scope: "keys:write" })
    .route({
      method: "PATCH",
      path: "/tenants/{tenantId}/keys/{keyId}",
      summary:
        "Change a key's name, scopes, networks, limits, metadata or expiry; disable or enable it",
      tags,
    })
    .input(updateKeyRequest)
    .output(key),
  roll: operation({ scope: "keys:write" })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/keys/{keyId}/roll",
      successStatus: 201,
      summary: "Replace a key by a copy with a new text; the old one works for the grace period",
      tags,
    })
    .input(rollKeyRequest)
    .output(createdKey),
  revoke: operation({ scope: "keys:write" })
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
        "With a header `Idempotency-Key` (1 to 255 printable ASCII characters) a repeated request gets the first answer for 24 hours and takes nothing again.",
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
      summary: "Create a service key; the answer is the only place where it is shown",
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
  revoke: operation({ scope: "service_keys:write" })
    .route({
      method: "POST",
      path: "/service-keys/{serviceKeyId}/revoke",
      summary: "Revoke a service key",
      tags: serviceTags,
    })
    .input(z.strictObject({ serviceKeyId }))
    .output(serviceKey),
};
