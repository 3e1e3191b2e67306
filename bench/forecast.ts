import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { forecastSeries } from "@turnpike/domain/forecast/forecast-series";
import { forecastTotals } from "@turnpike/domain/forecast/forecast-totals";
import { naive2 } from "./peers/naive2.ts";
import type { Bench, BenchOptions, BenchResult } from "./rig/bench.ts";
import { makeHourlyUsage } from "./rig/make-hourly-usage.ts";
import { round } from "./rig/statistics.ts";

const DAY = 24;
const SEASONS = [DAY, 7 * DAY];
const HORIZON = 48;
const SERIES = 60;
const HOURS = 42 * DAY;
const MONTH_DAYS = 30;
const KNOWN_DAYS = 5;

type Case = { known: number[]; actual: number[] };

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Mean symmetric error in per cent, as the M4 competition defined it. */
function smape(actual: readonly number[], forecast: readonly number[]): number {
  const errors = actual.map((value, step) => {
    const size = Math.abs(value) + Math.abs(forecast[step] ?? 0);
    return size === 0 ? 0 : (200 * Math.abs(value - (forecast[step] ?? 0))) / size;
  });
  return sum(errors) / errors.length;
}

/** Mean error in units of what repeating the day before gets wrong inside the history. */
function mase({ known, actual }: Case, forecast: readonly number[]): number {
  const usual = known.slice(DAY).map((value, at) => Math.abs(value - (known[at] ?? 0)));
  const errors = actual.map((value, step) => Math.abs(value - (forecast[step] ?? 0)));
  return sum(errors) / errors.length / (sum(usual) / usual.length);
}

function makeCases(): Case[] {
  return Array.from({ length: SERIES }, (_, seed) => {
    const values = makeHourlyUsage({ seed, hours: HOURS + HORIZON });
    return { known: values.slice(0, HOURS), actual: values.slice(HOURS) };
  });
}

function parseRow(line: string): number[] {
  const [, ...cells] = line.split(",");
  return cells
    .map((cell) => cell.replaceAll('"', ""))
    .filter(Boolean)
    .map(Number);
}

/** The hourly series of the M4 competition, where a folder has them: `Hourly-train.csv` and `Hourly-test.csv`. */
async function readCases(folder: string): Promise<Case[]> {
  const [train = [], test = []] = await Promise.all(
    ["Hourly-train.csv", "Hourly-test.csv"].map(async (name) => {
      const [, ...lines] = (await readFile(join(folder, name), "utf8")).trim().split("\n");
      return lines.map(parseRow);
    }),
  );
  return train.map((known, index) => ({ known, actual: test[index] ?? [] }));
}

type Scores = { smape: number[]; mase: number[] };

function score(cases: readonly Case[], forecast: (known: number[]) => readonly number[]): Scores {
  const scores: Scores = { smape: [], mase: [] };
  for (const one of cases) {
    const made = forecast(one.known);
    scores.smape.push(smape(one.actual, made));
    scores.mase.push(mase(one, made));
  }
  return scores;
}

const average = (values: readonly number[]) => sum(values) / values.length;

/** Overall weighted average, the score of the M4 competition: 1 is Naive2, smaller is better. */
function owa(ours: Scores, peer: Scores): number {
  return (average(ours.smape) / average(peer.smape) + average(ours.mase) / average(peer.mase)) / 2;
}

/** How much of what came was inside the intervals. */
function cover(cases: readonly Case[]): { in80: number; in95: number } {
  let steps = 0;
  let in80 = 0;
  let in95 = 0;
  for (const { known, actual } of cases) {
    const result = forecastSeries({ values: known, horizon: HORIZON, seasons: SEASONS });
    if (!result.isEnough) {
      continue;
    }
    for (const [step, value] of actual.entries()) {
      steps += 1;
      in80 += Number((result.lower80[step] ?? 0) <= value && value <= (result.upper80[step] ?? 0));
      in95 += Number((result.lower95[step] ?? 0) <= value && value <= (result.upper95[step] ?? 0));
    }
  }
  return { in80: in80 / steps, in95: in95 / steps };
}

/** Error of a month's total on its fifth day: with our forecast of the rest over going on as in these five days. */
function compareMonths(): number {
  let ours = 0;
  let runRate = 0;
  for (let seed = 0; seed < SERIES; seed += 1) {
    const hours = makeHourlyUsage({ seed, hours: (90 + MONTH_DAYS) * DAY });
    const days = Array.from({ length: hours.length / DAY }, (_, day) =>
      sum(hours.slice(day * DAY, (day + 1) * DAY)),
    );
    const month = days.slice(-MONTH_DAYS);
    const known = days.slice(0, days.length - MONTH_DAYS + KNOWN_DAYS);
    const spent = sum(month.slice(0, KNOWN_DAYS));
    const horizon = MONTH_DAYS - KNOWN_DAYS;
    const result = forecastTotals({ values: known, horizon, seasons: [7] });
    const rest = result.isEnough ? result.total(0, horizon).mean : Number.NaN;
    ours += Math.abs(spent + rest - sum(month)) / sum(month);
    runRate += Math.abs((spent * MONTH_DAYS) / KNOWN_DAYS - sum(month)) / sum(month);
  }
  return ours / runRate;
}

function ourForecast(known: number[]): readonly number[] {
  const result = forecastSeries({ values: known, horizon: HORIZON, seasons: SEASONS });
  return result.isEnough ? result.mean : [];
}

async function run({ data, note }: BenchOptions): Promise<BenchResult> {
  note("forecasting");
  const cases = data === undefined ? makeCases() : await readCases(data);
  const startedAtMs = performance.now();
  const ours = score(cases, ourForecast);
  const msPerSeries = (performance.now() - startedAtMs) / cases.length;
  const peer = score(cases, (known) => naive2(known, { season: DAY, horizon: HORIZON }));
  const sameAsYesterday = score(cases, (known) =>
    Array.from({ length: HORIZON }, (_, step) => known[known.length - DAY + (step % DAY)] ?? 0),
  );
  const { in80, in95 } = cover(cases);
  note("months");
  const month = compareMonths();
  const row = (forecast: string, scores: Scores) => ({
    forecast,
    "sMAPE %": round(average(scores.smape)),
    MASE: round(average(scores.mase)),
    OWA: round(owa(scores, peer)),
  });
  return {
    table: [row("turnpike", ours), row("seasonal naive", sameAsYesterday), row("Naive2", peer)],
    ratios: { owa: round(owa(ours, peer)), monthTotal: round(month) },
    figures: { msPerSeries: round(msPerSeries), in80: round(in80), in95: round(in95) },
    remarks: [
      `${String(cases.length)} series of hours, 48 hours ahead: ${data === undefined ? "made from a seed, with days, weeks, growth, noise and jumps of the level" : `read from ${data}`}. Naive2 repeats the last value with the pattern of the day.`,
      `The interval of 80% held ${String(round(100 * in80))}% of what came, that of 95% ${String(round(100 * in95))}%. A series took ${String(round(msPerSeries))} ms.`,
      "`monthTotal`: the error of a month's total on its fifth day, over that of going on at the rate of these five days.",
    ],
  };
}

export const forecastBench: Bench = {
  name: "forecast",
  summary: "Errors of forecasts, against those of the naive forecast of the M4 competition.",
  defaults: { seconds: 1, rounds: 1 },
  run,
};
