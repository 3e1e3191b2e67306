import type { HardLimit } from "#modules/metering/index.ts";
import type { LimitScope } from "../call-to-decide.ts";
import type { RateLimitVerdict } from "./rate-limiter.ts";

type CommonView = {
  name: string;
  /** True when another limit of the same scope has its name. */
  isNameTaken?: boolean;
  scope: LimitScope;
  limit: number;
  remaining: number;
};

/** One limit after the decision. */
export type LimitView = CommonView &
  (
    | {
        kind: "rate_limit" | "quota";
        /** Seconds for which the limit holds: a window, or a billing period. */
        windowSeconds: number;
        /** Epoch milliseconds at which the whole limit is there again. */
        resetAtMs: number;
        /** Epoch milliseconds at which there is more than now; not later than the reset. */
        moreAtMs: number;
      }
    /** Calls at once: no clock says when one of them is over. */
    | { kind: "concurrency"; windowSeconds?: never; resetAtMs?: never; moreAtMs?: never }
  );

const CONCURRENCY = "concurrency";

/**
 * A limit on calls at once, with what is left of it.
 *
 * @param input.others - The other limits of the same scope.
 */
export function toConcurrencyView(input: {
  scope: LimitScope;
  limit: number;
  held: number;
  others: { rateLimits: readonly { name: string }[]; quotas: readonly { meter: string }[] };
}): LimitView {
  const { scope, limit, held, others } = input;
  return {
    name: CONCURRENCY,
    isNameTaken:
      others.rateLimits.some(({ name }) => name === CONCURRENCY) ||
      others.quotas.some(({ meter }) => meter === CONCURRENCY),
    kind: CONCURRENCY,
    scope,
    limit,
    remaining: Math.max(0, limit - held),
  };
}

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
    // While some is left no one waits for more: then the field says when the whole limit is back.
    moreAtMs: wallMs + (decision.remaining > 0 ? decision.resetAfterMs : decision.retryAfterMs),
  };
}

/** Decimal places of the remainder, unless the limit is so large that they are noise. */
const TOLD_DIGITS_MAX = 9;
/** Significant digits that survive summing. */
const KEPT_DIGITS = 14;

/**
 * The remainder of a limit as callers see it. Events may report fractions, and the last digits of their sums are noise.
 * Rounded down, so that no caller sees more than there is.
 */
function toTold(remaining: number, limit: number): number {
  if (Number.isInteger(remaining)) {
    return remaining;
  }
  const digits = Math.min(TOLD_DIGITS_MAX, Math.max(0, KEPT_DIGITS - String(limit).length));
  const scale = 10 ** digits;
  // What a sum up to the limit may have lost: 0.2999999999999998 of 10 is 0.3.
  const noise = limit * 2 ** -51;
  return Math.floor((remaining + noise) * scale) / scale;
}

/**
 * A hard limit with what is left of it.
 *
 * @param isNameTaken - Whether a rate limit of the same scope bears the name of its meter.
 */
export function toQuotaView(limit: HardLimit, remaining: number, isNameTaken: boolean): LimitView {
  return {
    name: limit.meterId,
    isNameTaken,
    kind: "quota",
    scope: limit.keyId === undefined ? "tenant" : "key",
    limit: limit.limit,
    remaining: toTold(remaining, limit.limit),
    windowSeconds: (limit.periodEndMs - limit.periodStartMs) / 1000,
    resetAtMs: limit.periodEndMs,
    moreAtMs: limit.periodEndMs,
  };
}
