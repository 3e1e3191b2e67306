import { hash } from "node:crypto";
import {
  decideRateLimit,
  type RateLimit,
  type RateLimitDecision,
  type RateLimitState,
} from "@turnpike/domain/limits/rate-limit";
import { releaseDeadHolder, withMutex } from "./shared-mutex.ts";

/** Memory in which the threads of a process keep the buckets of their rate limits; goes to each of them as it is. */
export type SharedRateMemory = {
  /** The origin of the clock that all threads share, nanoseconds of the system's monotonic clock. */
  originNs: bigint;
  mutex: Int32Array<SharedArrayBuffer>;
  /** Places given to a bucket so far, so that no two of them begin with the same state. */
  claims: BigInt64Array<SharedArrayBuffer>;
  /** Four words of the SHA-256 of the bucket's name for each place; the first is 0 where none ever was. */
  tags: Int32Array<SharedArrayBuffer>;
  /** The bits of `fullAtMs`, or {@link CLAIMED}. */
  states: BigInt64Array<SharedArrayBuffer>;
};

/** A decision as of the moment when it was taken. */
export type SharedTake = { decision: RateLimitDecision; takenAtMs: number };

export interface SharedRateTable {
  /**
   * What the decision on a call would be; takes nothing.
   *
   * @param bucket - Has one limit for as long as it is in use: the state says nothing under another.
   */
  look(bucket: string, rateLimit: RateLimit, cost: number): RateLimitDecision;
  /**
   * Decides and takes in one step that no other thread comes between. A denial takes nothing.
   *
   * @throws {RateTableFullError} when there is no place for the bucket.
   */
  take(bucket: string, rateLimit: RateLimit, cost: number): SharedTake;
  /**
   * Gives back what a call took that another limit refused a moment later. What the bucket may have leaked since
   * `takenAtMs` is not given back, so that no order of threads lets more pass than the limit.
   */
  giveBack(bucket: string, rateLimit: RateLimit, taken: { cost: number; takenAtMs: number }): void;
}

/** All places that a bucket may have hold calls: to forget one would let its owner begin anew. */
export class RateTableFullError extends Error {
  override readonly name = "RateTableFullError";
}

export type SharedRateTableOptions = {
  /** Number of this thread, 1 or more; no two threads that live have the same. */
  holder: number;
  /** Where a bucket finds no place: `refuse`, or forget the one that is nearest to being as good as new. */
  whenFull: "refuse" | "forget";
  /** The clock of all threads; for tests. */
  nowMs?: () => number;
};

/** Places that one bucket may have; all of them are looked through when it is not where it was last. */
const SET_PLACES = 64;
const TAG_WORDS = 4;
/** Where buckets were last found, for each thread; beyond it is begun anew. */
const KNOWN_MAX = 50_000;
/** A change of places takes microseconds; who died in one is noticed within milliseconds. */
const MUTEX_TIMEOUT_MS = 2_000;
/** A state that no clock gives, NaN: the place changes hands. */
const CLAIMED = 0x7ff8_dead_0000_0000n;
const FULL: RateLimitState = { fullAtMs: 0 };

type Known = { place: number; tag: readonly [number, number, number, number] };

/** @param places - Rounded up to a multiple of 64. Each takes 24 bytes, once it is used. */
export function createSharedRateMemory(places: number): SharedRateMemory {
  const count = Math.ceil(places / SET_PLACES) * SET_PLACES;
  return {
    originNs: process.hrtime.bigint(),
    mutex: new Int32Array(new SharedArrayBuffer(4)),
    claims: new BigInt64Array(new SharedArrayBuffer(8)),
    tags: new Int32Array(new SharedArrayBuffer(count * TAG_WORDS * 4)),
    states: new BigInt64Array(new SharedArrayBuffer(count * 8)),
  };
}

/** For the thread that watches the others: what a dead one was about to do is free for the next. */
export function forgetDeadThread(memory: SharedRateMemory, holder: number): void {
  releaseDeadHolder(memory.mutex, holder);
}

/**
 * Opens the buckets of all threads of the process. Each change of a bucket is one compare-and-exchange of its whole state,
 * and the clock is read after the state: taken in the order of their exchanges, the decisions are those of
 * {@link decideRateLimit} one after the other. Threads that end at any point leave every state whole.
 *
 * Only giving a place to a bucket is done by one thread at a time. A place is given to another bucket when its own is full
 * again, which loses nothing.
 */
