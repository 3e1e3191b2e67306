/**
 * Every way Turnpike says no or fails, with its HTTP status and its title. Closed: a new code does not compile until it
 * has a status here, and `docs/errors/<code>.md` must exist (checked by `tools/check-docs.ts`).
 *
 * `title` is the same for every occurrence of a code (RFC 9457, section 3.1.3).
 */
export const ERROR_CODES = {
  // Verdicts on a key or its limits (docs/architecture.md, "the life of a call").
  MISSING_KEY: { status: 401, title: "No API key was sent" },
  INVALID_KEY: { status: 401, title: "The API key is not valid" },
  REVOKED: { status: 401, title: "The API key was revoked" },
  EXPIRED: { status: 401, title: "The API key has expired" },
  DISABLED: { status: 401, title: "The API key is disabled" },
  FORBIDDEN_NETWORK: {
    status: 403,
    title: "The API key may not be used from this network",
  },
  INSUFFICIENT_SCOPE: { status: 403, title: "The credential lacks a scope" },
  NO_TEST_UPSTREAM: { status: 403, title: "This API takes no test keys" },
  TENANT_SUSPENDED: { status: 403, title: "The tenant is suspended" },
  PAYMENT_REQUIRED: { status: 402, title: "A payment is needed" },
  SPEND_CAP_REACHED: { status: 402, title: "The spend cap is reached" },
  RATE_LIMITED: { status: 429, title: "Too many requests" },
  CONCURRENCY_LIMITED: { status: 429, title: "Too many calls are under way" },
  QUOTA_EXCEEDED: { status: 429, title: "The quota of this period is used up" },
  TOO_MANY_LOCKS: { status: 429, title: "Too many locks are open" },
  UPSTREAM_UNREACHABLE: {
    status: 502,
    title: "The upstream could not be reached",
  },
  UPSTREAM_TIMEOUT: {
    status: 504,
    title: "The upstream did not answer in time",
  },
  // The request itself.
  MALFORMED_REQUEST: { status: 400, title: "The request is malformed" },
  AMBIGUOUS_PATH: {
    status: 400,
    title: "The path can be read in more than one way",
  },
  INVALID_REQUEST: { status: 400, title: "The request has invalid values" },
  UNAUTHENTICATED: {
    status: 401,
    title: "Credentials are missing or not valid",
  },
  SIGNED_OUT: { status: 401, title: "Signed out" },
  SSO_REQUIRED: { status: 403, title: "Single sign-on is required" },
  SSO_UNAVAILABLE: { status: 409, title: "Single sign-on is not available" },
  CONFIRM_IN_BROWSER: { status: 401, title: "The sign-in must be confirmed in a browser" },
  RESOURCE_NOT_FOUND: { status: 404, title: "The resource does not exist" },
  NO_UPSTREAM: { status: 404, title: "No upstream serves this address" },
  METHOD_NOT_ALLOWED: { status: 405, title: "The method is not allowed here" },
  REQUEST_TIMEOUT: { status: 408, title: "The request came too slowly" },
  QUOTE_CHANGED: { status: 409, title: "The change would cost another sum by now" },
  CONFLICT: {
    status: 409,
    title: "The change conflicts with the present state",
  },
  ALREADY_EXISTS: { status: 409, title: "The resource exists already" },
  LAST_OWNER: { status: 409, title: "A tenant keeps at least one owner" },
  TENANT_LIMIT_REACHED: {
    status: 409,
    title: "No more tenants can be owned",
  },
  INVITATION_INVALID: { status: 410, title: "The invitation is not valid" },
  INVITATION_EMAIL_MISMATCH: {
    status: 403,
    title: "The invitation is for another e-mail address",
  },
  TOO_MANY_INVITATIONS: { status: 429, title: "Too many invitations" },
  SETUP_CODE_INVALID: { status: 403, title: "The setup code is not valid" },
  // Sign-in at the built-in provider (docs/sign-in.md).
  INVALID_CREDENTIALS: { status: 403, title: "E-mail address or password is wrong" },
  ACCOUNT_ELSEWHERE: { status: 409, title: "The account is kept by another provider" },
  FACTOR_REFUSED: { status: 403, title: "The second factor or the password is not right" },
  SECOND_FACTOR_REQUIRED: { status: 403, title: "A second factor is required" },
  CROSS_ORIGIN: { status: 403, title: "The request comes from another site" },
  SIGN_IN_EXPIRED: { status: 410, title: "The sign-in has expired" },
  LINK_INVALID: { status: 410, title: "The link does not work any more" },
  TOO_MANY_ATTEMPTS: { status: 429, title: "Too many attempts" },
  // Reports of keys found in public (docs/leaks.md).
  LEAK_REPORT_UNVERIFIED: {
    status: 401,
    title: "The report is not signed by whom it should be from",
  },
  LEAK_KEYS_UNAVAILABLE: {
    status: 503,
    title: "The keys that verify reports cannot be fetched",
  },
  // Notices of providers of payments (docs/billing.md).
  PAYMENT_EVENT_UNVERIFIED: {
    status: 400,
    title: "The event is not signed by whom it should be from",
  },
  PAYLOAD_TOO_LARGE: { status: 413, title: "The body is too large" },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: "The media type is not supported",
  },
  // Usage events (docs/events.md).
  TOO_MANY_EVENTS: { status: 429, title: "Too many events of one sender wait" },
  EVENTS_REJECTED: { status: 422, title: "None of the events could be taken" },
  QUERY_TOO_COSTLY: {
    status: 422,
    title: "The query reads too much",
  },
  IDEMPOTENCY_KEY_IN_USE: {
    status: 409,
    title: "The first request with this key is under way",
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    title: "The idempotency key belongs to another request",
  },
  // Locks on units (docs/api.md, "A cost that is known at the end").
  LOCK_ENDED: { status: 409, title: "The lock has ended in another way" },
  LOCK_EXCEEDED: { status: 409, title: "The limits have no room for more than was reserved" },
  LOCK_LAPSED: { status: 410, title: "The lock has lapsed" },
  EXPECTATION_FAILED: { status: 417, title: "The expectation cannot be met" },
  TOO_MANY_WRITES: { status: 429, title: "Too many changes of one sender" },
  TOO_MANY_STREAMS: { status: 429, title: "Too many streams are open" },
  HEADERS_TOO_LARGE: { status: 431, title: "The headers are too large" },
  // Turnpike itself.
  INTERNAL_ERROR: { status: 500, title: "Something went wrong" },
  DATABASE_UNAVAILABLE: {
    status: 503,
    title: "The database cannot be reached",
  },
  // Several cells (docs/scale.md, "Cells").
  FORWARDED_CALL_REFUSED: { status: 403, title: "The forwarded call is not accepted" },
  TENANT_ELSEWHERE: { status: 409, title: "The tenant lives in another cell" },
  CALL_MISDIRECTED: { status: 421, title: "The API key is of another cell" },
  TENANT_MOVING: { status: 503, title: "The tenant is being moved" },
  DIRECTORY_UNAVAILABLE: {
    status: 503,
    title: "The directory of cells cannot be reached",
  },
  CLICKHOUSE_UNAVAILABLE: {
    status: 503,
    title: "ClickHouse does not answer",
  },
  CALL_LOG_OFF: { status: 409, title: "Calls are not logged" },
  FILE_STORE_UNAVAILABLE: {
    status: 503,
    title: "The file store does not answer",
  },
  IDENTITY_PROVIDER_UNAVAILABLE: {
    status: 503,
    title: "The identity provider cannot be reached",
  },
  PAYMENT_PROVIDER_UNAVAILABLE: {
    status: 503,
    title: "The provider of payments does not answer",
  },
  LIMITS_UNAVAILABLE: {
    status: 503,
    title: "Limits cannot be decided right now",
  },
  OVERLOADED: { status: 503, title: "Too much is under way" },
  STORAGE_QUOTA_REACHED: { status: 409, title: "The quota of storage is used up" },
  STORAGE_FULL: { status: 507, title: "There is no room to store this" },
  LOOP_DETECTED: { status: 508, title: "The request came back to the gateway" },
} as const satisfies Record<string, { status: number; title: string }>;

/** A code of {@link ERROR_CODES}. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** True when `value` is one of the closed set of codes. */
export function isErrorCode(value: string): value is ErrorCode {
  return Object.hasOwn(ERROR_CODES, value);
}

/** The last segment of a code's documentation address: `RATE_LIMITED` gives `rate-limited`. */
export function errorPageSlug(code: ErrorCode): string {
  return code.toLowerCase().replaceAll("_", "-");
}
