import type { CallMeasure, MeteredCall } from "#modules/metering/index.ts";

/** Sees calls while someone watches. */
export interface CallObserver {
  /** False while no one watches; a call then pays only for reading this. */
  readonly isWatching: boolean;
  /**
   * Called when a call is over. Must return at once and never throw.
   *
   * @param measure - Undefined for what is not measured: a denial, a verification.
   */
  see(call: MeteredCall, measure?: CallMeasure): void;
}
