/** How long and how often a bench measures. Each has defaults of its own that keep a run under 90 seconds. */
export type BenchOptions = {
  /** Length of one round of load, seconds. */
  seconds: number;
  /** Rounds of each candidate; candidates take turns, so that a noisy minute hits all of them. */
  rounds: number;
  /** Keys of the larger side of `million-keys`. */
  keys: number;
  /** How many times as much the other tenants of `query` have. */
  scale: number;
  /** A folder of series to work on instead of those that are generated. */
  data?: string | undefined;
  /** Reports progress to a person, on standard error. */
  note: (text: string) => void;
};

export type BenchResult = {
  /** One row per candidate or step, for people. */
  table: Readonly<Record<string, string | number>>[];
  /** Named after what is compared with: `raw` is ours over raw node:http. */
  ratios: Readonly<Record<string, number>>;
  /** Absolute numbers, with the unit in the name. They are of this machine and this run. */
  figures: Readonly<Record<string, number>>;
  /** What a reader must know to judge the numbers. */
  remarks: readonly string[];
};

export type Bench = {
  name: string;
  /** True for a part of another bench, which can be run by itself and is left out of `all`. */
  isPart?: boolean;
  /** One sentence: what is measured against what. */
  summary: string;
  defaults: { seconds: number; rounds: number };
  run(options: BenchOptions): Promise<BenchResult>;
};

/** Several results as one, in their order; remarks that they share stand once. */
export function joinResults(results: readonly BenchResult[]): BenchResult {
  return {
    table: results.flatMap(({ table }) => table),
    ratios: Object.assign({}, ...results.map(({ ratios }) => ratios)),
    figures: Object.assign({}, ...results.map(({ figures }) => figures)),
    remarks: [...new Set(results.flatMap(({ remarks }) => remarks))],
  };
}