export function openSharedRateTable(
  memory: SharedRateMemory,
  options: SharedRateTableOptions,
): SharedRateTable {
  const { tags, states, mutex, claims } = memory;
  const sets = states.length / SET_PLACES;
  const known = new Map<string, Known>();
  const floats = new Float64Array(1);
  const bits = new BigInt64Array(floats.buffer);
  const nowMs =
    options.nowMs ?? (() => Number(process.hrtime.bigint() - memory.originNs) / 1_000_000);

  function toBits(value: number): bigint {
    floats[0] = value;
    return bits[0] ?? 0n;
  }

  function toNumber(state: bigint): number {
    bits[0] = state;
    return floats[0] ?? 0;
  }

  function hasTag(place: number, [a, b, c, d]: Known["tag"]): boolean {
    const at = place * TAG_WORDS;
    return (
      Atomics.load(tags, at) === a &&
      Atomics.load(tags, at + 1) === b &&
      Atomics.load(tags, at + 2) === c &&
      Atomics.load(tags, at + 3) === d
    );
  }

  /** The place of a bucket and its state; the state is read before the tag, so that a place that changed hands since is seen. */
  function findIn(first: number, tag: Known["tag"]): { place: number; state: bigint } | undefined {
    for (let place = first; place < first + SET_PLACES; place += 1) {
      if (Atomics.load(tags, place * TAG_WORDS) === tag[0]) {
        const state = Atomics.load(states, place);
        if (state !== CLAIMED && hasTag(place, tag)) {
          return { place, state };
        }
      }
    }
    return;
  }

  function describe(bucket: string): { first: number; tag: Known["tag"] } {
    const digest = hash("sha256", bucket, "buffer");
    // Never 0, which says that there is none.
    const word = digest.readInt32LE(0) | 1;
    return {
      first: (digest.readUInt32LE(16) % sets) * SET_PLACES,
      tag: [word, digest.readInt32LE(4), digest.readInt32LE(8), digest.readInt32LE(12)],
    };
  }

  function remember(bucket: string, entry: Known): void {
    if (known.size >= KNOWN_MAX) {
      known.clear();
    }
    known.set(bucket, entry);
  }

  function find(bucket: string): { place: number; state: bigint } | undefined {
    const last = known.get(bucket);
    if (last !== undefined) {
      const state = Atomics.load(states, last.place);
      if (state !== CLAIMED && hasTag(last.place, last.tag)) {
        return { place: last.place, state };
      }
    }
    const { first, tag } = describe(bucket);
    const found = findIn(first, tag);
    if (found !== undefined) {
      remember(bucket, { place: found.place, tag });
    }
    return found;
  }

  /** Frees an entry of the set that is no longer needed. Only while the mutex is held. */
  function freePlace(first: number): number {
    let nearest: { place: number; state: bigint; fullAtMs: number } | undefined;
    const now = nowMs();
    for (let place = first; place < first + SET_PLACES; place += 1) {
      const state = Atomics.load(states, place);
      // One that is being claimed while the mutex is ours was left behind by a thread that died.
      if (state === CLAIMED || Atomics.load(tags, place * TAG_WORDS) === 0) {
        Atomics.store(states, place, CLAIMED);
        return place;
      }
      const fullAtMs = toNumber(state);
      if (nearest === undefined || fullAtMs < nearest.fullAtMs) {
        nearest = { place, state, fullAtMs };
      }
    }
    if (nearest === undefined || (nearest.fullAtMs >= now && options.whenFull === "refuse")) {
      throw new RateTableFullError("Too many rate limits are in use at once.");
    }
    const { place, state } = nearest;
    // A call that was taken this very moment makes it needed again.
    return Atomics.compareExchange(states, place, state, CLAIMED) === state
      ? place
      : freePlace(first);
  }

  function claim(bucket: string): void {
    const { first, tag } = describe(bucket);
    withMutex(mutex, { holder: options.holder, timeoutMs: MUTEX_TIMEOUT_MS }, () => {
      if (findIn(first, tag) !== undefined) {
        return;
      }
      const place = freePlace(first);
      const at = place * TAG_WORDS;
      for (const [index, word] of tag.entries()) {
        Atomics.store(tags, at + index, word);
      }
      // Before all time, so full; and unlike any state before, so that a thread that still holds the old state changes nothing.
      const claimed = Atomics.add(claims, 0, 1n) + 1n;
      Atomics.store(states, place, toBits(-Number(claimed)));
      remember(bucket, { place, tag });
    });
  }

  /** The clock is read after the state: no thread has stored one yet that lies behind this moment. */
  function decide(state: bigint, rateLimit: RateLimit, cost: number) {
    const fullAtMs = toNumber(state);
    const takenAtMs = nowMs();
    return {
      takenAtMs,
      decision: decideRateLimit({ rateLimit, state: { fullAtMs }, cost, nowMs: takenAtMs }),
    };
  }

  return {
    look(bucket, rateLimit, cost) {
      const found = find(bucket);
      if (found === undefined) {
        return decideRateLimit({ rateLimit, state: FULL, cost, nowMs: nowMs() });
      }
      return decide(found.state, rateLimit, cost).decision;
    },
    take(bucket, rateLimit, cost) {
      for (;;) {
        const found = find(bucket);
        if (found === undefined) {
          claim(bucket);
          continue;
        }
        const { place, state } = found;
        const { decision, takenAtMs } = decide(state, rateLimit, cost);
        if (!decision.allowed) {
          return { decision, takenAtMs };
        }
        const next = toBits(decision.next.fullAtMs);
        if (Atomics.compareExchange(states, place, state, next) === state) {
          return { decision, takenAtMs };
        }
      }
    },
    giveBack(bucket, rateLimit, { cost, takenAtMs }) {
      const takenMs = (cost * rateLimit.windowSeconds * 1_000) / rateLimit.limit;
      for (;;) {
        const found = find(bucket);
        const backMs = takenMs - Math.max(0, nowMs() - takenAtMs);
        if (found === undefined || backMs <= 0) {
          return;
        }
        const next = toBits(toNumber(found.state) - backMs);
        if (Atomics.compareExchange(states, found.place, found.state, next) === found.state) {
          return;
        }
      }
    },
  };
}
