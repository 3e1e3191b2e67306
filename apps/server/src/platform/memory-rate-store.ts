import { AppError } from "@turnpike/domain/errors/app-error";
import { findFullPlaces } from "@turnpike/domain/limits/call-places";
import {
  decideRateLimit,
  type RateLimitState,
  takePassedCalls,
} from "@turnpike/domain/limits/rate-limit";
import type { RateAnswer, RateBucket, RateGroup, RateRequest, RateStore } from "./rate-store.ts";

/** Each takes some 200 bytes. */
const BUCKETS_MAX = 500_000;
/** A sweep over all of them takes milliseconds, which not every call may cost. */
const SWEEP_INTERVAL_MS = 1_000;

/** A store that answers at once, so that what is decided needs no promise. */
export interface MemoryRateStore extends RateStore {
  decideNow(request: RateRequest): RateAnswer;
}

/** Places for calls at once of all members. */
class HeldPlaces {
  readonly #held = new Map<string, Map<string, number>>();

  ownOf(name: string, member: string): number {
    return this.#held.get(name)?.get(member) ?? 0;
  }

  allOf(name: string): number {
    let sum = 0;
    for (const held of this.#held.get(name)?.values() ?? []) {
      sum += held;
    }
    return sum;
  }

  set(name: string, member: string, held: number): void {
    const all = this.#held.get(name) ?? new Map<string, number>();
    this.#held.set(name, all.set(member, held));
    if (held <= 0) {
      all.delete(member);
    }
  }

  free(member: string): void {
    for (const name of this.#held.keys()) {
      this.set(name, member, 0);
    }
  }
}

/**
 * Keeps buckets and places in the memory of this thread.
 *
 * @param deps.emptyAtMs - Monotonic milliseconds at which a bucket that is not known was empty. Left out: such a bucket is full.
 */
export function createMemoryRateStore(deps: {
  monotonicMs: () => number;
  emptyAtMs?: number;
  bucketsMax?: number;
}): MemoryRateStore {
  const { emptyAtMs = Number.NEGATIVE_INFINITY, bucketsMax = BUCKETS_MAX } = deps;
  const fullAtMsOf = new Map<string, number>();
  const held = new HeldPlaces();
  let sweptAtMs = Number.NEGATIVE_INFINITY;

  function makeRoom(nowMs: number): void {
    if (fullAtMsOf.size < bucketsMax) {
      return;
    }
    if (nowMs - sweptAtMs > SWEEP_INTERVAL_MS) {
      sweptAtMs = nowMs;
      for (const [name, fullAtMs] of fullAtMsOf) {
        if (fullAtMs <= nowMs) {
          fullAtMsOf.delete(name);
        }
      }
    }
    if (fullAtMsOf.size >= bucketsMax) {
      throw new AppError({
        code: "OVERLOADED",
        publicMessage: "Too many rate limits are in use. Try again in a moment.",
        headers: { "retry-after": "1" },
      });
    }
  }

  function stateOf({ name, rateLimit }: RateBucket): RateLimitState {
    return { fullAtMs: fullAtMsOf.get(name) ?? emptyAtMs + rateLimit.windowSeconds * 1_000 };
  }

  function decideBucket(bucket: RateBucket, cost: number, nowMs: number) {
    const { rateLimit } = bucket;
    return decideRateLimit({ rateLimit, state: stateOf(bucket), cost, nowMs });
  }

  function decideNow(request: RateRequest, member = ""): RateAnswer {
    const { places = [], cost } = request;
    const states = places.map(({ name, limit, sharePercent }) => ({
      ...{ limit, sharePercent },
      held: held.allOf(name),
      own: held.ownOf(name, member),
    }));
    const fullPlace = findFullPlaces(states, cost);
    const answer = fullPlace === undefined ? decideBuckets(request) : lookAt(request);
    if (answer.isTaken && cost > 0) {
      for (const { name } of places) {
        held.set(name, member, held.ownOf(name, member) + cost);
      }
    }
    return { ...answer, fullPlace, held: places.map(({ name }) => held.allOf(name)) };
  }

  function lookAt({ buckets }: RateRequest) {
    const nowMs = deps.monotonicMs();
    return {
      isTaken: false,
      levelsMs: buckets.map((bucket) => decideBucket(bucket, 0, nowMs).resetAfterMs),
    };
  }

  function decideBuckets({ buckets, cost, passed }: RateRequest) {
    const nowMs = deps.monotonicMs();
    if (passed !== undefined) {
      const { besideMs } = passed;
      const levelsMs = buckets.map((bucket) => {
        const { name, rateLimit } = bucket;
        const state = stateOf(bucket);
        const { fullAtMs } = takePassedCalls({ rateLimit, state, cost, besideMs, nowMs });
        if (cost !== 0) {
          fullAtMsOf.set(name, fullAtMs);
        }
        return fullAtMs - nowMs;
      });
      return { isTaken: true, levelsMs };
    }
    const decisions = buckets.map((bucket) => decideBucket(bucket, cost, nowMs));
    const isTaken = decisions.every(({ allowed }) => allowed);
    if (isTaken && cost > 0) {
      makeRoom(nowMs);
      for (const [index, { name }] of buckets.entries()) {
        fullAtMsOf.set(name, decisions[index]?.next.fullAtMs ?? nowMs);
      }
    }
    return {
      isTaken,
      levelsMs: isTaken
        ? decisions.map(({ resetAfterMs }) => resetAfterMs)
        : buckets.map((bucket) => decideBucket(bucket, 0, nowMs).resetAfterMs),
    };
  }

  function decideGroup({ member, requests, returned }: RateGroup): RateAnswer[] {
    for (const [name, count] of returned) {
      held.set(name, member, held.ownOf(name, member) - count);
    }
    return requests.map((request) => decideNow(request, member));
  }

  return {
    kind: "memory",
    groupsMax: 1,
    decideNow,
    decide: (group) => Promise.resolve(decideGroup(group)),
    join({ member, report }) {
      if (report !== undefined) {
        held.free(member);
        held.free(report.replaces ?? member);
        for (const one of report.held) {
          held.set(one.name, member, one.held);
        }
      }
      return Promise.resolve({
        members: [member],
        isKnown: true,
        mustShare: false,
        servedMs: 0,
        beyond: [],
      });
    },
    leave(member) {
      held.free(member);
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
}
