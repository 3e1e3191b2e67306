/** Why a call may not pass, the same for gateway, forward auth and SDK. A newer server may have more codes. */
export type DenialCode =
  | "MISSING_KEY"
  | "INVALID_KEY"
  | "REVOKED"
  | "EXPIRED"
  | "DISABLED"
  | "FORBIDDEN_NETWORK"
  | "INSUFFICIENT_SCOPE"
  | "TENANT_SUSPENDED"
  | "PAYMENT_REQUIRED"
  | "SPEND_CAP_REACHED"
  | "RATE_LIMITED"
  | "QUOTA_EXCEEDED"
  | "TOO_MANY_LOCKS";

export type VerdictCode = VerifyReply["code"];

/** What is asked of `POST /v1/keys/verify`. What is left out is the server's default. */
export type VerifyRequest = {
  /** The API key as the caller sent it. */
  key: string;
  /** Whole units of the meter to take, 0 or more; 0 checks and takes nothing. By default 1. */
  cost?: number;
  /** What is metered. By default `requests`. */
  meter?: string;
  /** Scopes that the call needs, joined by AND and OR, with parentheses: `maps:read AND (a:x OR b:x)`. */
  scopes?: string;
  /** What is called: a path, by which usage is broken down as its route. */
  resource?: string;
  /** The environment that the key must belong to; a key of the other one counts as unknown. */
  environment?: "live" | "test";
  /** IP address of the caller, without a port, for keys that are bound to networks. */
  address?: string;
  /**
   * Reserves the cost instead of taking it, for a call whose cost is known at its end: settle or release what `lock` of the
   * verdict names. After `ttlSeconds` (1 to 86,400, by default 600) the units go back by themselves.
   */
  lock?: { ttlSeconds?: number };
};

/** One limit after the verdict. */
export type LimitState = {
  name: string;
  kind: "rate_limit" | "quota";
  /** Whose limit: of all keys of the tenant together, or of this key. */
  scope: "tenant" | "key";
  /** Units, or calls for a rate limit. */
  limit: number;
  /** Units that may still be used. */
  remaining: number;
  /** Of a rate limit: the length of its window. Older servers do not say it. */
  windowSeconds?: number | undefined;
  /** RFC 3339, UTC: when the whole limit is back. */
  resetAt: string;
};

/** Owner and properties of a known key. */
type KnownKey = {
  keyId: string;
  keyName: string;
  tenantId: string;
  planId: string;
  planVersion: number;
  environment: "live" | "test";
  /** Scopes in effect, without those that the plan no longer allows. */
  scopes: string[];
  metadata: Record<string, unknown>;
  /** RFC 3339, UTC; null for a key that does not expire. */
  expiresAt: string | null;
};

/** Lets the compiler infer them all from one: where there is a `keyId`, there is the rest. */
type UnknownKey = { [Name in keyof KnownKey]?: undefined };

/** The call may pass. */
export type ValidReply = KnownKey & {
  valid: true;
  code: "VALID";
  requestId: string;
  /** Rate limits of tenant and key, and their hard quotas on the meter. None while Turnpike is away. */
  limits: LimitState[];
  /** When a lock was asked for: what to settle or release at its end. */
  lock?: { lockId: string; reserved: number; expiresAt: string } | undefined;
  detail?: undefined;
  missingScopes?: undefined;
  retryAfterSeconds?: undefined;
  offer?: undefined;
  paymentUrl?: undefined;
};

/** The call may not pass. Every refusal but `MISSING_KEY` and `INVALID_KEY` says whose key it is. */
export type RefusedReply = (KnownKey | UnknownKey) & {
  valid: false;
  /** `(string & {})` keeps the known codes in an editor's completion. */
  code: DenialCode | (string & {});
  requestId: string;
  /** One sentence on why the call is refused. */
  detail: string;
  /** Every limit of a known key whose state is known. */
  limits?: LimitState[] | undefined;
  /** With INSUFFICIENT_SCOPE: what the key lacks. */
  missingScopes?: string[] | undefined;
  /** When trying again can help: after so many seconds. */
  retryAfterSeconds?: number | undefined;
  /** The cheapest plan under which the call would have passed, or null when there is none. */
  offer: { planId: string; name: string; url: string } | null;
  /** With PAYMENT_REQUIRED: the page on which an invoice is paid or credit is bought. */
  paymentUrl?: string | undefined;
  lock?: undefined;
};

/** The answer of `POST /v1/keys/verify`: `valid` is the verdict, `code` the reason. */
export type VerifyReply = ValidReply | RefusedReply;

/** Units reserved for a call. */
export type Lock = {
  lockId: string;
  /** A newer server may have more. */
  state: "open" | "settled" | "released" | "lapsed" | (string & {});
  tenantId: string;
  keyId: string;
  environment: "live" | "test";
  meter: string;
  reserved: number;
  /** What was metered in the end; null unless it is settled. */
  cost: number | null;
  /** Instants are RFC 3339, UTC. */
  createdAt: string;
  expiresAt: string;
  /** Null while it is open. */
  endedAt: string | null;
};

/**
 * A verdict and where it comes from: `server` for one just given, `cache` for one that is at most as old as the cache allows,
 * `outage` for a call let through because Turnpike could not be asked, which is verified and metered afterwards.
 */
export type Verification = VerifyReply & { source: "server" | "cache" | "outage" };
