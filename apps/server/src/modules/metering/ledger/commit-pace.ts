import { setImmediate as immediate } from "node:timers/promises";
import type { Clock } from "#platform/clock.ts";

/** How a commit leaves calls their time. */
export type CommitPace = {
  /** Does a piece of work, during which calls wait, then leaves them their time. */
  work<Result>(piece: () => Result): Promise<Result>;
  /** Leaves calls the time of a core that the database may share with them, after a statement. */
  afterStatement(): Promise<void>;
};

/** For commits that need not leave time to calls. */
export const NO_PACE: CommitPace = {
  work: (piece) => Promise.resolve(piece()),
  afterStatement: () => Promise.resolve(),
};

/**
 * The pause after a commit or a piece of work, as a multiple of how long it took. So the ledger takes at most a tenth of the
 * database and of the process, however heavy the load, and an idle one commits within milliseconds.
 */
const PAUSE_FACTOR = 9;
/** The longest pause between two commits. With the commit itself, this is how far a dashboard may lag behind. */
const COMMIT_PAUSE_MAX_MS = 3_000;
/** Work that may gather within a commit before calls get their time: summing a few busy seconds at once would delay them. */
const PIECE_MS = 0.5;
/** The longest pause within a commit, and all of them together: the database waits for the end of the commit. */
const PIECE_PAUSE_MAX_MS = 50;
const PIECE_PAUSES_MAX_MS = 10_000;
/** The pause after a statement. Short, because other processes that write usage of the same keys wait for all statements. */
const STATEMENT_PAUSE_MS = 6;

export type CommitPacerDeps = {
  clock: Pick<Clock, "monotonicMs">;
  /** Lets time go by; rejects at once when the signal aborts. */
  pause(ms: number, signal: AbortSignal): Promise<unknown>;
};

/** Decides how long commits pause, and ends the pauses while someone waits for a commit. */
export class CommitPacer {
  readonly #deps: CommitPacerDeps;
  #nextCommitAtMs = 0;
  /** How many callers wait for a commit to end. */
  #hurrying = 0;
  #hurry = new AbortController();

  constructor(deps: CommitPacerDeps) {
    this.#deps = deps;
  }

  /** Does something that waits for a commit, or for rows that it has locked. Commits make no pauses meanwhile. */
  async hurry<Result>(wait: () => Promise<Result>): Promise<Result> {
    this.#hurrying += 1;
    this.#hurry.abort();
    this.#hurry = new AbortController();
    try {
      return await wait();
    } finally {
      this.#hurrying -= 1;
    }
  }

  /** Waits until the next commit is due. @param isFull - True when nothing can join it: then waiting makes nothing cheaper. */
  async waitForNextCommit(isFull: boolean): Promise<void> {
    const pauseMs = this.#nextCommitAtMs - this.#deps.clock.monotonicMs();
    if (this.#hurrying === 0 && !isFull && pauseMs > 0) {
      await this.#pause(pauseMs);
    }
  }

  /** Runs a commit and sets when the next one is due. */
  async time(commit: () => Promise<unknown>): Promise<void> {
    const startedAtMs = this.#deps.clock.monotonicMs();
    await commit();
    const endedAtMs = this.#deps.clock.monotonicMs();
    const pauseMs = (endedAtMs - startedAtMs) * PAUSE_FACTOR;
    this.#nextCommitAtMs = endedAtMs + Math.min(COMMIT_PAUSE_MAX_MS, pauseMs);
  }

  /** The pace within one commit. @param isFollowed - True when the next commit waits already: then calls get a single turn. */
  createPace(isFollowed: () => boolean): CommitPace {
    const { clock } = this.#deps;
    let workedMs = 0;
    let pausedMs = 0;

    const leaveCalls = async (pauseMs: number): Promise<void> => {
      if (this.#hurrying > 0 || isFollowed() || pausedMs + pauseMs > PIECE_PAUSES_MAX_MS) {
        await immediate();
        return;
      }
      pausedMs += pauseMs;
      await this.#pause(pauseMs);
    };

    return {
      work: async (piece) => {
        const startedAtMs = clock.monotonicMs();
        const result = piece();
        workedMs += clock.monotonicMs() - startedAtMs;
        if (workedMs >= PIECE_MS) {
          const pauseMs = Math.min(PIECE_PAUSE_MAX_MS, workedMs * PAUSE_FACTOR);
          workedMs = 0;
          await leaveCalls(pauseMs);
        }
        return result;
      },
      afterStatement: () => leaveCalls(STATEMENT_PAUSE_MS),
    };
  }

  async #pause(pauseMs: number): Promise<void> {
    // It rejects only when someone hurries, which ends the pause as well.
    await this.#deps.pause(pauseMs, this.#hurry.signal).catch(() => undefined);
  }
}
