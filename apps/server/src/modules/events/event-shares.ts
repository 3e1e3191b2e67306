import { AppError } from "@turnpike/domain/errors/app-error";
import { judgeShare } from "@turnpike/domain/limits/fair-share";

/** Bodies that are in memory at once, in this process: a body of JSON becomes about ten times as large while it is read. */
const BYTES_MAX = 16 * 1024 * 1024;
/** What a request costs beside its body: else very many small ones would fill the memory. */
const REQUEST_BYTES = 4 * 1024;
/** In what steps room is made for a body whose length is not announced. */
const CHUNK_BYTES = 64 * 1024;

/** What a request has of the memory, until it is answered. */
export type EventShare = {
  /** Makes room for a body of this length. @throws {AppError} as {@link EventShares.take} does. */
  ensure(bytes: number): void;
  release(): void;
};

export type EventShares = {
  /**
   * Counts a request from before its body is read.
   *
   * @param bytes - Of the body, as announced; undefined when that is not known: then it is counted as it comes.
   * @throws {AppError} `TOO_MANY_EVENTS` when the sender must wait for itself, `OVERLOADED` when all must.
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
    // The rest of the body may not be read.
    headers: { "retry-after": "1", connection: "close" },
  });
}

/** Shares the memory for events between those who send them, so that none can push another away. */
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
