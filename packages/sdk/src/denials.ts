/** What is answered for each code: the status and the title that the gateway gives it. */
export const DENIALS: Readonly<Record<string, { status: number; title: string }>> = {
  MISSING_KEY: { status: 401, title: "No API key was sent" },
  INVALID_KEY: { status: 401, title: "The API key is not valid" },
  REVOKED: { status: 401, title: "The API key was revoked" },
  EXPIRED: { status: 401, title: "The API key has expired" },
  DISABLED: { status: 401, title: "The API key is disabled" },
  FORBIDDEN_NETWORK: { status: 403, title: "The API key may not be used from this network" },
  INSUFFICIENT_SCOPE: { status: 403, title: "The credential lacks a scope" },
  TENANT_SUSPENDED: { status: 403, title: "The tenant is suspended" },
  PAYMENT_REQUIRED: { status: 402, title: "A payment is needed" },
  SPEND_CAP_REACHED: { status: 402, title: "The spend cap is reached" },
  RATE_LIMITED: { status: 429, title: "Too many requests" },
  QUOTA_EXCEEDED: { status: 429, title: "The quota of this period is used up" },
  TOO_MANY_LOCKS: { status: 429, title: "Too many locks are open" },
  LIMITS_UNAVAILABLE: { status: 503, title: "Limits cannot be decided right now" },
};

/** For a code of a newer server: a refusal without further claims. */
const UNKNOWN_DENIAL = { status: 403, title: "The call is refused" };

/** @returns The status and title of a code; 403 for one that this version does not know. */
export function denialOf(code: string): { status: number; title: string } {
  return Object.hasOwn(DENIALS, code) ? (DENIALS[code] ?? UNKNOWN_DENIAL) : UNKNOWN_DENIAL;
}
