import { setImmediate as nextTurn } from "node:timers/promises";

/** Long enough that the pauses cost nothing, short enough that a call which waits does not notice one. */
const SLICE_MS = 8;

/** Work of one request on the thread that serves all: it pauses whenever its slice is over. */
export type TimeSlices = {
  /** Lets everything that waits run, and begins a new slice. */
  next(): Promise<void>;
  /** `values.map(work)`, with pauses in between; in order. */
  map<Value, Result>(values: readonly Value[], work: (value: Value) => Result): Promise<Result[]>;
};

export function createTimeSlices(monotonicMs: () => number): TimeSlices {
  let endsAtMs = monotonicMs() + SLICE_MS;

  async function next(): Promise<void> {
    await nextTurn();
    endsAtMs = monotonicMs() + SLICE_MS;
  }

  return {
    next,
    async map(values, work) {
      const results: ReturnType<typeof work>[] = [];
      for (const value of values) {
        if (monotonicMs() >= endsAtMs) {
          await next();
        }
        results.push(work(value));
      }
      return results;
    },
  };
}
