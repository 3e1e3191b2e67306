import { type ClusterRateAnswer, decideAlone } from "./decide-alone.ts";
import { inTime } from "./in-time.ts";
import type { Logger } from "./logger.ts";
import { createMemoryRateStore, type MemoryRateStore } from "./memory-rate-store.ts";
import { OwnPlaces } from "./own-places.ts";
import { PassedCalls } from "./passed-calls.ts";
import {
  type RateAnswer,
  type RateBucket,
  type RateRequest,
  type RateStore,
  toDecisions,
} from "./rate-store.ts";

/**
 * What a limit of the cluster lets pass while the store is away. `nothing`: each bucket is taken for empty, so that what passed
 * before never passes again. `share`: each bucket of this process begins full, for limits whose owner must not be locked out.
 */
export type WhenAway = "nothing" | "share";

/** Decides under limits that all nodes share. */
export interface ClusterRates {
  /**
   * Decides a call under several limits: it takes of all of them or of none. Its places are held until they are given back, or until
   * this process falls silent.
   *
   * @throws {AppError} `LIMITS_UNAVAILABLE` before the store was reached once; `OVERLOADED`.
   */
  decide(request: RateRequest, whenAway: WhenAway): Promise<ClusterRateAnswer>;
  /** Gives calls back that were taken. They count as taken where the store is lost meanwhile. */
  giveBack(buckets: readonly RateBucket[], whenAway: WhenAway): void;
  /** Gives back the places of a call, by name, once each. */
  giveBackPlaces(names: readonly string[]): void;
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

type Away = {
  sinceMs: number;
  stores: Record<WhenAway, MemoryRateStore>;
};

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
/** Reports go out beside calls that still pass; the last one holds them up until it is taken. */
const REPORTS_BESIDE_CALLS = 3;

class SilentProcessError extends Error {
  override readonly name = "SilentProcessError";
}

/** A process gets another id whenever it reports all that it holds, so that nothing which is late counts any more. */
const EPOCH_MARK = "#";

function processOf(member: string): string {
  const end = member.indexOf(EPOCH_MARK);
  return end === -1 ? member : member.slice(0, end);
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
  const { store, answerMs, monotonicMs, logger } = deps;
  const places = new OwnPlaces(deps.member);
  let epoch = 0;
  const waiting: Waiting[] = [];
  let groupsUnderWay = 0;
  let isFlushSet = false;
  /** Calls wait while the last of what passed in the meantime is reported. */
  let isReporting = false;
  let away: Away | undefined;
  const passed = new PassedCalls();
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
      { err: error, store: store.kind, processes: places.members?.length ?? 0 },
      "The store of rate limits does not answer: each process decides with its share of every limit",
    );
    setTimer(PROBE_INTERVAL_MS);
  }

  const memberNow = () => `${deps.member}${EPOCH_MARK}${String(epoch)}`;

  /** A call that this process let pass alone: its places are held, and the store learns of it later. */
  function note(request: RateRequest): void {
    for (const bucket of request.buckets) {
      passed.note(bucket, request.cost);
    }
    hold(request);
  }

  function hold({ places: taken = [], cost }: RateRequest): void {
    if (cost > 0) {
      taken.forEach((one) => {
        places.take(one);
      });
    }
  }

  function settleAlone(group: readonly Waiting[], alone: Away): void {
    for (const { request, whenAway, resolve, reject } of group) {
      try {
        resolve(decideAlone(request, { places, store: alone.stores[whenAway], onTaken: note }));
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
        if (answer.isTaken) {
          hold(request);
        }
        resolve({ ...answer, decisions: toDecisions(request, answer) });
      }
    }
  }

  /** Says of its places what this process may hold, should others decide alone. */
  function toAsked(request: RateRequest): RateRequest {
    const { places: asked } = request;
    return asked === undefined
      ? request
      : { ...request, places: asked.map((one) => ({ ...one, ownMax: places.ownMaxOf(one) })) };
  }

  async function ask(group: readonly Waiting[]): Promise<void> {
    groupsUnderWay += 1;
    try {
      const asked = {
        member: memberNow(),
        requests: group.map(({ request }) => toAsked(request)),
        returned: places.drainReturned(),
      };
      settle(group, await inTime(store.decide(asked), answerMs));
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
    while (!isReporting && isAsked() && groupsUnderWay < store.groupsMax) {
      void ask(waiting.splice(0, GROUP_MAX));
    }
  }

  const isAsked = () => waiting.length > 0 || places.hasReturned;

  function setFlush(): void {
    if (!isFlushSet && isAsked() && (groupsUnderWay < store.groupsMax || away !== undefined)) {
      isFlushSet = true;
      setImmediate(flush);
    }
  }

  /**
   * Takes of the store what passed while it was away. What it may not have taken is reported again: some calls may then be taken
   * twice, but none passes untaken.
   *
   * @param servedMs - For so long the store has served others.
   */
  async function report(alone: Away, servedMs: number, timeoutMs: number): Promise<void> {
    const reported = passed.drain();
    const besideMs = Math.min(monotonicMs() - alone.sinceMs, servedMs);
    let taken = 0;
    try {
      while (taken < reported.length) {
        const requests = reported.slice(taken, taken + GROUP_MAX).map(
          ({ bucket, calls }): RateRequest => ({
            buckets: [bucket],
            cost: calls,
            passed: { besideMs },
          }),
        );
        const group = { member: memberNow(), requests, returned: new Map<string, number>() };
        await inTime(store.decide(group), timeoutMs);
        taken += GROUP_MAX;
      }
    } finally {
      for (const { bucket, calls } of reported.slice(taken)) {
        passed.note(bucket, calls);
      }
    }
  }

  /** @returns Milliseconds for which the store has served others, up to this sign of life. */
  async function join(timeoutMs: number, report?: { replaces?: string }): Promise<number> {
    const answer = await inTime(
      store.join({
        member: memberNow(),
        ttlMs: MEMBER_TTL_MS,
        isBack: places.members !== undefined,
        ...(report && { report: { ...report, held: places.report() } }),
      }),
      timeoutMs,
    );
    if (!answer.isKnown) {
      throw new SilentProcessError("This process was taken for gone.");
    }
    places.hear(answer, processOf);
    return answer.servedMs;
  }

  async function comeBack(alone: Away): Promise<void> {
    // What they may still take would not be in the report.
    if (groupsUnderWay > 0) {
      return;
    }
    const replaces = memberNow();
    epoch += 1;
    const servedMs = await join(PATIENT_MS, { replaces });
    for (let turn = 0; turn < REPORTS_BESIDE_CALLS && passed.size > 0; turn += 1) {
      await report(alone, servedMs, PATIENT_MS);
    }
    isReporting = true;
    try {
      await report(alone, servedMs, answerMs);
      await join(answerMs, {});
      away = undefined;
      logger.info(
        { store: store.kind, awayMs: Math.round(monotonicMs() - alone.sinceMs) },
        "The store of rate limits answers again",
      );
    } finally {
      isReporting = false;
      setFlush();
    }
  }

  async function look(): Promise<void> {
    if (away !== undefined) {
      await comeBack(away).catch(() => undefined);
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
      decide({ buckets, cost: -1, passed: { besideMs: 0 } }, whenAway).catch(() => undefined);
    },
    giveBackPlaces(names) {
      for (const name of names) {
        places.giveBack(name, away === undefined || isReporting);
      }
      setFlush();
    },
    processes: () => places.members?.length ?? 0,
    findTrouble() {
      if (away === undefined) {
        return undefined;
      }
      const { members } = places;
      return members === undefined
        ? "The store of rate limits was never reached: calls with rate limits get 503."
        : `The store of rate limits does not answer: each of ${String(members.length)} processes decides with its share of every limit.`;
    },
    async start() {
      const end = monotonicMs() + START_MS;
      for (;;) {
        try {
          await join(START_MS, {});
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
        await inTime(store.leave(memberNow()), answerMs).catch(() => undefined);
      }
      await store.close();
    },
  };
}
