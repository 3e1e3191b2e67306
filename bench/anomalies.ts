import { detectAnomalies } from "@turnpike/domain/anomaly/detect-anomalies";
import { ANOMALOUS, createDetector } from "@turnpike/domain/anomaly/detector";
import { createCorpus, type LabelledSeries } from "./anomalies/corpus.ts";
import { scoreByNab } from "./anomalies/nab-score.ts";
import { readSeries } from "./anomalies/read-series.ts";
import type { Bench, BenchOptions, BenchResult } from "./rig/bench.ts";
import { median, round } from "./rig/statistics.ts";

const SEED = 1;
const SERIES_OF_A_KIND = 40;
const LONG = 200_000;
const MB = 1024 ** 2;

type Outcome = { kind: string; isFound: boolean; delay: number | undefined; falseAlarms: number };

/** Counts on a logarithmic scale, on which growth is a straight line, as insights judge them. */
function judge({ kind, points, incidents: [incident] }: LabelledSeries): Outcome {
  const scaled = points.map(({ timeMs, value }) => ({ timeMs, value: Math.log1p(value) }));
  const fires = detectAnomalies(scaled).flatMap(({ score }, at) => (score > ANOMALOUS ? [at] : []));
  const isTrue = (at: number) => incident !== undefined && at >= incident.from && at < incident.to;
  const first = fires.find(isTrue);
  return {
    kind,
    isFound: first !== undefined,
    delay: first === undefined || incident === undefined ? undefined : first - incident.from,
    falseAlarms: fires.filter((at) => !isTrue(at)).length,
  };
}

function runOnCorpus(): BenchResult {
  const corpus = createCorpus(SEED, SERIES_OF_A_KIND);
  const outcomes = corpus.map(judge);
  const kinds = [...new Set(corpus.map(({ kind }) => kind))];
  const isIncident = (kind: string) =>
    corpus.some((series) => series.kind === kind && series.incidents.length > 0);
  const found = outcomes.filter(({ isFound }) => isFound).length;
  const falseAlarms = outcomes.reduce((sum, outcome) => sum + outcome.falseAlarms, 0);
  const incidents = corpus.filter((series) => series.incidents.length > 0).length;
  return {
    table: kinds.map((kind) => {
      const ofKind = outcomes.filter((outcome) => outcome.kind === kind);
      const delays = ofKind.flatMap(({ delay }) => (delay === undefined ? [] : [delay]));
      const hits = ofKind.filter(({ isFound }) => isFound).length;
      return {
        kind,
        series: ofKind.length,
        "recall %": isIncident(kind) ? Math.round((100 * hits) / ofKind.length) : "none to find",
        "delay, points": delays.length === 0 ? "" : median(delays),
        "false alarms": ofKind.reduce((sum, outcome) => sum + outcome.falseAlarms, 0),
      };
    }),
    ratios: { recall: round(found / incidents), precision: round(found / (found + falseAlarms)) },
    figures: { falseAlarmsPerYearOfHours: round((falseAlarms / corpus.length) * (365 / 42)) },
    remarks: [
      `${String(corpus.length)} generated series of six weeks of hours; counts on a logarithmic scale. An incident is found from its start to a day after its end.`,
    ],
  };
}

async function runOnSeries(folder: string): Promise<BenchResult> {
  const scored = (await readSeries(folder)).map(({ points, windows, name }) => ({
    name,
    windows,
    scores: detectAnomalies(points).map(({ score }) => score),
  }));
  const result = scoreByNab(scored);
  return {
    table: scored.map(({ name, scores, windows }) => ({
      series: name,
      points: scores.length,
      windows: windows.length,
      anomalies: scores.filter((score) => score > ANOMALOUS).length,
    })),
    ratios: { nabStandard: round(result.score / 100, 4) },
    figures: {
      nabStandardScore: round(result.score),
      threshold: round(result.threshold, 4),
      windowsFound: result.found,
      windows: result.windows,
      falseAlarms: result.falseAlarms,
    },
    remarks: ["Standard profile of the Numenta Anomaly Benchmark, one threshold for all series."],
  };
}

/** Processor time of a point of a long series, and how much the detector holds at its end. */
function measureCost(): { microsPerPoint: number; detectorMb: number } {
  const [series] = createCorpus(SEED, 1);
  const points = series?.points ?? [];
  const detector = createDetector();
  globalThis.gc?.();
  const before = process.memoryUsage().arrayBuffers;
  const started = process.cpuUsage();
  for (let at = 0; at < LONG; at += 1) {
    const value = points[at % points.length]?.value ?? 0;
    detector.next({ timeMs: at * 300_000, value });
  }
  const { user, system } = process.cpuUsage(started);
  globalThis.gc?.();
  return {
    microsPerPoint: (user + system) / LONG,
    detectorMb: (process.memoryUsage().arrayBuffers - before) / MB,
  };
}

async function run({ data }: BenchOptions): Promise<BenchResult> {
  const result = data === undefined ? runOnCorpus() : await runOnSeries(data);
  const { microsPerPoint, detectorMb } = measureCost();
  return {
    ...result,
    figures: {
      ...result.figures,
      microsPerPoint: round(microsPerPoint),
      detectorMb: round(detectorMb),
    },
    remarks: [
      ...result.remarks,
      `${String(LONG)} points through one detector: ${microsPerPoint.toFixed(1)} µs of processor time a point.`,
    ],
  };
}

export const anomaliesBench: Bench = {
  name: "anomalies",
  summary:
    "how well and how fast anomalies are found, in incidents of known kinds or in the series of --data",
  defaults: { seconds: 1, rounds: 1 },
  run,
};
