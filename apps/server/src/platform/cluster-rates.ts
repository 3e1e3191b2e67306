import { AppError } from "@turnpike/domain/errors/app-error";
import type { RateLimit, RateLimitDecision } from "@turnpike/domain/limits/rate-limit";
import type { Logger } from "./logger.ts";
import { createMemoryRateStore, type MemoryRateStore } from "./memory-rate-store.ts";
import {
  type RateAnswer,
  type RateBucket,
  type RateRequest,
  type RateStore,
  toDecisions,
} from "./rate-store.ts";

export type ClusterRateAnswer = {
  isTaken: boolean;
  /** A decision under each limit that was asked for, in its order. */
  decisions: readonly RateLimitDecision[];
};

/**
 * What a limit of the cluster lets pass while the store is away. `nothing`: each bucket is taken for empty, so that what passed
 * before never passes again. `share`: each bucket of this process begins full, for limits whose owner must not be locked out.
 */
export type WhenAway = "nothing" | "share";

/** Decides under limits that all nodes share. */
export interface ClusterRates {
  /**
   * Decides a call under several limits: it takes of all of them or of none.
   *
   * @throws {AppError} `LIMITS_UNAVAILABLE` before the store was reached once; `OVERLOADED`.
   */
  decide(request: RateRequest, whenAway: WhenAway): Promise<ClusterRateAnswer>;
  /** Gives calls back that were taken. They count as taken where the store is lost meanwhile. */
  giveBack(buckets: readonly RateBucket[], whenAway: WhenAway): void;
  /** Processes that share the limits, as last heard of; 0 before the store was reached once. */
  processes(): number;
  /** A sentence for people while limits are not those of the cluster. */
  findTrouble(): string | undefined;
  /** Resolves when the store was reached, or could not be within seconds; it is tried again all the time. */
  start(): Promise<void>;
  close(): Promise<void>;
}

type Waiting = {
  request: RateRequest;
  whenAway: WhenAway;
  resolve(answer: ClusterRateAnswer): void;
  reject(error: unknown): void;
};

type Away = { sinceMs: number; stores: Record<WhenAway, MemoryRateStore> };

/** At the start, until there is a connection. */
const START_MS = 5_000;
const PROBE_INTERVAL_MS = 500;
/** For what no call waits for: signs of life, and reports beside calls. A new connection takes longer than an answer. */
const PATIENT_MS = 2_000;
const SIGN_OF_LIFE_MS = 1_000;
/** A process that is not heard of for this long has no share any more. */
const MEMBER_TTL_MS = 10_000;
/** A script has to finish before others get their turn, and Lua takes only some thousand arguments. */
const GROUP_MAX = 500;
/** Buckets whose calls are reported when the store is back. */
const REPORTED_MAX = 50_000;
/** A bucket without a share in this process is refused; its next call may come to another one. */
const NO_SHARE_RETRY_MS = 1_000;
/** Reports go out beside calls that still pass; the last one holds them up until it is taken. */
const REPORTS_BESIDE_CALLS = 3;

class SlowStoreError extends Error {
  override readonly name = "SlowStoreError";
}

/**
 * Waits for an answer. When the time is over, what has arrived by then is read first: a process that was held up must not take
 * the store for slow.
 */
async function inTime<Answer>(work: Promise<Answer>, timeoutMs: number): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      setImmediate(() => {
        reject(new SlowStoreError(`No answer within ${String(timeoutMs)} ms.`));
      });
    }, timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The part of a limit that falls to one of several processes: together they have all of it, to the last call. */
export function shareOfLimit(
  limit: number,
  { place, count }: { place: number; count: number },
): number {
  return Math.floor(limit / count) + (place < limit % count ? 1 : 0);
}

function refuseWithoutShare(request: RateRequest): RateLimitDecision[] {
  return request.buckets.map(({ rateLimit }) => ({
    allowed: request.cost === 0,
    remaining: 0,
    retryAfterMs: NO_SHARE_RETRY_MS,
    resetAfterMs: rateLimit.windowSeconds * 1_000,
    next: { fullAtMs: 0 },
  }));
}

