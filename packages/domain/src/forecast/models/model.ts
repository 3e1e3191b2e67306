/** Continues values by `horizon` steps. */
export type Continuation = (values: readonly number[], horizon: number) => number[];

/** One way to forecast a series. */
export type Model = {
  readonly name: string;
  /** Fewest values that it can be fitted to. */
  readonly valuesMin: number;
  /**
   * Chooses what is slow to choose from the values. What it returns continues these or later values of the same series.
   * Deterministic, and from the given values alone.
   */
  readonly prepare: (values: readonly number[]) => Continuation;
};
