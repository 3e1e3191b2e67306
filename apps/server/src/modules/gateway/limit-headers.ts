import { toRateLimitFields } from "@turnpike/domain/limits/rate-limit-fields";
import type { LimitView } from "./decide/limit-view.ts";
import type { HeaderPair } from "./proxy/forward-headers.ts";

/** The fields tell limits apart by name, and a key's limit may bear that of one of its tenant's, a quota that of a rate limit. */
function toFieldName({ name, scope, isNameTaken }: LimitView): string {
  const ofScope = isNameTaken === true ? `quota:${name}` : name;
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
      ...limit,
      name: toFieldName(limit),
      moreAfterMs: limit.moreAtMs - nowMs,
    })),
  );
  return fields === undefined
    ? []
    : [
        ["RateLimit-Policy", fields["ratelimit-policy"]],
        ["RateLimit", fields.ratelimit],
      ];
}
