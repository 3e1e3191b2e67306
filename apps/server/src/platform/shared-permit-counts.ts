import { hash } from "node:crypto";
import type { PermitCounts } from "./permit-counts.ts";
import { releaseDeadHolder, withMutex } from "./shared-mutex.ts";

/** Memory in which the threads of a process count permits by owner; goes to each of them as it is. */
export type SharedPermitCountsMemory = {
  holders: number;
  mutex: Int32Array<SharedArrayBuffer>;
  /** Four words of the SHA-256 of the owner's name for each entry; the first is 0 where there is none. */
  tags: Int32Array<SharedArrayBuffer>;
  /** One row for each entry, one column for each thread: the permits that the thread holds for the owner. */
  held: Int32Array<SharedArrayBuffer>;
};

/** All entries that an owner may use belong to owners that hold permits. */
export class PermitCountsFullError extends Error {
  override readonly name = "PermitCountsFullError";
}

/** Entries that one owner may use. */
const SET_SIZE = 64;
const TAG_WORDS = 4;
/** Owners whose entry a thread remembers while it holds nothing for them. */
const KNOWN_MAX = 50_000;
/** Changing the owner of an entry takes microseconds; a thread that died in it is noticed within milliseconds. */
const MUTEX_TIMEOUT_MS = 2_000;

/** An entry as this thread knows it. While it holds a permit there, no thread gives the entry to another owner. */
type Entry = {
  position: number;
  tag: readonly [number, number, number, number];
  held: number;
};

/**
 * @param entries - Owners that hold permits at once, rounded up to a multiple of 64. Each takes 16 bytes and 4 more for each
 *   thread, once it is used.
 * @param holders - Threads, numbered from 1.
 */
export function createSharedPermitCountsMemory(
  entries: number,
  holders: number,
): SharedPermitCountsMemory {
  const count = Math.ceil(entries / SET_SIZE) * SET_SIZE;
  return {
    holders,
    mutex: new Int32Array(new SharedArrayBuffer(4)),
    tags: new Int32Array(new SharedArrayBuffer(count * TAG_WORDS * 4)),
    held: new Int32Array(new SharedArrayBuffer(count * holders * 4)),
  };
}

/** For the thread that watches the others: what a dead one held is free again. */
export function freeSharedPermitsOf(memory: SharedPermitCountsMemory, holder: number): void {
  const { held, holders } = memory;
  for (let at = holder - 1; at < held.length; at += holders) {
    if (Atomics.load(held, at) !== 0) {
      Atomics.store(held, at, 0);
    }
  }
  releaseDeadHolder(memory.mutex, holder);
}

/**
 * Counts on the entries of all threads of the process. A thread counts itself in before it looks at the sum, so two that ask
 * for the last permit at the same moment may both be refused; never do both get it.
 *
 * Only one thread at a time gives an entry to another owner, and only one that has no permits. It takes the name off before
 * it adds up, and the others look at the name after they have counted themselves in: one of the two sees the other.
 *
 * @param options.name - Keeps these owners apart from those of other counts on the same memory.
 * @param options.holder - Number of this thread, 1 or more; no two threads that live have the same.
 * @returns Counts of which `tryTake` throws {@link PermitCountsFullError}.
 */
export function openSharedPermitCounts(
  memory: SharedPermitCountsMemory,
  options: { name: string; holder: number },
): PermitCounts {
  const { tags, held, holders, mutex } = memory;
  const { holder, name } = options;
  const sets = tags.length / TAG_WORDS / SET_SIZE;
  const known = new Map<string, Entry>();

  function countAll(position: number): number {
    let count = 0;
    const first = position * holders;
    for (let at = first; at < first + holders; at += 1) {
      count += Atomics.load(held, at);
    }
    return count;
  }

  function hasTag({ position, tag: [a, b, c, d] }: Pick<Entry, "position" | "tag">): boolean {
    const at = position * TAG_WORDS;
    return (
      Atomics.load(tags, at) === a &&
      Atomics.load(tags, at + 1) === b &&
      Atomics.load(tags, at + 2) === c &&
      Atomics.load(tags, at + 3) === d
    );
  }

  function describe(owner: string): { first: number; tag: Entry["tag"] } {
    const digest = hash("sha256", `${name}|${owner}`, "buffer");
    // Never 0, which says that there is none.
    const word = digest.readInt32LE(0) | 1;
    return {
      first: (digest.readUInt32LE(16) % sets) * SET_SIZE,
      tag: [word, digest.readInt32LE(4), digest.readInt32LE(8), digest.readInt32LE(12)],
    };
  }

  function findIn(first: number, tag: Entry["tag"]): number | undefined {
    for (let position = first; position < first + SET_SIZE; position += 1) {
      if (hasTag({ position, tag })) {
        return position;
      }
    }
    return undefined;
  }

  function remember(owner: string, position: number, tag: Entry["tag"]): Entry {
    if (known.size >= KNOWN_MAX) {
      for (const [other, entry] of known) {
        if (entry.held === 0) {
          known.delete(other);
        }
      }
    }
    const entry = { position, tag, held: 0 };
    known.set(owner, entry);
    return entry;
  }

  /** Only while the mutex is held. */
  function freeEntry(first: number): number {
    for (let position = first; position < first + SET_SIZE; position += 1) {
      const at = position * TAG_WORDS;
      const word = Atomics.exchange(tags, at, 0);
      if (word === 0 || countAll(position) === 0) {
        return position;
      }
      Atomics.store(tags, at, word);
    }
    throw new PermitCountsFullError("Too many owners hold permits at once.");
  }

  function claim(owner: string): Entry {
    const { first, tag } = describe(owner);
    return withMutex(mutex, { holder, timeoutMs: MUTEX_TIMEOUT_MS }, () => {
      const found = findIn(first, tag);
      if (found !== undefined) {
        return remember(owner, found, tag);
      }
      const position = freeEntry(first);
      const at = position * TAG_WORDS;
      // The first word last: until then the entry belongs to no one.
      for (let index = TAG_WORDS - 1; index >= 0; index -= 1) {
        Atomics.store(tags, at + index, tag[index] ?? 0);
      }
      return remember(owner, position, tag);
    });
  }

  /** Where the owner is counted; `undefined` when no thread has counted it for a while. */
  function find(owner: string): Entry | undefined {
    const entry = known.get(owner);
    if (entry !== undefined && (entry.held > 0 || hasTag(entry))) {
      return entry;
    }
    const { first, tag } = describe(owner);
    const position = findIn(first, tag);
    return position === undefined ? undefined : remember(owner, position, tag);
  }

  return {
    tryTake(owner, max) {
      for (;;) {
        const entry = find(owner) ?? claim(owner);
        const at = entry.position * holders + holder - 1;
        Atomics.add(held, at, 1);
        if (entry.held > 0 || hasTag(entry)) {
          if (countAll(entry.position) <= max) {
            entry.held += 1;
            return true;
          }
          Atomics.sub(held, at, 1);
          return false;
        }
        Atomics.sub(held, at, 1);
      }
    },
    giveBack(owner) {
      const entry = known.get(owner);
      if (entry !== undefined && entry.held > 0) {
        entry.held -= 1;
        Atomics.sub(held, entry.position * holders + holder - 1, 1);
      }
    },
    held(owner) {
      const entry = find(owner);
      return entry === undefined ? 0 : countAll(entry.position);
    },
  };
}
