import type { RateLimit } from "@turnpike/domain/limits/rate-limit";
import type { ClusterRates } from "#platform/cluster-rates.ts";
import type { RateBucket } from "#platform/rate-store.ts";
import type { CallToDecide, LimitScope, Subject } from "../call-to-decide.ts";
import { type CallPermits, ClusterPermits } from "./call-permits.ts";
import {
  type CallerPlaces,
  listCallerPlaces,
  listUpstreamPlaces,
  toVerdict,
} from "./cluster-places.ts";
import { NO_RATES, type Rates } from "./decide-rates.ts";
import type { HeldInCluster } from "./describe-limits.ts";
import { nameBucket, type RateLimitVerdict } from "./rate-limiter.ts";
import { LIMIT_SCOPES, type SubjectLimits } from "./subject-limits.ts";

/** What the nodes say together of the limits that they share. */
type ClusterVerdict = {
  rates: Rates;
  /** The limit on calls at once that refused. */
  full: CallerPlaces | undefined;
  held: HeldInCluster | undefined;
  permits: CallPermits | undefined;
};

const NO_VERDICT: ClusterVerdict = {
  rates: NO_RATES,
  full: undefined,
  held: undefined,
  permits: undefined,
};

/** Makes the question to the store of limits that all nodes share. */
export function createAskCluster(
  clusterRates: ClusterRates,
  { tenantOwner, concurrencyOf }: Pick<SubjectLimits, "tenantOwner" | "concurrencyOf">,
) {
  /** Asks for calls of every rate limit of tenant and key, and for places of every limit on calls at once. */
  return async function askCluster({
    subject,
    call,
    cost,
  }: {
    subject: Subject;
    call: CallToDecide;
    cost: number;
  }): Promise<ClusterVerdict> {
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
  };
}

export type AskCluster = ReturnType<typeof createAskCluster>;
