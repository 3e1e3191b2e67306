import { forecastSeries } from "@turnpike/domain/forecast/forecast-series";
import { z } from "zod";
import { answerJsonLines } from "./answer-json-lines.ts";
import { type Cli, examples } from "./cli.ts";

/** A series that takes seconds, and more than a forecast can use. */
const VALUES_MAX = 200_000;
const HORIZON_MAX = 10_000;
const SEASONS_MAX = 4;

const series = z.object({
  id: z.union([z.string(), z.number()]),
  values: z.array(z.number().nullable()).max(VALUES_MAX),
  horizon: z.int().min(1).max(HORIZON_MAX),
  seasons: z.array(z.int().min(1).max(VALUES_MAX)).max(SEASONS_MAX).default([]),
});

function answer(value: unknown): string {
  const { id, ...input } = series.parse(value);
  const result = forecastSeries(input);
  if (!result.isEnough) {
    const { values, needed } = result;
    return JSON.stringify({ id, error: "not enough history", values, needed });
  }
  const { isEnough: _, ...forecast } = result;
  return JSON.stringify({ id, ...forecast });
}

/** `turnpike forecast`: what comes next in any series, without an installation. */
export function addForecastCommand(cli: Cli): void {
  cli.program
    .command("forecast")
    .description("forecast series of numbers, with intervals")
    .requiredOption("--jsonl <file>", "one series as JSON on each line, or - for standard input")
    .addHelpText(
      "after",
      `
A line is {"id", "values": […], "horizon": 48, "seasons": [24, 168]}: values at equal distances, oldest first, null where there is
none; horizon, how many to forecast; seasons, after how many values a pattern comes again. The answer is {"id", "mean", "lower80",
"upper80", "lower95", "upper95"}, each with horizon values. A series that is too short is answered with
{"id", "error": "not enough history", "values", "needed"}. It needs no database, and nothing is written.
${examples("forecast --jsonl series.jsonl", "forecast --jsonl -")}`,
    )
    .action(async ({ jsonl }) => answerJsonLines(cli, { name: jsonl, answer }));
}
