import type { Entitlement } from "@turnpike/domain/entitlements/entitlement";
import type { SpendNotice } from "@turnpike/domain/limits/lease-state";
import type { RateLimit } from "@turnpike/domain/limits/rate-limit";
import type { HardLimit, LeaseHold, LeaseHolder } from "#modules/metering/index.ts";
import type { ClusterRates } from "#platform/cluster-rates.ts";
import type { PermitCounts } from "#platform/permit-counts.ts";
import type { RateBucket } from "#platform/rate-store.ts";
import {
  type CallPermits,
  ClusterPermits,
  type ConcurrencyLimit,
  ProcessPermits,
} from "./call-permits.ts";
import type { CallToDecide, LimitScope, Subject } from "./call-to-decide.ts";
import {
  type CallerPlaces,
  listCallerPlaces,
  listUpstreamPlaces,
  toVerdict,
} from "./cluster-places.ts";
import { isCapOnly, keyLimitOf, TenantLimits } from "./hard-limits.ts";
import { type LimitView, toConcurrencyView, toQuotaView, toRateLimitView } from "./limit-view.ts";
import { nameBucket, type RateLimiter, type RateLimitVerdict } from "./rate-limiter.ts";

/** What a call took of the limits: nothing, or all that it needs. */
export type LimitsOutcome =
  | {
      kind: "taken";
      /** Units of the tenant's hard limit and of the key's own; settle each or give it back. */
      hold: LeaseHold | undefined;
      keyHold: LeaseHold | undefined;
      /** To release when the call is over. */
      permits: CallPermits | undefined;
      limits: LimitView[];
    }
  | {
      kind: "refused";
      code:
        | "RATE_LIMITED"
        | "QUOTA_EXCEEDED"
        | "SPEND_CAP_REACHED"
        | "PAYMENT_REQUIRED"
        | "CONCURRENCY_LIMITED";
      detail: string;
      /** The limit that refused, and the state of all of them. A limit in money has no such state. */
      limit: LimitView | undefined;
      limits: LimitView[];
      retryAfterMs: number | undefined;
    }
  /** The lease of this limit must be refilled first. */
  | { kind: "refill"; limit: HardLimit };

export type LimitsDeps = {
  leases: LeaseHolder;
  /** Undefined where `clusterRates` decide. */
  rateLimiter: RateLimiter | undefined;
  /** Rate limits that all nodes share. Left out: those of this process. */
  clusterRates?: ClusterRates | undefined;
  /** Calls under way, of each owner of a concurrency limit. */
  callCounts: PermitCounts;
};

const NO_VERDICTS: readonly RateLimitVerdict[] = [];
/** Calls under way on all nodes, this one included, where there is a limit on them. */
type HeldInCluster = Readonly<Record<LimitScope, number | undefined>>;
type ClusterVerdict = {
  rates: Rates;
  /** The limit on calls at once that refused. */
  full: CallerPlaces | undefined;
  held: HeldInCluster | undefined;
  permits: CallPermits | undefined;
};
type Rates = { tenant: readonly RateLimitVerdict[]; key: readonly RateLimitVerdict[] };
const NO_RATES: Rates = { tenant: NO_VERDICTS, key: NO_VERDICTS };
const NO_VERDICT: ClusterVerdict = {
  rates: NO_RATES,
  full: undefined,
  held: undefined,
  permits: undefined,
};

const LIMIT_SCOPES: readonly LimitScope[] = ["tenant", "key"];

/** When units that other processes hold may be free, or a call that is under way may be over. */
const COME_BACK_MS = 1_000;

/**
 * Applies the limits of the tenant and of the key in one step that nothing can come between: either all of them let the
 * call pass and each is taken from, or none is.
 */
