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
  /** Entries given to a bucket so far, so that no two of them begin with the same state. */
  claims: BigInt64Array<SharedArrayBuffer>;
  /** Four words of the SHA-256 of the bucket's name for each entry; the first is 0 where there never was one. */
  tags: Int32Array<SharedArrayBuffer>;
  /** The bits of `fullAtMs`, or {@link CLAIMED}. */
  states: BigInt64Array<SharedArrayBuffer>;
  /** A word of the SHA-256 of the payer of each entry. */
  payers: Int32Array<SharedArrayBuffer>;
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
   * @param payer - Whose share of the table the bucket takes. Where no entry is free, the payer with the most entries loses
   *   the one that is nearest to full. Left out: the bucket pays for itself.
   * @throws {RateTableFullError} when there is no free entry for the bucket, and no other payer has two more than its own.
   */
  take(bucket: string, rateLimit: RateLimit, cost: number, payer?: string): SharedTake;
  /**
   * Gives back what a call took that another limit refused a moment later. What the bucket may have leaked since
   * `takenAtMs` is not given back, so that no order of threads lets more pass than the limit.
   */
  giveBack(bucket: string, rateLimit: RateLimit, taken: { cost: number; takenAtMs: number }): void;
}

/** All entries that a bucket may use hold calls, and forgetting one would let its owner start afresh. */
export class RateTableFullError extends Error {
  override readonly name = "RateTableFullError";
}

export type SharedRateTableOptions = {
  /** Number of this thread, 1 or more; no two threads that live have the same. */
  holder: number;
  /** When a bucket finds no free entry: `refuse`, or forget the one that is nearest to full. */
  whenFull: "refuse" | "forget";
  /** The clock of all threads; for tests. */
  nowMs?: () => number;
};

/** Entries that one bucket may use; all are searched when it is not where it was last. */
const SET_SIZE = 64;
const TAG_WORDS = 4;
/** Where buckets were last found, for each thread; beyond it is begun anew. */
const KNOWN_MAX = 50_000;
/** Changing the owner of an entry takes microseconds; a thread that died in it is noticed within milliseconds. */
const MUTEX_TIMEOUT_MS = 2_000;
/** A state that no clock gives, NaN: the entry is changing its owner. */
const CLAIMED = 0x7ff8_dead_0000_0000n;
const FULL: RateLimitState = { fullAtMs: 0 };

type Entry = { position: number; state: bigint; fullAtMs: number };
type Known = { position: number; tag: readonly [number, number, number, number] };

