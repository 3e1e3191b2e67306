import { toRateLimitFields } from "@turnpike/domain/limits/rate-limit-fields";
import type { HeaderPair } from "./forward-headers.ts";
import type { LimitView } from "./limit-view.ts";

/**
 * Says what is left of each limit in the RateLimit fields; no header without a limit.
 *
 * @param nowMs - Epoch milliseconds: the fields count from the answer on.
 */
export function toLimitHeaders(limits: readonly LimitView[], nowMs: number): HeaderPair[] {
  const fields = toRateLimitFields(
    limits.map((limit) => ({
      ...limit,
      // A key's limit may bear the name of one of its tenant's, and the fields tell limits apart by name.
      name: limit.scope === "key" ? `key:${limit.name}` : limit.name,
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