/**
 * Asks the store in groups: all decisions of one turn of the event loop are one question. While the store does not answer,
 * this process decides alone, with its share of every limit.
 */
export function createClusterRates(deps: {
  store: RateStore;
  /** Id of this process, or of this thread where several decide. */
  member: string;
  /** A group that takes longer is decided by this process alone: no call waits longer for its rate limits. */
  answerMs: number;
  monotonicMs: () => number;
  logger: Pick<Logger, "warn" | "info">;
}): ClusterRates {
  const { store, member, answerMs, monotonicMs, logger } = deps;
  const waiting: Waiting[] = [];
  let groupsUnderWay = 0;
  let isFlushSet = false;
  /** Calls wait while the last of what passed in the meantime is reported. */
  let isReporting = false;
  let members: readonly string[] | undefined;
  let away: Away | undefined;
  let passed = new Map<string, { bucket: RateBucket; calls: number }>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function goAway(error: unknown): void {
    if (away !== undefined || isClosed) {
      return;
    }
    const nowMs = monotonicMs();
    away = {
      sinceMs: nowMs,
      stores: {
        nothing: createMemoryRateStore({ monotonicMs, emptyAtMs: nowMs }),
        share: createMemoryRateStore({ monotonicMs }),
      },
    };
    logger.warn(
      { err: error, store: store.kind, processes: members?.length ?? 0 },
      "The store of rate limits does not answer: each process decides with its share of every limit",
    );
    setTimer(PROBE_INTERVAL_MS);
  }

  function placeOfMember(): { place: number; count: number } {
    const all = members ?? [];
    return { place: Math.max(0, all.indexOf(member)), count: Math.max(1, all.length) };
  }

  function note(bucket: RateBucket, calls: number): void {
    const known = passed.get(bucket.name);
    if (known !== undefined) {
      known.calls += calls;
    } else if (passed.size < REPORTED_MAX) {
      passed.set(bucket.name, { bucket, calls });
    }
  }

  function decideAlone(
    { stores }: Away,
    request: RateRequest,
    whenAway: WhenAway,
  ): ClusterRateAnswer {
    if (members === undefined) {
      throw new AppError({
        code: "LIMITS_UNAVAILABLE",
        publicMessage: "The rate limits cannot be decided right now. Try again in a moment.",
        headers: { "retry-after": "2" },
      });
    }
    const own = placeOfMember();
    const shareOf = (rateLimit: RateLimit) => ({
      ...rateLimit,
      limit: shareOfLimit(rateLimit.limit, own),
    });
    const buckets = request.buckets.map(({ name, rateLimit }) => ({
      name,
      rateLimit: shareOf(rateLimit),
    }));
    if (buckets.some(({ rateLimit }) => rateLimit.limit === 0)) {
      return { isTaken: request.cost === 0, decisions: refuseWithoutShare(request) };
    }
    const shared = { ...request, buckets };
    const answer = stores[whenAway].decideNow(shared);
    if (answer.isTaken && request.cost !== 0) {
      for (const bucket of request.buckets) {
        note(bucket, request.cost);
      }
    }
    return { isTaken: answer.isTaken, decisions: toDecisions(shared, answer) };
  }

  function settleAlone(group: readonly Waiting[], alone: Away): void {
    for (const { request, whenAway, resolve, reject } of group) {
      try {
        resolve(decideAlone(alone, request, whenAway));
      } catch (error) {
        reject(error);
      }
    }
  }

  function settle(group: readonly Waiting[], answers: readonly RateAnswer[]): void {
    for (const [index, { request, resolve, reject }] of group.entries()) {
      const answer = answers[index];
      if (answer === undefined) {
        reject(new RangeError("The store of rate limits answered too little."));
      } else {
        resolve({ isTaken: answer.isTaken, decisions: toDecisions(request, answer) });
      }
    }
  }

  async function ask(group: readonly Waiting[]): Promise<void> {
    groupsUnderWay += 1;
    try {
      settle(group, await inTime(store.decide(group.map(({ request }) => request)), answerMs));
    } catch (error) {
      goAway(error);
      if (away !== undefined) {
        settleAlone(group, away);
      } else {
        for (const { reject } of group) {
          reject(error);
        }
      }
    } finally {
      groupsUnderWay -= 1;
      setFlush();
    }
  }

  function flush(): void {
    isFlushSet = false;
    if (away !== undefined && !isReporting) {
      settleAlone(waiting.splice(0), away);
      return;
    }
    while (!isReporting && waiting.length > 0 && groupsUnderWay < store.groupsMax) {
      void ask(waiting.splice(0, GROUP_MAX));
    }
  }

  function setFlush(): void {
    if (
      !isFlushSet &&
      waiting.length > 0 &&
      (groupsUnderWay < store.groupsMax || away !== undefined)
    ) {
      isFlushSet = true;
      setImmediate(flush);
    }
  }

  /** Takes of the store what passed while it was away. */
  async function report(timeoutMs: number): Promise<void> {
    const reported = [...passed.values()];
    passed = new Map();
    for (let at = 0; at < reported.length; at += GROUP_MAX) {
      const requests = reported
        .slice(at, at + GROUP_MAX)
        .map(
          ({ bucket, calls }): RateRequest => ({ buckets: [bucket], cost: calls, isForced: true }),
        );
      await inTime(store.decide(requests), timeoutMs);
    }
  }

  async function join(timeoutMs: number): Promise<void> {
    const isBack = members !== undefined;
    const living = await inTime(store.join({ member, ttlMs: MEMBER_TTL_MS, isBack }), timeoutMs);
    members = living.toSorted();
  }

  async function comeBack(sinceMs: number): Promise<void> {
    await join(PATIENT_MS);
    for (let turn = 0; turn < REPORTS_BESIDE_CALLS && passed.size > 0; turn += 1) {
      await report(PATIENT_MS);
    }
    isReporting = true;
    try {
      await report(answerMs);
      away = undefined;
      logger.info(
        { store: store.kind, awayMs: Math.round(monotonicMs() - sinceMs) },
        "The store of rate limits answers again",
      );
    } finally {
      isReporting = false;
      setFlush();
    }
  }

  async function look(): Promise<void> {
    if (away !== undefined) {
      await comeBack(away.sinceMs).catch(() => undefined);
    } else {
      await join(PATIENT_MS).catch(goAway);
    }
    setTimer(away === undefined ? SIGN_OF_LIFE_MS : PROBE_INTERVAL_MS);
  }

  function setTimer(delayMs: number): void {
    clearTimeout(timer);
    if (!isClosed) {
      timer = setTimeout(() => void look(), delayMs).unref();
    }
  }

  function decide(request: RateRequest, whenAway: WhenAway): Promise<ClusterRateAnswer> {
    return new Promise((resolve, reject) => {
      waiting.push({ request, whenAway, resolve, reject });
      setFlush();
    });
  }

  return {
    decide,
    giveBack(buckets, whenAway) {
      decide({ buckets, cost: -1, isForced: true }, whenAway).catch(() => undefined);
    },
    processes: () => members?.length ?? 0,
    findTrouble() {
      if (away === undefined) {
        return undefined;
      }
      return members === undefined
        ? "The store of rate limits was never reached: calls with rate limits get 503."
        : `The store of rate limits does not answer: each of ${String(members.length)} processes decides with its share of every limit.`;
    },
    async start() {
      const end = monotonicMs() + START_MS;
      for (;;) {
        try {
          await join(START_MS);
          setTimer(SIGN_OF_LIFE_MS);
          return;
        } catch (error) {
          if (monotonicMs() >= end) {
            goAway(error);
            return;
          }
          await new Promise((resolve) => setTimeout(resolve, PROBE_INTERVAL_MS / 10));
        }
      }
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      if (away === undefined) {
        await inTime(store.leave(member), answerMs).catch(() => undefined);
      }
      await store.close();
    },
  };
}
