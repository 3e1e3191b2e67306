import type { RateLimit } from "@turnpike/domain/limits/rate-limit";
import type { HardLimit, LeaseHold, LeaseHolder } from "#modules/metering/index.ts";
import type { CallToDecide, Subject } from "./call-to-decide.ts";
import { type LimitView, toQuotaView, toRateLimitView } from "./limit-view.ts";
import type { RateLimiter, RateLimitVerdict } from "./rate-limiter.ts";

/** What a call took of the limits: nothing, or all that it needs. */
export type LimitsOutcome =
  | {
      kind: "taken";
      /** Units of the tenant's hard limit and of the key's own; settle each or give it back. */
      hold: LeaseHold | undefined;
      keyHold: LeaseHold | undefined;
      limits: LimitView[];
    }
  | {
      kind: "refused";
      code: "RATE_LIMITED" | "QUOTA_EXCEEDED";
      detail: string;
      /** The limit that refused, and all of them as they stand. */
      limit: LimitView;
      limits: LimitView[];
      retryAfterMs: number;
    }
  /** The lease of this limit must be refilled first. */
  | { kind: "refill"; limit: HardLimit };

export type LimitsDeps = { leases: LeaseHolder; rateLimiter: RateLimiter };

/** How long after a change of a key its calls from before may be uncommitted, with a wide margin for two wall clocks. */
const RECENT_MS = 60_000;
const NO_VERDICTS: readonly RateLimitVerdict[] = [];

function tenantLimitOf(subject: Subject, meterId: string): HardLimit | undefined {
  const quota = subject.tenant.terms.quotas.find(
    (candidate) => candidate.meter === meterId && candidate.kind === "hard",
  );
  return quota === undefined
    ? undefined
    : {
        tenantId: subject.tenant.tenantId,
        meterId,
        environment: subject.key.environment,
        periodStartMs: subject.periodStartMs,
        periodEndMs: subject.periodEndMs,
        limit: quota.limit,
      };
}

function keyLimitOf(subject: Subject, meterId: string, nowMs: number): HardLimit | undefined {
  const quota = subject.key.quotas.find((candidate) => candidate.meter === meterId);
  return quota === undefined
    ? undefined
    : {
        tenantId: subject.tenant.tenantId,
        keyId: subject.key.originKeyId,
        meterId,
        environment: subject.key.environment,
        periodStartMs: subject.periodStartMs,
        periodEndMs: subject.periodEndMs,
        limit: quota.limit,
        isRecent: nowMs - subject.key.updatedAtMs < RECENT_MS,
      };
}

/**
 * Applies the limits of the tenant and of the key in one step that nothing can come between: either all of them let the
 * call pass and each is taken from, or none is.
 */
