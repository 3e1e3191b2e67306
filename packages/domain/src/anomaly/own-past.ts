/**
 * The past of a statistic: the largest value of each block of points, the largest blocks first. An incident lasts for many
 * points, and a bound from points would rise to its height; it is one or two blocks.
 */
export type OwnPast = {
  readonly largest: Float64Array;
  kept: number;
  blocks: number;
  inBlock: number;
  blockMax: number;
};

const BLOCK_POINTS = 48;
/** The share of past blocks that reach above the bound. */
const SHARE_ABOVE = 0.03;
/** Blocks before the first comparison. */
const BLOCKS_NEEDED = 2;
/** What never was above zero has no bound. */
const RATIO_MAX = 20;
/** Blocks that are kept: enough for 400,000 points, after which the bound keeps the last rank. */
const KEPT_MAX = 256;

export function createOwnPast(): OwnPast {
  return { largest: new Float64Array(KEPT_MAX), kept: 0, blocks: 0, inBlock: 0, blockMax: 0 };
}

/**
 * Compares the next value with the bound: 3 % of the past blocks reach above it, at first none.
 *
 * @returns How many times the bound it is, at most 20; 0 as long as there is too little past.
 */
export function compareWithPast(past: OwnPast, value: number): number {
  if (past.blocks < BLOCKS_NEEDED || value === 0) {
    return 0;
  }
  const rank = Math.min(KEPT_MAX - 1, Math.floor(past.blocks * SHARE_ABOVE));
  return Math.min(RATIO_MAX, value / (past.largest[rank] ?? 0));
}

function keep(past: OwnPast, value: number): void {
  const { largest } = past;
  const isFull = past.kept === KEPT_MAX;
  if (isFull && value <= (largest[KEPT_MAX - 1] ?? 0)) {
    return;
  }
  let at = isFull ? KEPT_MAX - 1 : past.kept;
  while (at > 0 && (largest[at - 1] ?? 0) < value) {
    largest[at] = largest[at - 1] ?? 0;
    at -= 1;
  }
  largest[at] = value;
  past.kept = Math.min(KEPT_MAX, past.kept + 1);
}

/** Adds a value of a statistic, which must not be negative. */
export function addToPast(past: OwnPast, value: number): void {
  past.blockMax = Math.max(past.blockMax, value);
  past.inBlock += 1;
  if (past.inBlock === BLOCK_POINTS) {
    keep(past, past.blockMax);
    past.blocks += 1;
    past.inBlock = 0;
    past.blockMax = 0;
  }
}
