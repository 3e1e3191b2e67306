import { toRateLimitFields } from "@turnpike/domain/limits/rate-limit-fields";
import type { LimitView } from "./decide-call.ts";
import type { HeaderPair } from "./forward-headers.ts";

/**
 * Says what is left of each limit in the RateLimit fields; no header without a limit.
 *
 * @param nowMs - Epoch milliseconds: the fields count from the answer on.
 */
export function toLimitHeaders(limits: readonly LimitView[], nowMs: number): HeaderPair[] {
  const fields = toRateLimitFields(
    limits.map((limit) => ({ ...limit, moreAfterMs: limit.moreAtMs - nowMs })),
  );
  return fields === undefined
    ? []
    : [
        ["RateLimit-Policy", fields["ratelimit-policy"]],
        ["RateLimit", fields.ratelimit],
      ];
}
