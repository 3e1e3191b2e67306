import type { LeaseHold, LeaseHolder } from "#modules/metering/index.ts";
import type { ClusterRates } from "#platform/cluster-rates.ts";
import type { PermitCounts } from "#platform/permit-counts.ts";
import type { CallToDecide, Subject } from "../call-to-decide.ts";
import { type AskCluster, createAskCluster } from "./ask-cluster.ts";
import { type CallPermits, ProcessPermits } from "./call-permits.ts";
import { createDecideRates, findRefused, NO_RATES, type Rates } from "./decide-rates.ts";
import { createDescribeLimits } from "./describe-limits.ts";
import { keyLimitOf } from "./hard-limits.ts";
import type { LimitView } from "./limit-view.ts";
import type { LimitsOutcome } from "./limits-outcome.ts";
import type { RateLimiter, RateLimitVerdict } from "./rate-limiter.ts";
import { createRefuseLimits } from "./refuse-limits.ts";
import { createSubjectLimits, LIMIT_SCOPES } from "./subject-limits.ts";

export type LimitsDeps = {
  leases: LeaseHolder;
  /** Undefined where `clusterRates` decide. */
  rateLimiter: RateLimiter | undefined;
  /** Rate limits that all nodes share. Left out: those of this process. */
  clusterRates?: ClusterRates | undefined;
  /** Calls under way, of each owner of a concurrency limit. */
  callCounts: PermitCounts;
};

/**
 * Applies the limits of the tenant and of the key in one step that nothing can come between: either all of them let the
 * call pass and each is taken from, or none is.
 */
