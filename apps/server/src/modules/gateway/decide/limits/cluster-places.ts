import type { ClusterRates } from "#platform/cluster-rates.ts";
import type { RatePlaces } from "#platform/rate-store.ts";
import type { CalledUpstream, CallToDecide, LimitScope, Subject } from "../call-to-decide.ts";
import {
  type CallPermits,
  ClusterPermits,
  type ConcurrencyLimit,
  type PermitVerdict,
} from "./call-permits.ts";

/** Places of a limit on the calls at once of a tenant's environment or of a key. */
export type CallerPlaces = RatePlaces & { scope: LimitScope };

export function listCallerPlaces(
  scopes: readonly LimitScope[],
  concurrencyOf: (scope: LimitScope) => ConcurrencyLimit | undefined,
): CallerPlaces[] {
  return scopes.flatMap((scope): CallerPlaces[] => {
    const concurrency = concurrencyOf(scope);
    return concurrency === undefined
      ? []
      : [{ scope, name: `calls|${concurrency.owner}`, limit: concurrency.limit }];
  });
}

const nameOf = ({ name }: CalledUpstream) => `upstream|${name}`;

/**
 * A place of the upstream, one of those for calls with a key, and one of the tenant among these. Preflights need no key: they take
 * of the first alone, so that no one makes the share of a tenant smaller with them.
 */
export function listUpstreamPlaces(subject: Subject, call: CallToDecide): RatePlaces[] {
  const upstream = call.upstreamOf?.(subject.key.environment);
  if (upstream === undefined) {
    return [];
  }
  const { maxConcurrent: limit, tenantSharePercent: sharePercent } = upstream;
  const name = nameOf(upstream);
  return [
    { name, limit },
    { name: `${name}|keys`, limit },
    { name: `${name}|${subject.tenant.tenantId}`, limit, sharePercent },
  ];
}

/** A preflight needs no key, so anyone can send any number: together they get this share of the permits. */
const PREFLIGHT_SHARE = 1 / 4;
/** Calls keep the last of the permits for themselves. */
const PREFLIGHTS_BELOW = 3 / 4;

function atLeastOne(permits: number): number {
  return Math.max(1, Math.floor(permits));
}

/** What preflights may take of the permits of an upstream: so many together, and none once so many are in use. */
export function preflightPermits(maxConcurrent: number): { most: number; below: number } {
  return {
    most: atLeastOne(maxConcurrent * PREFLIGHT_SHARE),
    below: atLeastOne(maxConcurrent * PREFLIGHTS_BELOW),
  };
}

/**
 * Takes the permits of preflights.
 *
 * @throws {AppError} See {@link ClusterRates.decide}.
 */
export function createTakePreflight(clusterRates: ClusterRates) {
  return async function takePreflight(upstream: CalledUpstream): Promise<CallPermits> {
    const { most, below } = preflightPermits(upstream.maxConcurrent);
    const name = nameOf(upstream);
    const places = [
      { name, limit: below },
      { name: `${name}|preflights`, limit: most },
    ];
    const { isTaken } = await clusterRates.decide({ buckets: [], places, cost: 1 }, "nothing");
    return new ClusterPermits({
      upstream: isTaken ? "taken" : "full",
      names: [],
      ofUpstream: isTaken ? places.map((one) => one.name) : [],
      giveBack: (names) => {
        clusterRates.giveBackPlaces(names);
      },
    });
  };
}

/** @param callerPlaces - How many places come before those of the upstream. */
export function toVerdict(fullPlace: number | undefined, callerPlaces: number): PermitVerdict {
  if (fullPlace === undefined || fullPlace < callerPlaces) {
    return "taken";
  }
  return fullPlace === callerPlaces + 2 ? "over-share" : "full";
}