/** @param entries - Rounded up to a multiple of 64. Each takes 28 bytes, once it is used. */
export function createSharedRateMemory(entries: number): SharedRateMemory {
  const count = Math.ceil(entries / SET_SIZE) * SET_SIZE;
  return {
    originNs: process.hrtime.bigint(),
    mutex: new Int32Array(new SharedArrayBuffer(4)),
    claims: new BigInt64Array(new SharedArrayBuffer(8)),
    tags: new Int32Array(new SharedArrayBuffer(count * TAG_WORDS * 4)),
    states: new BigInt64Array(new SharedArrayBuffer(count * 8)),
    payers: new Int32Array(new SharedArrayBuffer(count * 4)),
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
 * Only one thread at a time gives an entry to a bucket. An entry is given to another bucket when its own is full
 * again, which loses nothing.
 */
export function openSharedRateTable(
  memory: SharedRateMemory,
  options: SharedRateTableOptions,
): SharedRateTable {
  const { tags, states, mutex, claims, payers } = memory;
  const sets = states.length / SET_SIZE;
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

  function hasTag(position: number, [a, b, c, d]: Known["tag"]): boolean {
    const at = position * TAG_WORDS;
    return (
      Atomics.load(tags, at) === a &&
      Atomics.load(tags, at + 1) === b &&
      Atomics.load(tags, at + 2) === c &&
      Atomics.load(tags, at + 3) === d
    );
  }

  /** The position of a bucket and its state; the state is read before the tag, so that an entry that changed its owner since is seen. */
  function findIn(
    first: number,
    tag: Known["tag"],
  ): { position: number; state: bigint } | undefined {
    for (let position = first; position < first + SET_SIZE; position += 1) {
      if (Atomics.load(tags, position * TAG_WORDS) === tag[0]) {
        const state = Atomics.load(states, position);
        if (state !== CLAIMED && hasTag(position, tag)) {
          return { position, state };
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
      first: (digest.readUInt32LE(16) % sets) * SET_SIZE,
      tag: [word, digest.readInt32LE(4), digest.readInt32LE(8), digest.readInt32LE(12)],
    };
  }

  function remember(bucket: string, entry: Known): void {
    if (known.size >= KNOWN_MAX) {
      known.clear();
    }
    known.set(bucket, entry);
  }

  function find(bucket: string): { position: number; state: bigint } | undefined {
    const last = known.get(bucket);
    if (last !== undefined) {
      const state = Atomics.load(states, last.position);
      if (state !== CLAIMED && hasTag(last.position, last.tag)) {
        return { position: last.position, state };
      }
    }
    const { first, tag } = describe(bucket);
    const found = findIn(first, tag);
    if (found !== undefined) {
      remember(bucket, { position: found.position, tag });
    }
    return found;
  }

  /** The entry of a set that is nearest to full, of one payer or of all. Undefined when the payer has none. */
  function findNearest(first: number, payer?: number): Entry | undefined {
    let nearest: Entry | undefined;
    for (let position = first; position < first + SET_SIZE; position += 1) {
      const state = Atomics.load(states, position);
      const fullAtMs = toNumber(state);
      if (
        (payer === undefined || payers[position] === payer) &&
        (nearest === undefined || fullAtMs < nearest.fullAtMs)
      ) {
        nearest = { position, state, fullAtMs };
      }
    }
    return nearest;
  }

  /** The payer with the most entries of a set, if it would still have more than `payer` after both have changed. */
  function findGreedier(first: number, payer: number): number | undefined {
    const counts = new Map<number, number>();
    for (const one of payers.subarray(first, first + SET_SIZE)) {
      counts.set(one, (counts.get(one) ?? 0) + 1);
    }
    const own = counts.get(payer) ?? 0;
    let greediest: { payer: number; count: number } | undefined;
    for (const [one, count] of counts) {
      if (count > (greediest?.count ?? 0)) {
        greediest = { payer: one, count };
      }
    }
    return greediest !== undefined && greediest.count > own + 1 ? greediest.payer : undefined;
  }

  function findDispensable(first: number, payer: number): Entry | undefined {
    const nearest = findNearest(first);
    if (nearest === undefined || nearest.fullAtMs < nowMs() || options.whenFull === "forget") {
      return nearest;
    }
    const greedier = findGreedier(first, payer);
    return greedier === undefined ? undefined : findNearest(first, greedier);
  }

  /** Frees an entry of the set for a bucket of this payer. Only while the mutex is held. */
  function freeEntry(first: number, payer: number): number {
    for (let position = first; position < first + SET_SIZE; position += 1) {
      // One that is being claimed while the mutex is ours was left behind by a thread that died.
      if (
        Atomics.load(states, position) === CLAIMED ||
        Atomics.load(tags, position * TAG_WORDS) === 0
      ) {
        Atomics.store(states, position, CLAIMED);
        return position;
      }
    }
    const found = findDispensable(first, payer);
    if (found === undefined) {
      throw new RateTableFullError("Too many rate limits are in use at once.");
    }
    const { position, state } = found;
    // A call that was taken this very moment makes it needed again.
    return Atomics.compareExchange(states, position, state, CLAIMED) === state
      ? position
      : freeEntry(first, payer);
  }

  function claim(bucket: string, payer: string): void {
    const { first, tag } = describe(bucket);
    const payerWord = hash("sha256", payer, "buffer").readInt32LE(0);
    withMutex(mutex, { holder: options.holder, timeoutMs: MUTEX_TIMEOUT_MS }, () => {
      if (findIn(first, tag) !== undefined) {
        return;
      }
      const position = freeEntry(first, payerWord);
      payers[position] = payerWord;
      const at = position * TAG_WORDS;
      for (const [index, word] of tag.entries()) {
        Atomics.store(tags, at + index, word);
      }
      // Before all time, so full; and unlike any state before, so that a thread that still holds the old state changes nothing.
      const claimed = Atomics.add(claims, 0, 1n) + 1n;
      Atomics.store(states, position, toBits(-Number(claimed)));
      remember(bucket, { position, tag });
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
    take(bucket, rateLimit, cost, payer = bucket) {
      for (;;) {
        const found = find(bucket);
        if (found === undefined) {
          claim(bucket, payer);
          continue;
        }
        const { position, state } = found;
        const { decision, takenAtMs } = decide(state, rateLimit, cost);
        if (!decision.allowed) {
          return { decision, takenAtMs };
        }
        const next = toBits(decision.next.fullAtMs);
        if (Atomics.compareExchange(states, position, state, next) === state) {
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
        if (Atomics.compareExchange(states, found.position, found.state, next) === found.state) {
          return;
        }
      }
    },
  };
}