export function createLimits(deps: LimitsDeps) {
  function tenantSlot({ tenant, key }: Subject): string {
    return `${tenant.tenantId}|${key.environment}`;
  }

  /** A rate limit counts calls, whatever their cost. */
  function decideRates(subject: Subject, calls: number) {
    const { tenant, key } = subject;
    const decide = (slot: string, rateLimits: readonly RateLimit[], scope: "tenant" | "key") =>
      rateLimits.length === 0
        ? NO_VERDICTS
        : deps.rateLimiter.decide({ slot, rateLimits, scope, cost: calls });
    return {
      tenant: decide(tenantSlot(subject), tenant.terms.rateLimits, "tenant"),
      key: decide(key.originKeyId, key.rateLimits, "key"),
    };
  }

  function viewAll(
    rates: ReturnType<typeof decideRates>,
    quotas: readonly (HardLimit | undefined)[],
    nowMs: number,
  ): LimitView[] {
    const limits: LimitView[] = [];
    for (const verdicts of [rates.tenant, rates.key]) {
      for (const verdict of verdicts) {
        limits.push(toRateLimitView(verdict, nowMs));
      }
    }
    for (const limit of quotas) {
      const remaining = limit === undefined ? undefined : deps.leases.remaining(limit);
      // What this process has not asked for yet is not known, and no call has to wait for it only to be told.
      if (limit !== undefined && remaining !== undefined) {
        limits.push(toQuotaView(limit, remaining));
      }
    }
    return limits;
  }

  /** Every limit as it stands, when nothing was taken. */
  function viewLimits(subject: Subject, meterId: string, nowMs: number): LimitView[] {
    const quotas = [tenantLimitOf(subject, meterId), keyLimitOf(subject, meterId, nowMs)];
    return viewAll(decideRates(subject, 0), quotas, nowMs);
  }

  function refuseRate(
    subject: Subject,
    call: CallToDecide,
    input: { refused: RateLimitVerdict; nowMs: number },
  ): LimitsOutcome {
    const { rateLimit, scope, decision } = input.refused;
    const whose = scope === "key" ? " of this API key" : "";
    return {
      kind: "refused",
      code: "RATE_LIMITED",
      detail: `The rate limit${whose} of ${String(rateLimit.limit)} requests in ${String(rateLimit.windowSeconds)} s is reached.`,
      limit: toRateLimitView(input.refused, input.nowMs),
      limits: viewLimits(subject, call.meterId, input.nowMs),
      retryAfterMs: decision.retryAfterMs,
    };
  }

  function refuseQuota(
    subject: Subject,
    call: CallToDecide,
    input: { refused: HardLimit; nowMs: number },
  ): LimitsOutcome {
    const { refused, nowMs } = input;
    const whose = refused.keyId === undefined ? "" : " of this API key";
    return {
      kind: "refused",
      code: "QUOTA_EXCEEDED",
      detail: `The quota${whose} of ${String(refused.limit)} ${refused.meterId} in this period is used up.`,
      limit: toQuotaView(refused, deps.leases.remaining(refused) ?? 0),
      limits: viewLimits(subject, call.meterId, nowMs),
      retryAfterMs: refused.periodEndMs - nowMs,
    };
  }

  function apply(subject: Subject, call: CallToDecide, nowMs: number): LimitsOutcome {
    const isDryRun = call.cost === 0;
    const rates = decideRates(subject, isDryRun ? 0 : 1);
    const refused = findRefused(rates.tenant, rates.key, isDryRun);
    if (refused !== undefined) {
      return refuseRate(subject, call, { refused, nowMs });
    }
    // A dry run takes one unit and gives it back, so that it says what a call would be told.
    const units = Math.max(1, call.cost);
    const limit = tenantLimitOf(subject, call.meterId);
    const taken = limit === undefined ? undefined : deps.leases.spend(limit, units);
    if (limit !== undefined && taken !== undefined && taken.status !== "spent") {
      return taken.status === "unknown"
        ? { kind: "refill", limit }
        : refuseQuota(subject, call, { refused: limit, nowMs });
    }
    const hold = taken?.status === "spent" ? taken.hold : undefined;
    const keyLimit = keyLimitOf(subject, call.meterId, nowMs);
    const keyTaken = keyLimit === undefined ? undefined : deps.leases.spend(keyLimit, units);
    if (keyLimit !== undefined && keyTaken !== undefined && keyTaken.status !== "spent") {
      giveBack(hold);
      return keyTaken.status === "unknown"
        ? { kind: "refill", limit: keyLimit }
        : refuseQuota(subject, call, { refused: keyLimit, nowMs });
    }
    const keyHold = keyTaken?.status === "spent" ? keyTaken.hold : undefined;
    if (isDryRun) {
      giveBack(hold);
      giveBack(keyHold);
    } else {
      deps.rateLimiter.take(tenantSlot(subject), rates.tenant);
      deps.rateLimiter.take(subject.key.originKeyId, rates.key);
    }
    return {
      kind: "taken",
      hold: isDryRun ? undefined : hold,
      keyHold: isDryRun ? undefined : keyHold,
      limits: viewAll(rates, [limit, keyLimit], nowMs),
    };
  }

  function giveBack(hold: LeaseHold | undefined): void {
    if (hold !== undefined) {
      deps.leases.giveBack(hold);
    }
  }

  return { apply, viewLimits };
}

/** The rate limit that refuses for the longest time: whoever waits for it has waited for all. */
function findRefused(
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
