import type { ForecastBand, MeterForecast } from "@turnpike/contract/forecasts";
import type { AskedQuery } from "@turnpike/contract/questions";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import { said } from "@turnpike/domain/text/said";
import { forecastUsage } from "../forecasts/forecast-usage.ts";
import type { Said } from "./answer-standing.ts";
import type { AskDeps, Asker } from "./asker.ts";
import { CannotAnswer } from "./cannot-answer.ts";
import { describeMeasure } from "./describe-measure.ts";
import { describeRange } from "./describe-range.ts";
import { formatCell, nounsOf } from "./format-cell.ts";
import type { NamedVocabulary } from "./named-vocabulary.ts";
import { type InstantRange, rangeOfQuery } from "./range-of-query.ts";

type Outlook = { band: ForecastBand; isPeriod: boolean };

const BOUNDS = ["mean", "lower80", "upper80", "lower95", "upper95"] as const;
const DAY_START_SLACK_MS = 3_600_000;

function isSame(one: InstantRange, other: { from: string; to: string }): boolean {
  return (
    Math.abs(one.fromMs - Date.parse(other.from)) < DAY_START_SLACK_MS &&
    Math.abs(one.toMs - Date.parse(other.to)) < DAY_START_SLACK_MS
  );
}

/** What a range will come to: that of the billing period is known best, any other is the sum of its days. */
function findOutlook(forecast: MeterForecast, range: InstantRange): Outlook | undefined {
  const { period, past, days } = forecast;
  if (period !== null && isSame(range, period)) {
    return { band: period.total, isPeriod: true };
  }
  const isWithin = ({ from }: { from: string }) => {
    const atMs = Date.parse(from);
    return atMs >= range.fromMs && atMs < range.toMs;
  };
  const before = past.filter(isWithin).reduce((sum, { value }) => sum + value, 0);
  const ahead = days.filter(isWithin);
  const last = days.at(-1);
  const first = past[0] ?? days[0];
  const isKnown =
    first !== undefined &&
    last !== undefined &&
    ahead.length > 0 &&
    Date.parse(first.from) <= range.fromMs &&
    Date.parse(last.from) + 26 * DAY_START_SLACK_MS >= range.toMs;
  if (!isKnown) {
    return;
  }
  const band = Object.fromEntries(
    BOUNDS.map((bound) => [bound, ahead.reduce((sum, day) => sum + day[bound], before)]),
  ) as ForecastBand;
  return { band, isPeriod: false };
}

/**
 * Forecasts a meter over a range that is not over.
 *
 * @throws {CannotAnswer} for what is not forecast, or without enough history.
 */
export async function answerForecast(
  deps: AskDeps,
  asker: Asker,
  { vocabulary, query }: { vocabulary: NamedVocabulary; query: AskedQuery },
): Promise<Said> {
  const { tenantId, context, timeZone, nowMs, words } = asker;
  const [name = "requests"] = query.measures;
  if (tenantId === null) {
    throw new CannotAnswer("Usage is forecast for one tenant: open it and ask there.");
  }
  if (name !== "requests" && !vocabulary.meters.has(name)) {
    throw new CannotAnswer("Calls and meters are forecast, nothing else is.");
  }
  if (query.filters.length > 0 || query.dimensions.length > 0) {
    throw new CannotAnswer("Usage is forecast as a whole, not for a part of it.");
  }
  const range = rangeOfQuery(query, timeZone);
  if (range.toMs <= nowMs) {
    throw new CannotAnswer("That range is over: ask what it was.");
  }
  const { meters } = await forecastUsage(deps, context, { tenantId, timeZone });
  const forecast = meters.find(
    ({ meter }) => meter === (name === "requests" ? REQUESTS_METER : name),
  );
  if (forecast === undefined) {
    throw new CannotAnswer("That meter is not forecast: it is not on the plan.");
  }
  if (forecast.state !== "forecast") {
    const { days, needed } = forecast.history;
    throw forecast.state === "no_usage"
      ? new CannotAnswer("There is no usage to forecast from.")
      : new CannotAnswer(
          "A forecast takes {0} complete days of usage; there are {1}.",
          String(needed),
          String(days),
        );
  }
  const outlook = findOutlook(forecast, range);
  if (outlook === undefined) {
    throw new CannotAnswer("Forecasts reach 90 days ahead, from at most 60 days back.");
  }
  const { band, isPeriod } = outlook;
  const measure = describeMeasure(vocabulary, name);
  const rounded = (value: number) => Math.max(0, Math.round(value));
  const { say } = words;
  const write = (value: number) => formatCell(measure, rounded(value), words);
  const [one, many] = nounsOf(measure);
  const mean = rounded(band.mean);
  const noun = say(mean === 1 ? one : many);
  const { during } = describeRange(words, range, timeZone);
  const [lower, upper] = [write(band.lower80), write(band.upper80)];
  return {
    assumed: [
      said("live calls that count towards the plan"),
      ...(isPeriod
        ? []
        : [said("bounds: the sum of those of the days, which is wider than needed")]),
    ],
    sentence:
      mean === 0
        ? say(
            "No {0} are expected {1}: between {2} and {3} in 4 of 5 cases.",
            ...[noun, during, lower, upper],
          )
        : say(
            "{0} {1} are expected {2}: between {3} and {4} in 4 of 5 cases.",
            ...[write(band.mean), noun, during, lower, upper],
          ),
    answer: {
      measures: [
        measure,
        { ...measure, name: "lower80", title: said("At least") },
        { ...measure, name: "upper80", title: said("At most") },
      ],
      dimensions: [],
      from: new Date(range.fromMs).toISOString(),
      to: new Date(range.toMs).toISOString(),
      grain: "day",
      rows: forecast.days
        .filter(({ from }) => Date.parse(from) >= range.fromMs && Date.parse(from) < range.toMs)
        .map(({ from, mean, lower80, upper80 }) => ({
          time: from,
          group: {},
          values: { [name]: mean, lower80, upper80 },
          before: null,
        })),
      totals: { [name]: band.mean, lower80: band.lower80, upper80: band.upper80 },
      totalsBefore: null,
      names: {},
      truncated: false,
      usage: null,
    },
  };
}
