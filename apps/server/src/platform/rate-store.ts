import {
  decideRateLimit,
  type RateLimit,
  type RateLimitDecision,
} from "@turnpike/domain/limits/rate-limit";

/** The bucket of one owner under one limit. Two limits of an owner have two names. */
export type RateBucket = { name: string; rateLimit: RateLimit };

/** Asks for so many calls of several buckets: all of them pass, or nothing is taken of any. */
export type RateRequest = {
  buckets: readonly RateBucket[];
  /** Calls, 0 or more; 0 only looks. Below 0 gives calls back. */
  cost: number;
  /** True for calls that have passed already: they are taken even of an empty bucket, which then stays empty. */
  isForced?: boolean;
};

export type RateAnswer = {
  isTaken: boolean;
  /** Milliseconds until each bucket is full, after taking; as they are when nothing was taken. */
  levelsMs: readonly number[];
};

/**
 * Keeps the buckets of rate limits. Each store decides by the rule of `decideRateLimit` on its own clock, and forgets buckets that
 * are full again. A store that has lost its buckets starts them empty, so that a loss lets nothing pass twice.
 */
export interface RateStore {
  /** As in the configuration. */
  readonly kind: "memory" | "postgres" | "valkey";
  /** So many groups of requests may be under way at once. */
  readonly groupsMax: number;
  /**
   * Decides requests in their order, as if one after the other.
   *
   * @throws What the connection throws; then each request may have been decided or not.
   */
  decide(requests: readonly RateRequest[]): Promise<RateAnswer[]>;
  /**
   * Says that a process is alive for a while.
   *
   * @param input.isBack - True for a process that has used the store before: one that is empty now has lost its buckets.
   * @returns The ids of all living processes, this one included.
   */
  join(input: { member: string; ttlMs: number; isBack: boolean }): Promise<string[]>;
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