export function createLimits(deps: LimitsDeps) {
  const tenants = new WeakMap<Entitlement, TenantLimits>();

  function limitsOf(subject: Subject): TenantLimits {
    const known = tenants.get(subject.tenant);
    if (known !== undefined && known.periodStartMs === subject.periodStartMs) {
      return known;
    }
    const fresh = new TenantLimits(subject);
    tenants.set(subject.tenant, fresh);
    return fresh;
  }

  function tenantOwner(subject: Subject): string {
    return limitsOf(subject).ownerOf(subject.key.environment);
  }

  function tenantLimitOf(subject: Subject, meterId: string): HardLimit | undefined {
    return limitsOf(subject).hardLimitOf(subject.key.environment, meterId);
  }

  /** A rate limit counts calls, not their cost. */
  function decideRates(subject: Subject, calls: number): Rates {
    const { tenant, key } = subject;
    const { rateLimiter } = deps;
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
  }

  function viewQuota({ tenant, key }: Subject, limit: HardLimit, remaining: number): LimitView {
    const { rateLimits } = limit.keyId === undefined ? tenant.terms : key;
    const isNameTaken = rateLimits.some(({ name }) => name === limit.meterId);
    return toQuotaView(limit, remaining, isNameTaken);
  }

  function concurrencyOf(subject: Subject, scope: LimitScope): ConcurrencyLimit | undefined {
    const { tenant, key } = subject;
    const limit = (scope === "tenant" ? tenant.terms : key).concurrency ?? undefined;
    return limit === undefined
      ? undefined
      : { owner: scope === "tenant" ? tenantOwner(subject) : key.originKeyId, limit };
  }

  function viewConcurrency(
    subject: Subject,
    scope: LimitScope,
    heldInCluster: HeldInCluster | undefined,
  ): LimitView | undefined {
    const concurrency = concurrencyOf(subject, scope);
    return (
      concurrency &&
      toConcurrencyView({
        scope,
        limit: concurrency.limit,
        held: heldInCluster?.[scope] ?? deps.callCounts.held(concurrency.owner),
        others: scope === "tenant" ? subject.tenant.terms : subject.key,
      })
    );
  }

  function viewAll(
    subject: Subject,
    call: CallToDecide,
    input: {
      rates: Rates;
      quotas: readonly (HardLimit | undefined)[];
      nowMs: number;
      held?: HeldInCluster | undefined;
    },
  ): LimitView[] {
    const { rates, quotas, nowMs, held } = input;
    const limits: LimitView[] = [];
    for (const verdicts of [rates.tenant, rates.key]) {
      for (const verdict of verdicts) {
        limits.push(toRateLimitView(verdict, nowMs));
      }
    }
    for (const limit of quotas) {
      const remaining = limit === undefined ? undefined : deps.leases.remaining(limit);
      // A quota that this process has not asked about is unknown, and no call waits just to report it.
      if (limit !== undefined && remaining !== undefined && !isCapOnly(limit)) {
        limits.push(viewQuota(subject, limit, remaining));
      }
    }
    if (call.holdsPermits === true) {
      for (const scope of LIMIT_SCOPES) {
        const view = viewConcurrency(subject, scope, held);
        if (view !== undefined) {
          limits.push(view);
        }
      }
    }
    return limits;
  }

  function quotasOf(subject: Subject, meterId: string, nowMs: number) {
    return [tenantLimitOf(subject, meterId), keyLimitOf(subject, meterId, nowMs)];
  }

  function viewWith(
    subject: Subject,
    call: CallToDecide,
    known: { rates: Rates; nowMs: number; held?: HeldInCluster | undefined },
  ): LimitView[] {
    const quotas = quotasOf(subject, call.meterId, known.nowMs);
    return viewAll(subject, call, { ...known, quotas });
  }

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
    const { clusterRates } = deps;
    return clusterRates === undefined
      ? viewLimits(subject, call, nowMs)
      : askCluster(clusterRates, { subject, call, cost: 0 }).then(({ rates, held }) =>
          viewWith(subject, call, { rates, nowMs, held }),
        );
  }

  /** Quotas whose remainder this process does not know yet. */
  function listUnknown(subject: Subject, meterId: string, nowMs: number): HardLimit[] {
    return quotasOf(subject, meterId, nowMs).filter(
      (limit): limit is HardLimit =>
        limit !== undefined && !isCapOnly(limit) && deps.leases.remaining(limit) === undefined,
    );
  }

  function refuseRate(
    subject: Subject,
    call: CallToDecide,
    input: { refused: RateLimitVerdict; nowMs: number },
  ): Extract<LimitsOutcome, { kind: "refused" }> {
    const { rateLimit, scope, decision } = input.refused;
    const whose = scope === "key" ? " of this API key" : "";
    return {
      kind: "refused",
      code: "RATE_LIMITED",
      detail: `The rate limit${whose} of ${String(rateLimit.limit)} requests in ${String(rateLimit.windowSeconds)} s is reached.`,
      limit: toRateLimitView(input.refused, input.nowMs),
      limits: viewLimits(subject, call, input.nowMs),
      retryAfterMs: decision.retryAfterMs,
    };
  }

  function refuseConcurrency(
    subject: Subject,
    call: CallToDecide,
    input: { scope: LimitScope; limit: number; nowMs: number },
  ): Extract<LimitsOutcome, { kind: "refused" }> {
    const { scope, limit, nowMs } = input;
    const others = scope === "tenant" ? subject.tenant.terms : subject.key;
    const whose = scope === "key" ? "this API key" : "the account of this API key";
    return {
      kind: "refused",
      code: "CONCURRENCY_LIMITED",
      detail: `${String(limit)} calls of ${whose} may be under way at once, and so many are.`,
      limit: toConcurrencyView({ scope, limit, held: limit, others }),
      limits: viewLimits(subject, call, nowMs),
      retryAfterMs: COME_BACK_MS,
    };
  }

  function refuseQuota(
    subject: Subject,
    call: CallToDecide,
    input: { refused: HardLimit; mayComeBack: boolean; nowMs: number },
  ): LimitsOutcome {
    const { refused, nowMs } = input;
    const limit = viewQuota(subject, refused, deps.leases.remaining(refused) ?? 0);
    const whose = refused.keyId === undefined ? "" : " of this API key";
    const quota = `quota${whose} of ${String(refused.limit)} ${refused.meterId} in this period`;
    return {
      kind: "refused",
      code: "QUOTA_EXCEEDED",
      detail: toQuotaDetail(quota, call.cost, limit.remaining),
      limit,
      limits: viewLimits(subject, call, nowMs),
      retryAfterMs: retryAfterQuotaMs(input, call.cost),
    };
  }

  function refuseSpend(
    subject: Subject,
    call: CallToDecide,
    input: { spend: SpendNotice; mayComeBack: boolean; nowMs: number },
  ): LimitsOutcome {
    const { spend, mayComeBack, nowMs } = input;
    return {
      kind: "refused",
      ...toSpendRefusal(spend),
      limit: undefined,
      limits: viewLimits(subject, call, nowMs),
      retryAfterMs: mayComeBack ? COME_BACK_MS : undefined,
    };
  }

  function refuseUnits(
    subject: Subject,
    call: CallToDecide,
    input: {
      refused: HardLimit;
      mayComeBack: boolean;
      spend: SpendNotice | undefined;
      nowMs: number;
    },
  ): LimitsOutcome {
    const { spend } = input;
    return spend === undefined
      ? refuseQuota(subject, call, input)
      : refuseSpend(subject, call, { ...input, spend });
  }

  function apply(
    subject: Subject,
    call: CallToDecide,
    nowMs: number,
  ): LimitsOutcome | Promise<LimitsOutcome> {
    const { clusterRates } = deps;
    const outcome = applyHere(subject, call, nowMs);
    return clusterRates === undefined || call.isFurtherMeter === true || outcome.kind === "refill"
      ? outcome
      : applyInCluster(clusterRates, outcome, { subject, call, nowMs });
  }

  /** Asks for calls of every rate limit of tenant and key, and for places of every limit on calls at once. */
  async function askCluster(
    clusterRates: ClusterRates,
    { subject, call, cost }: { subject: Subject; call: CallToDecide; cost: number },
  ): Promise<ClusterVerdict> {
    const { tenant, key } = subject;
    const ofTenant = tenant.terms.rateLimits;
    const owner = tenantOwner(subject);
    const toBucket = (of: string, rateLimit: RateLimit): RateBucket => ({
      name: nameBucket(of, rateLimit),
      rateLimit,
    });
    const buckets = [
      ...ofTenant.map((rateLimit) => toBucket(owner, rateLimit)),
      ...key.rateLimits.map((rateLimit) => toBucket(key.originKeyId, rateLimit)),
    ];
    const callers =
      call.holdsPermits === true
        ? listCallerPlaces(LIMIT_SCOPES, (scope) => concurrencyOf(subject, scope))
        : [];
    const upstream =
      cost > 0 && call.holdsPermits === true ? listUpstreamPlaces(subject, call) : [];
    if (buckets.length + callers.length + upstream.length === 0) {
      return NO_VERDICT;
    }
    const places = [...callers, ...upstream];
    const answer = await clusterRates.decide({ buckets, places, cost }, "nothing");
    const verdicts = buckets.flatMap(({ rateLimit }, index): RateLimitVerdict[] => {
      const decision = answer.decisions[index];
      const scope = index < ofTenant.length ? "tenant" : "key";
      return decision === undefined ? [] : [{ rateLimit, scope, decision }];
    });
    const isHeld = answer.isTaken && cost > 0;
    const heldOf = (scope: LimitScope) => {
      const index = callers.findIndex((one) => one.scope === scope);
      return answer.held[index];
    };
    // Of a call that takes nothing no place refuses; without one left it is refused all the same.
    const full = callers.find(({ limit }, index) =>
      cost > 0 ? index === answer.fullPlace : (answer.held[index] ?? 0) >= limit,
    );
    return {
      full,
      held: { tenant: heldOf("tenant"), key: heldOf("key") },
      permits: new ClusterPermits({
        upstream: upstream.length > 0 ? toVerdict(answer.fullPlace, callers.length) : undefined,
        names: isHeld ? callers.map(({ name }) => name) : [],
        ofUpstream: isHeld ? upstream.map(({ name }) => name) : [],
        giveBack: (names) => {
          clusterRates.giveBackPlaces(names);
        },
      }),
      rates: {
        tenant: verdicts.slice(0, ofTenant.length),
        key: verdicts.slice(ofTenant.length),
      },
    };
  }

  /**
   * Goes on with what this process holds of all other limits. They come first, because they can be given back without anyone
   * having seen it; what the nodes share is taken last, or only looked at for a call that is refused or takes nothing.
   */
  async function applyInCluster(
    clusterRates: ClusterRates,
    outcome: Exclude<LimitsOutcome, { kind: "refill" }>,
    { subject, call, nowMs }: { subject: Subject; call: CallToDecide; nowMs: number },
  ): Promise<LimitsOutcome> {
    const cost = outcome.kind === "refused" || takesNothing(call) ? 0 : 1;
    let isKept = false;
    try {
      const asked = await askCluster(clusterRates, { subject, call, cost });
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

function toSpendRefusal(spend: SpendNotice) {
  return spend.of === "cap"
    ? {
        code: "SPEND_CAP_REACHED" as const,
        detail: `This call does not fit under the spend cap of ${spend.cap} ${spend.currency} of this account: ${spend.used} ${spend.currency} are spent in this period or held for calls. The cap can be raised in the console, under Billing.`,
      }
    : {
        code: "PAYMENT_REQUIRED" as const,
        detail: `This call costs more than the credit of this account has left: ${spend.left} ${spend.currency} before tax. Credit can be bought in the console, under Billing; calls pass again as soon as it is paid.`,
      };
}

function toQuotaDetail(quota: string, cost: number, remaining: number): string {
  if (remaining === 0) {
    return `The ${quota} is used up.`;
  }
  // Events may leave a fraction, which is no room for a call.
  return cost === 0 && remaining < 1
    ? `The ${quota} has less than one unit left.`
    : `The call takes ${String(cost)}, and the ${quota} has ${String(remaining)} left.`;
}

/** Undefined for more than the whole quota: no later period has room for it either. */
function retryAfterQuotaMs(
  input: { refused: HardLimit; mayComeBack: boolean; nowMs: number },
  cost: number,
): number | undefined {
  if (cost > Math.max(1, input.refused.limit)) {
    return;
  }
  return input.mayComeBack ? COME_BACK_MS : input.refused.periodEndMs - input.nowMs;
}

/** The rate limit that refuses longest: a caller that waits for it has waited for all of them. */
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