export function createLimits(deps: LimitsDeps) {
  const subjectLimits = createSubjectLimits();
  const { tenantOwner, tenantLimitOf, concurrencyOf } = subjectLimits;
  const decideRates = createDecideRates(deps.rateLimiter, subjectLimits);
  const { viewQuota, viewAll, viewWith, listUnknown } = createDescribeLimits(deps, subjectLimits);
  const { refuseRate, refuseConcurrency, refuseQuota, refuseUnits } = createRefuseLimits({
    leases: deps.leases,
    viewQuota,
    viewLimits,
  });
  const askCluster =
    deps.clusterRates === undefined
      ? undefined
      : createAskCluster(deps.clusterRates, subjectLimits);

  /** The state of every limit when nothing was taken; of those that all nodes share, {@link applyInCluster} adds it. */
  function viewLimits(subject: Subject, call: CallToDecide, nowMs: number): LimitView[] {
    return viewWith(subject, call, { rates: decideRates(subject, 0), nowMs });
  }

  /** The state of every limit, with those that all nodes share. */
  function describe(
    subject: Subject,
    call: CallToDecide,
    nowMs: number,
  ): LimitView[] | Promise<LimitView[]> {
    return askCluster === undefined
      ? viewLimits(subject, call, nowMs)
      : askCluster({ subject, call, cost: 0 }).then(({ rates, held }) =>
          viewWith(subject, call, { rates, nowMs, held }),
        );
  }

  function apply(
    subject: Subject,
    call: CallToDecide,
    nowMs: number,
  ): LimitsOutcome | Promise<LimitsOutcome> {
    const outcome = applyHere(subject, call, nowMs);
    return askCluster === undefined || call.isFurtherMeter === true || outcome.kind === "refill"
      ? outcome
      : applyInCluster(askCluster, outcome, { subject, call, nowMs });
  }

  /**
   * Goes on with what this process holds of all other limits. They come first, because they can be given back without anyone
   * having seen it; what the nodes share is taken last, or only looked at for a call that is refused or takes nothing.
   */
  async function applyInCluster(
    ask: AskCluster,
    outcome: Exclude<LimitsOutcome, { kind: "refill" }>,
    { subject, call, nowMs }: { subject: Subject; call: CallToDecide; nowMs: number },
  ): Promise<LimitsOutcome> {
    const cost = outcome.kind === "refused" || takesNothing(call) ? 0 : 1;
    let isKept = false;
    try {
      const asked = await ask({ subject, call, cost });
      const { rates, held, full, permits } = asked;
      const limits = viewWith(subject, call, { rates, nowMs, held });
      if (full !== undefined) {
        return { ...refuseConcurrency(subject, call, { ...full, nowMs }), limits };
      }
      const refused = findRefused(rates.tenant, rates.key, cost === 0);
      if (refused !== undefined) {
        return { ...refuseRate(subject, call, { refused, nowMs }), limits };
      }
      isKept = true;
      return outcome.kind === "taken"
        ? { ...outcome, permits: cost > 0 ? permits : undefined, limits }
        : { ...outcome, limits };
    } finally {
      if (!isKept && outcome.kind === "taken") {
        giveBack(outcome.hold);
        giveBack(outcome.keyHold);
      }
    }
  }

  function applyHere(subject: Subject, call: CallToDecide, nowMs: number): LimitsOutcome {
    const { concurrency } = subject.tenant.terms;
    const isLimited = (concurrency ?? subject.key.concurrency) !== undefined;
    const isHere = deps.clusterRates === undefined;
    return isHere && call.holdsPermits === true && isLimited
      ? applyWithPermits(subject, call, nowMs)
      : applyCounted(subject, call, { nowMs, permits: undefined });
  }

  /** Takes the permits first: what another thread takes meanwhile cannot be known before. */
  function applyWithPermits(subject: Subject, call: CallToDecide, nowMs: number): LimitsOutcome {
    const permits = new ProcessPermits(deps.callCounts);
    let outcome: LimitsOutcome | undefined;
    try {
      for (const scope of LIMIT_SCOPES) {
        const concurrency = concurrencyOf(subject, scope);
        if (concurrency !== undefined && !permits.tryTake(concurrency)) {
          const { limit } = concurrency;
          permits.release();
          outcome = refuseConcurrency(subject, call, { scope, limit, nowMs });
          return outcome;
        }
      }
      outcome = applyCounted(subject, call, { nowMs, permits });
      return outcome;
    } finally {
      if (outcome?.kind !== "taken") {
        permits.release();
      }
    }
  }

  function applyCounted(
    subject: Subject,
    call: CallToDecide,
    { nowMs, permits }: { nowMs: number; permits: CallPermits | undefined },
  ): LimitsOutcome {
    const isDryRun = takesNothing(call);
    const rates = call.isFurtherMeter === true ? NO_RATES : decideRates(subject, isDryRun ? 0 : 1);
    const refused = findRefused(rates.tenant, rates.key, isDryRun);
    if (refused !== undefined) {
      return refuseRate(subject, call, { refused, nowMs });
    }
    // A dry run takes its units, at least one, and gives them back, so that its answer is what a call would get.
    const units = Math.max(1, call.cost);
    const limit = tenantLimitOf(subject, call.meterId);
    const taken = limit === undefined ? undefined : deps.leases.spend(limit, units);
    if (limit !== undefined && taken?.status === "exhausted") {
      return refuseUnits(subject, call, { ...taken, refused: limit, nowMs });
    }
    const hold = taken?.status === "spent" ? taken.hold : undefined;
    const keyLimit = keyLimitOf(subject, call.meterId, nowMs);
    const keyTaken = keyLimit === undefined ? undefined : deps.leases.spend(keyLimit, units);
    // Before the tenant's units are requested: nothing is held that the key may not have.
    if (keyLimit !== undefined && keyTaken !== undefined && keyTaken.status !== "spent") {
      giveBack(hold);
      return keyTaken.status === "unknown"
        ? { kind: "refill", limit: keyLimit }
        : refuseQuota(subject, call, {
            refused: keyLimit,
            mayComeBack: keyTaken.mayComeBack,
            nowMs,
          });
    }
    const keyHold = keyTaken?.status === "spent" ? keyTaken.hold : undefined;
    if (limit !== undefined && taken?.status === "unknown") {
      giveBack(keyHold);
      return { kind: "refill", limit };
    }
    if (isDryRun) {
      giveBack(hold);
      giveBack(keyHold);
    } else {
      const late = takeRates(subject, rates, [hold, keyHold]);
      if (late !== undefined) {
        return refuseRate(subject, call, { refused: late, nowMs });
      }
    }
    return {
      kind: "taken",
      hold: isDryRun ? undefined : hold,
      keyHold: isDryRun ? undefined : keyHold,
      permits,
      limits: viewAll(subject, call, { rates, quotas: [limit, keyLimit], nowMs }),
    };
  }

  /** Takes everything, or takes nothing and returns the holds: another thread may have been faster. */
  function takeRates(
    subject: Subject,
    rates: Rates,
    holds: readonly (LeaseHold | undefined)[],
  ): RateLimitVerdict | undefined {
    let isTaken = false;
    try {
      const late = deps.rateLimiter?.take([
        { owner: tenantOwner(subject), verdicts: rates.tenant },
        { owner: subject.key.originKeyId, verdicts: rates.key },
      ]);
      isTaken = late === undefined;
      return late;
    } finally {
      if (!isTaken) {
        holds.forEach(giveBack);
      }
    }
  }

  function giveBack(hold: LeaseHold | undefined): void {
    if (hold !== undefined) {
      deps.leases.giveBack(hold);
    }
  }

  return { apply, describe, listUnknown };
}

function takesNothing({ cost, isDryRun }: CallToDecide): boolean {
  return cost === 0 || isDryRun === true;
}
