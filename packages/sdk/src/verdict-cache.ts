import type { VerifyReply } from "./verification.ts";

export type VerdictCache = {
  /** The verdict of a key, unless it is too old. */
  find(name: string): VerifyReply | undefined;
  /** Stores a verdict, unless it has already expired. */
  keep(name: string, reply: VerifyReply, endsAtMs: number): void;
  drop(name: string): void;
  size(): number;
};

/**
 * Keeps verdicts in memory, the most recently used of them, none beyond its end.
 *
 * @param options.entriesMax - Bounds the memory, even when someone sends a new made-up key with each call.
 * @param options.nowMs - Monotonic milliseconds.
 */
export function createVerdictCache(options: {
  entriesMax: number;
  nowMs: () => number;
}): VerdictCache {
  const entries = new Map<string, { reply: VerifyReply; endsAtMs: number }>();
  return {
    find(name) {
      const entry = entries.get(name);
      if (entry === undefined) {
        return;
      }
      entries.delete(name);
      if (entry.endsAtMs <= options.nowMs()) {
        return;
      }
      // A map keeps insertion order: what was just used moves to the end.
      entries.set(name, entry);
      return entry.reply;
    },
    keep(name, reply, endsAtMs) {
      entries.delete(name);
      if (endsAtMs <= options.nowMs()) {
        return;
      }
      entries.set(name, { reply, endsAtMs });
      if (entries.size > options.entriesMax) {
        const [oldest] = entries.keys();
        entries.delete(oldest ?? name);
      }
    },
    drop: (name) => void entries.delete(name),
    size: () => entries.size,
  };
}
