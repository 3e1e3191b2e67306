import type { LimitState } from "./verification.ts";

/** Structured fields hold integers of at most 15 digits (RFC 9651, section 3.3.1). */
const INTEGER_MAX = 999_999_999_999_999;
/** What a name may hold without being escaped; any other limit is left out of the fields. */
const NAME = /^[\w.:-]{1,100}$/;

function toInteger(value: number): string {
  return String(Math.min(INTEGER_MAX, Math.max(0, Math.floor(value))));
}

/** The fields identify limits by name, but a key's limit may share its name with the tenant's, and a quota with a rate limit. */
function nameOf(limit: LimitState, limits: readonly LimitState[]): string {
  const isNameTaken = limits.some(
    ({ name, scope, kind }) =>
      name === limit.name && scope === limit.scope && kind !== "quota" && limit.kind === "quota",
  );
  const ofScope = isNameTaken ? `quota:${limit.name}` : limit.name;
  return limit.scope === "key" ? `key:${ofScope}` : ofScope;
}

/**
 * Says what is left of each limit in the two RateLimit fields (draft-ietf-httpapi-ratelimit-headers-11). Seconds are rounded
 * up, so that a client which waits that long never comes too early.
 *
 * @param epochMs - Now: the fields count from the answer on.
 * @param moreAfterSeconds - When there is more than now, where that is known; else the whole limit is awaited.
 * @returns Headers by lower-case name; none without limits.
 */
export function toLimitHeaders(
  limits: readonly LimitState[],
  epochMs: number,
  moreAfterSeconds?: number,
): Record<string, string> {
  const named = limits.filter((limit) => NAME.test(limit.name));
  if (named.length === 0) {
    return {};
  }
  const policy = named.map((limit) => {
    const window = limit.windowSeconds === undefined ? "" : `;w=${toInteger(limit.windowSeconds)}`;
    return `"${nameOf(limit, named)}";q=${toInteger(limit.limit)}${window}`;
  });
  const state = named.map((limit) => {
    const seconds = moreAfterSeconds ?? Math.ceil((Date.parse(limit.resetAt) - epochMs) / 1_000);
    return `"${nameOf(limit, named)}";r=${toInteger(limit.remaining)};t=${toInteger(Number.isNaN(seconds) ? 0 : seconds)}`;
  });
  return { "ratelimit-policy": policy.join(", "), ratelimit: state.join(", ") };
}
