import type { HardLimit } from "#modules/metering/index.ts";
import type { LimitScope } from "./call-to-decide.ts";
import type { RateLimitVerdict } from "./rate-limiter.ts";

/** One limit as it stands after the decision. */
export type LimitView = {
  name: string;
  kind: "rate_limit" | "quota";
  scope: LimitScope;
  limit: number;
  remaining: number;
  /** Seconds for which the limit holds: a window, or a billing period. */
  windowSeconds: number;
  /** Epoch milliseconds at which the whole limit is there again. */
  resetAtMs: number;
  /** Epoch milliseconds at which there is more than now; not later than the reset. */
  moreAtMs: number;
};

/** A rate limit as a decision left it. */
export function toRateLimitView(
  { rateLimit, scope, decision }: RateLimitVerdict,
  wallMs: number,
): LimitView {
  return {
    name: rateLimit.name,
    kind: "rate_limit",
    scope,
    limit: rateLimit.limit,
    remaining: decision.remaining,
    windowSeconds: rateLimit.windowSeconds,
    resetAtMs: wallMs + decision.resetAfterMs,
    // While some is left nobody waits for more: then the field says when all of it is there.
    moreAtMs: wallMs + (decision.remaining > 0 ? decision.resetAfterMs : decision.retryAfterMs),
  };
}

/** A hard limit with what is left of it. */
export function toQuotaView(limit: HardLimit, remaining: number): LimitView {
  return {
    name: limit.meterId,
    kind: "quota",
    scope: limit.keyId === undefined ? "tenant" : "key",
    limit: limit.limit,
    remaining,
    windowSeconds: (limit.periodEndMs - limit.periodStartMs) / 1000,
    resetAtMs: limit.periodEndMs,
    moreAtMs: limit.periodEndMs,
  };
}
