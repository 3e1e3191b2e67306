import { ANOMALOUS } from "../anomaly/detector.ts";

const DAY_MS = 24 * 60 * 60_000;
const HALF_LIFE_MS = 30 * DAY_MS;
const STEP = 0.1;
/** What is nine times as unusual as an anomaly must be is shown to everyone. */
const RAISED_MAX = 0.9;
/** Less than this is forgotten: a vote alone lasts sixty days. */
const NET_LEAST = 0.25;

/** What a member said of an insight, and when. */
export type Vote = { isUseful: boolean; ratedAtMs: number };

/** "Not useful" beyond "useful"; a vote counts half after thirty days. */
function netOf(votes: readonly Vote[], nowMs: number): number {
  return votes.reduce((net, { isUseful, ratedAtMs }) => {
    const weight = 2 ** (-Math.max(0, nowMs - ratedAtMs) / HALF_LIFE_MS);
    return net + (isUseful ? -weight : weight);
  }, 0);
}

/**
 * How confident an anomaly must be to be shown, given what was said of others like it: 0.5, and 0.1 more for each "not useful"
 * beyond "useful", up to 0.9. Votes fade; old and few ones are forgotten.
 *
 * Example: two "not useful" of today: 0.7; in thirty days: 0.6; in ninety: 0.5 again.
 */
export function requiredConfidence(votes: readonly Vote[], nowMs: number): number {
  const net = netOf(votes, nowMs);
  return net <= NET_LEAST ? ANOMALOUS : Math.min(RAISED_MAX, ANOMALOUS + STEP * net);
}

/** When the votes are forgotten, without others; `undefined` when they raise nothing. */
export function forgottenAtMs(votes: readonly Vote[], nowMs: number): number | undefined {
  const net = netOf(votes, nowMs);
  return net <= NET_LEAST ? undefined : nowMs + HALF_LIFE_MS * Math.log2(net / NET_LEAST);
}
