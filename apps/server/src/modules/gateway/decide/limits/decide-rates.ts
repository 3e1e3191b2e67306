import type { RateLimit } from "@turnpike/domain/limits/rate-limit";
import type { Subject } from "../call-to-decide.ts";
import type { RateLimiter, RateLimitVerdict } from "./rate-limiter.ts";
import type { SubjectLimits } from "./subject-limits.ts";

const NO_VERDICTS: readonly RateLimitVerdict[] = [];

/** Verdicts of all rate limits of a tenant and of a key. */
export type Rates = { tenant: readonly RateLimitVerdict[]; key: readonly RateLimitVerdict[] };

export const NO_RATES: Rates = { tenant: NO_VERDICTS, key: NO_VERDICTS };

/** @param rateLimiter - Undefined where the cluster decides. */
export function createDecideRates(
  rateLimiter: RateLimiter | undefined,
  { tenantOwner }: Pick<SubjectLimits, "tenantOwner">,
) {
  /** A rate limit counts calls, not their cost. */
  return function decideRates(subject: Subject, calls: number): Rates {
    const { tenant, key } = subject;
    if (rateLimiter === undefined) {
      return NO_RATES;
    }
    const decide = (owner: string, rateLimits: readonly RateLimit[], scope: "tenant" | "key") =>
      rateLimits.length === 0
        ? NO_VERDICTS
        : rateLimiter.decide({ owner, rateLimits, scope, cost: calls });
    return {
      tenant: decide(tenantOwner(subject), tenant.terms.rateLimits, "tenant"),
      key: decide(key.originKeyId, key.rateLimits, "key"),
    };
  };
}

/** The rate limit that refuses longest: a caller that waits for it has waited for all of them. */
export function findRefused(
  tenant: readonly RateLimitVerdict[],
  key: readonly RateLimitVerdict[],
  isDryRun: boolean,
): RateLimitVerdict | undefined {
  let longest: RateLimitVerdict | undefined;
  for (const verdicts of [tenant, key]) {
    for (const verdict of verdicts) {
      const { allowed, remaining, retryAfterMs } = verdict.decision;
      const isRefused = isDryRun ? remaining === 0 : !allowed;
      if (isRefused && (longest === undefined || retryAfterMs > longest.decision.retryAfterMs)) {
        longest = verdict;
      }
    }
  }
  return longest;
}
