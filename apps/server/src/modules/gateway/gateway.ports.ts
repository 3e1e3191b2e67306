import type { CallMeasure, MeteredCall } from "#modules/metering/index.ts";

/** Sees calls while somebody looks on. */
export interface CallObserver {
  /** False while nobody does: all that a call then costs. */
  readonly isWatching: boolean;
  /**
   * Takes a call that is over; at once, and without ever failing it.
   *
   * @param measure - Undefined for what is not measured: a denial, a verification.
   */
  see(call: MeteredCall, measure?: CallMeasure): void;
}
