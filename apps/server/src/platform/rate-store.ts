import type { CallPlaces } from "@turnpike/domain/limits/call-places";
import {
  decideRateLimit,
  type RateLimit,
  type RateLimitDecision,
} from "@turnpike/domain/limits/rate-limit";

/** The bucket of one owner under one limit. Two limits of an owner have two names. */
export type RateBucket = { name: string; rateLimit: RateLimit };

/** Places for calls at once, which a call holds until it is over. */
export type RatePlaces = CallPlaces & {
  name: string;
  /** What this process may hold of them while others may decide alone. Left out: the limit. */
  ownMax?: number;
};

/** Asks for so many calls of several buckets, and a place of each limit on calls at once: all is taken, or nothing is. */
export type RateRequest = {
  buckets: readonly RateBucket[];
  /** Each call takes one of each, unless it has passed already. */
  places?: readonly RatePlaces[];
  /** Calls, 0 or more; 0 only looks. Below 0 gives calls back. */
  cost: number;
  /**
   * For calls that have passed already: they are taken even of an empty bucket, which then owes them. `besideMs` are milliseconds
   * for which they passed beside the store while others took calls of it.
   */
  passed?: { besideMs: number };
};

export type RateAnswer = {
  isTaken: boolean;
  /** The first of its places of which none was left. */
  fullPlace?: number | undefined;
  /** Milliseconds until each bucket is full, after taking; as they are when nothing was taken. */
  levelsMs: readonly number[];
  /** How many of each of its places all processes hold, after taking. */
  held: readonly number[];
};

/** What a process asks for in one turn of the event loop. */
export type RateGroup = {
  /** Whose places these are; it has joined the store. */
  member: string;
  requests: readonly RateRequest[];
  /** Places that are given back, by name; before the requests are decided. */
  returned: ReadonlyMap<string, number>;
};

/** Places of one name that a process holds. */
export type HeldReport = { name: string; held: number; limit: number };

export type RateMembers = {
  /** The ids of all living processes, this one included. */
  members: string[];
  /** False for a process that was taken for gone: its places are free, and it must report what it holds. */
  isKnown: boolean;
  /** True while a process that could not reach the store may still decide alone; until then each has its share of places. */
  mustShare: boolean;
  /** Milliseconds for which the store has had signs of life without a pause of seconds: so long it has served some processes. */
  servedMs: number;
  /** Places of which a process holds more than its share, with what this one and what all of them hold. */
  beyond: { name: string; own: number; all: number }[];
};

/**
 * Keeps the buckets of rate limits. Each store decides by the rule of `decideRateLimit` on its own clock, and forgets buckets that
 * have been full for a while. A store that has lost its buckets starts them empty, so that a loss lets nothing pass twice.
 */
export interface RateStore {
  /** As in the configuration. */
  readonly kind: "memory" | "postgres" | "valkey";
  /** So many groups of requests may be under way at once. */
  readonly groupsMax: number;
  /**
   * Decides requests in their order, as if one after the other.
   *
   * @throws What the connection throws; then each request may have been decided or not. An error also when the process was taken
   *   for gone and asks for places.
   */
  decide(group: RateGroup): Promise<RateAnswer[]>;
  /**
   * Says that a process is alive for a while. Its places are free when it falls silent.
   *
   * @param input.isBack - True for a process that has used the store before: one that is empty now has lost its buckets.
   * @param input.report - What it holds, in place of all that it and the member that it `replaces` held before. Left out: as before.
   */
  join(input: {
    member: string;
    ttlMs: number;
    isBack: boolean;
    report?: { held: readonly HeldReport[]; replaces?: string | undefined };
  }): Promise<RateMembers>;
  /** Frees its places. */
  leave(member: string): Promise<void>;
  close(): Promise<void>;
}

/** What a call may know of its limits: a decision for each bucket, as of the store's clock. */
export function toDecisions(request: RateRequest, answer: RateAnswer): RateLimitDecision[] {
  return request.buckets.map(({ rateLimit }, index) => {
    const state = { fullAtMs: answer.levelsMs[index] ?? 0 };
    const decide = (cost: number) => decideRateLimit({ rateLimit, state, cost, nowMs: 0 });
    if (answer.isTaken) {
      return decide(0);
    }
    const asked = decide(request.cost);
    // It would have let the call pass, and nothing was taken of it.
    return asked.allowed ? decide(0) : asked;
  });
}
