/** The scores of a series and its labelled windows, as indexes, both ends inclusive. */
export type ScoredSeries = { scores: readonly number[]; windows: readonly [number, number][] };
export type NabScore = {
  score: number;
  threshold: number;
  found: number;
  windows: number;
  falseAlarms: number;
};

const PROBATION = { share: 0.15, max: 750 };
const FALSE_ALARM_COST = 0.11;
const FAR = 3;

/** From 1 to -1, 0 at `y` 0. */
function sigmoid(y: number): number {
  return 2 / (1 + Math.exp(5 * y)) - 1;
}

type Detection = { score: number; worth: number; window?: string };

function listDetections({ scores, windows }: ScoredSeries, series: number): Detection[] {
  const first = Math.min(Math.floor(scores.length * PROBATION.share), PROBATION.max);
  const detections: Detection[] = [];
  for (let at = first; at < scores.length; at += 1) {
    const score = scores[at] ?? 0;
    const within = windows.findIndex(([from, to]) => at >= from && at <= to);
    const before = windows.filter(([, to]) => to < at).at(-1);
    const [from, to] = windows[within] ?? before ?? [0, 0];
    if (score <= 0) {
      continue;
    }
    if (within >= 0) {
      const y = -(to - at + 1) / (to - from + 1);
      detections.push({ score, worth: sigmoid(y) / sigmoid(-1), window: `${series}/${within}` });
    } else {
      const y = before === undefined ? Number.POSITIVE_INFINITY : (at - to) / (to - from);
      detections.push({ score, worth: FALSE_ALARM_COST * (y > FAR ? -1 : sigmoid(y)) });
    }
  }
  return detections;
}

/**
 * Scores a detector by the standard profile of the Numenta Anomaly Benchmark, with the one threshold for all series that is
 * best: 100 for each window found at its first point without a false alarm, 0 for a detector that never fires.
 */
export function scoreByNab(series: readonly ScoredSeries[]): NabScore {
  const windows = series.reduce((sum, one) => sum + one.windows.length, 0);
  const detections = series.flatMap(listDetections).sort((one, other) => other.score - one.score);
  const found = new Map<string, number>();
  let sum = -windows;
  let falseAlarms = 0;
  let best: NabScore = { score: 0, threshold: 1, found: 0, windows, falseAlarms: 0 };
  detections.forEach(({ score, worth, window }, index) => {
    if (window === undefined) {
      sum += worth;
      falseAlarms += 1;
    } else {
      const had = found.get(window);
      sum += had === undefined ? 1 + worth : Math.max(0, worth - had);
      found.set(window, Math.max(had ?? Number.NEGATIVE_INFINITY, worth));
    }
    const normalised = (100 * (sum + windows)) / (2 * windows);
    if (detections[index + 1]?.score !== score && normalised > best.score) {
      best = { score: normalised, threshold: score, found: found.size, windows, falseAlarms };
    }
  });
  return best;
}
