import { toRateLimitFields } from "@turnpike/domain/limits/rate-limit-fields";
import type { LimitView } from "./decide/limits/limit-view.ts";
import type { HeaderPair } from "./proxy/forward-headers.ts";

/** The fields identify limits by name, but a key's limit may share its name with the tenant's, and others with a rate limit. */
function toFieldName({ name, kind, scope, isNameTaken }: LimitView): string {
  const ofScope = isNameTaken === true ? `${kind}:${name}` : name;
  return scope === "key" ? `key:${ofScope}` : ofScope;
}

/**
 * Says what is left of each limit in the RateLimit fields; no header without a limit.
 *
 * @param nowMs - Epoch milliseconds: the fields count from the answer on.
 */
export function toLimitHeaders(limits: readonly LimitView[], nowMs: number): HeaderPair[] {
  const fields = toRateLimitFields(
    limits.map((limit) => ({
      name: toFieldName(limit),
      limit: limit.limit,
      remaining: limit.remaining,
      windowSeconds: limit.windowSeconds,
      moreAfterMs: limit.moreAtMs === undefined ? undefined : limit.moreAtMs - nowMs,
    })),
  );
  return fields === undefined
    ? []
    : [
        ["RateLimit-Policy", fields["ratelimit-policy"]],
        ["RateLimit", fields.ratelimit],
      ];
}
