import {
  LIVE_CALLS_BATCH_MAX,
  type LiveCall,
  type LiveCallsEvent,
} from "@turnpike/contract/live-calls";
import { type LiveFilters, matchesLiveFilters } from "./match-live-call.ts";

/** Calls that wait for one reader; about a quarter of a megabyte. */
const WAITING_MAX = 1_000;

/** Holds the calls that wait for one reader. Calls that do not fit are counted and dropped: a call never waits for a reader. */
export class LiveWatch {
  readonly #filters: LiveFilters;
  /** Wakes the reader: calls wait, or the coverage has changed. */
  readonly wake: () => void;
  #waiting: LiveCall[] = [];
  #dropped = 0;

  constructor(filters: LiveFilters, wake: () => void) {
    this.#filters = filters;
    this.wake = wake;
  }

  offer(call: LiveCall): void {
    if (!matchesLiveFilters(this.#filters, call)) {
      return;
    }
    if (this.#waiting.length >= WAITING_MAX) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(call);
    this.wake();
  }

  /** Counts calls that were lost on their way here, whether they would match the filters or not. */
  miss(count: number): void {
    this.#dropped += count;
    this.wake();
  }

  /** Takes the oldest waiting calls, as many as one event holds; `undefined` when there are none. */
  take(): LiveCallsEvent | undefined {
    const calls = this.#waiting.splice(0, LIVE_CALLS_BATCH_MAX);
    const dropped = this.#dropped;
    this.#dropped = 0;
    return calls.length === 0 && dropped === 0 ? undefined : { calls, dropped };
  }
}
