import { AppError } from "@turnpike/domain/errors/app-error";
import { judgeShare } from "@turnpike/domain/limits/fair-share";

/** Bytes of bodies in memory at once, in this process. Parsed JSON takes about ten times as much. */
const BYTES_MAX = 16 * 1024 * 1024;
/** The overhead of a request on top of its body. Without it, many small requests could fill the memory. */
const REQUEST_BYTES = 4 * 1024;
/** The step in which room is reserved for a body of unknown length. */
const CHUNK_BYTES = 64 * 1024;

/** The memory that a request holds until it is answered. */
export type EventShare = {
  /** Reserves room for a body of this length. @throws {AppError} As {@link EventShares.take}. */
  ensure(bytes: number): void;
  release(): void;
};

export type EventShares = {
  /**
   * Counts a request before its body is read.
   *
   * @param bytes - Length of the body; undefined if it is not known, in which case bytes count as they arrive.
   * @throws {AppError} `TOO_MANY_EVENTS` when the sender has used its share, `OVERLOADED` when there is no room at all.
   */
  take(sender: string, bytes: number | undefined): EventShare;
};

function refuse(verdict: "over-share" | "full"): AppError {
  return new AppError({
    code: verdict === "full" ? "OVERLOADED" : "TOO_MANY_EVENTS",
    publicMessage:
      verdict === "full"
        ? "Too many events are being recorded. Send these again in a moment."
        : "Too many of your events are being recorded already. Send these again in a moment, and fewer at once.",
    // The rest of the body may remain unread.
    headers: { "retry-after": "1", connection: "close" },
  });
}

/** Divides the memory for events fairly between senders, so that none can crowd out another. */
export function createEventShares(bytesMax: number = BYTES_MAX): EventShares {
  const owned = new Map<string, number>();
  let taken = 0;

  function add(sender: string, asked: number): void {
    const own = owned.get(sender) ?? 0;
    const verdict = judgeShare({ whole: bytesMax, taken, own, asked });
    if (verdict !== "fits") {
      throw refuse(verdict);
    }
    taken += asked;
    owned.set(sender, own + asked);
  }

  return {
    take: (sender, bytes) => {
      let held = (bytes ?? CHUNK_BYTES) + REQUEST_BYTES;
      add(sender, held);
      return {
        ensure: (length) => {
          const needed = length + REQUEST_BYTES;
          if (needed > held) {
            const more = Math.max(needed - held, CHUNK_BYTES);
            add(sender, more);
            held += more;
          }
        },
        release: () => {
          taken -= held;
          const left = (owned.get(sender) ?? 0) - held;
          held = 0;
          if (left > 0) {
            owned.set(sender, left);
          } else {
            owned.delete(sender);
          }
        },
      };
    },
  };
}
