import type { LiveCall, LiveCallsEvent, LiveCoverageEvent } from "@turnpike/contract/live-calls";
import { RequestError, toErrorMessage } from "#platform/error-message.ts";
import type { ServerEvent } from "#platform/event-client.ts";

/** The number of rows kept, and as many again while they are held back. */
export const TAIL_ROWS_MAX = 5_000;

export type TailRow = { seq: number } & (
  | { kind: "call"; call: LiveCall }
  /** The connection was lost between the two; calls from that time are not shown. */
  | { kind: "gap"; fromMs: number; toMs: number }
);

export type TailState = {
  connection: "connecting" | "live" | "lost" | "refused";
  /** Why the connection was lost or refused. */
  failure: string | undefined;
  isPaused: boolean;
  /** Newest first. */
  rows: readonly TailRow[];
  /** Rows that arrived while paused, shown on resume; `heldLost` counts those that did not fit. */
  held: number;
  heldLost: number;
  /** Calls that came too fast to be sent, since the start or the last clear. */
  dropped: number;
  /** False while only some of the server processes are heard. */
  isWhole: boolean;
};

export type LiveTail = {
  getState(): TailState;
  subscribe(listener: () => void): () => void;
  /** Starts following. @returns A function that stops it. */
  start(): () => void;
  pause(): void;
  resume(): void;
  clear(): void;
};

export type LiveTailDeps = {
  open(signal: AbortSignal): AsyncIterable<ServerEvent>;
  /** Runs work before the next frame is drawn, so that each frame is drawn once however many events arrive. */
  onNextFrame(work: () => void): void;
  wait(ms: number, signal: AbortSignal): Promise<void>;
  now(): number;
};

const RETRY_MS = [1_000, 2_000, 5_000, 10_000] as const;
const RETRY_MS_LAST = 15_000;
/** Statuses that a retry would get again: no access, or an invalid question. */
const FINAL_STATUSES = new Set([400, 403, 404]);

const EMPTY: TailState = {
  connection: "connecting",
  failure: undefined,
  isPaused: false,
  rows: [],
  held: 0,
  heldLost: 0,
  dropped: 0,
  isWhole: true,
};

/** Follows the calls of a tenant and keeps the last ones, bounded, for a list to draw. */
export function createLiveTail(deps: LiveTailDeps): LiveTail {
  const listeners = new Set<() => void>();
  let state = EMPTY;
  let seq = 0;
  /** Rows that arrived since the last frame or the pause, newest last. */
  let arrived: TailRow[] = [];
  let isFrameAsked = false;
  let lostAtMs: number | undefined;

  function change(part: Partial<TailState>): void {
    state = { ...state, ...part };
    for (const listener of listeners) {
      listener();
    }
  }

  function showArrived(): void {
    isFrameAsked = false;
    if (state.isPaused) {
      const heldLost = Math.max(0, arrived.length - TAIL_ROWS_MAX);
      arrived = arrived.slice(-TAIL_ROWS_MAX);
      change({ held: arrived.length, heldLost: state.heldLost + heldLost });
      return;
    }
    const rows = [...arrived.toReversed(), ...state.rows].slice(0, TAIL_ROWS_MAX);
    arrived = [];
    change({ rows, held: 0, heldLost: 0 });
  }

  function askFrame(): void {
    if (!isFrameAsked) {
      isFrameAsked = true;
      deps.onNextFrame(showArrived);
    }
  }

  function add(row: TailRow): void {
    arrived.push(row);
    if (arrived.length >= 2 * TAIL_ROWS_MAX) {
      // No frame is drawn while the page is hidden, so the queue is bounded here as well.
      const heldLost = state.isPaused ? arrived.length - TAIL_ROWS_MAX : 0;
      arrived = arrived.slice(-TAIL_ROWS_MAX);
      state = { ...state, heldLost: state.heldLost + heldLost };
    }
    askFrame();
  }

  function hear(event: ServerEvent): void {
    if (event.name === "coverage") {
      change({ isWhole: (event.data as LiveCoverageEvent).isWhole });
    }
    if (event.name === "calls") {
      const { calls, dropped } = event.data as LiveCallsEvent;
      for (const call of calls) {
        seq += 1;
        add({ kind: "call", seq, call });
      }
      if (dropped > 0) {
        change({ dropped: state.dropped + dropped });
      }
    }
  }

  function begin(): void {
    if (lostAtMs !== undefined && seq > 0) {
      seq += 1;
      add({ kind: "gap", seq, fromMs: lostAtMs, toMs: deps.now() });
    }
    lostAtMs = undefined;
    change({ connection: "live", failure: undefined });
  }

  async function followOnce(signal: AbortSignal): Promise<"again" | "refused"> {
    let isBegun = false;
    let heardAtMs = 0;
    try {
      for await (const event of deps.open(signal)) {
        if (!isBegun) {
          isBegun = true;
          begin();
        }
        heardAtMs = deps.now();
        hear(event);
      }
      return "again";
    } catch (error) {
      const isRefused = error instanceof RequestError && FINAL_STATUSES.has(error.status ?? 0);
      change({
        connection: isRefused ? "refused" : "lost",
        failure: toErrorMessage(error),
      });
      return isRefused ? "refused" : "again";
    } finally {
      if (isBegun) {
        // Not now: a silent connection is lost before anyone notices.
        lostAtMs = heardAtMs;
      }
    }
  }

  async function follow(signal: AbortSignal): Promise<void> {
    let attempt = 0;
    while (!signal.aborted) {
      const seen = seq;
      if ((await followOnce(signal)) === "refused" || signal.aborted) {
        return;
      }
      attempt = seq > seen || state.connection === "live" ? 0 : attempt + 1;
      change({ connection: "lost" });
      await deps.wait(RETRY_MS[attempt] ?? RETRY_MS_LAST, signal);
    }
  }

  return {
    getState: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start() {
      const ending = new AbortController();
      change({ connection: "connecting", failure: undefined });
      void follow(ending.signal);
      return () => ending.abort();
    },
    pause: () => change({ isPaused: true }),
    resume() {
      change({ isPaused: false });
      askFrame();
    },
    clear() {
      arrived = [];
      change({ rows: [], held: 0, heldLost: 0, dropped: 0 });
    },
  };
}
