import { parse } from "node:path";
import { detectAnomalies } from "@turnpike/domain/anomaly/detect-anomalies";
import { ANOMALOUS, createDetector, type PointFinding } from "@turnpike/domain/anomaly/detector";
import { type Cli, examples } from "./cli.ts";
import { type FileMistake, toInputFileError } from "./input-file-error.ts";
import { parseJsonLine, readLines } from "./read-lines.ts";
import { parseSeries, parseSeriesRow } from "./series/parse-series.ts";
import { writeLine } from "./write-line.ts";

/** More bad lines say nothing new. */
const MISTAKES_MAX = 100;
const DIGITS = 6;

type Judged = { result: string } | { fault: string };

function toResult(id: string | number, findings: readonly PointFinding[]): string {
  const scores = findings.map(({ score }) => Number(score.toFixed(DIGITS)));
  return JSON.stringify({ id, scores, why: findings.map(({ why }) => why) });
}

function judgeLine(text: string): Judged {
  const read = parseJsonLine(text);
  const series = "fault" in read ? read : parseSeries(read.value);
  return "fault" in series
    ? series
    : { result: toResult(series.value.id, detectAnomalies(series.value.points)) };
}

/** One series, of which a row is a point. */
function createTableJudge() {
  const detector = createDetector();
  const findings: PointFinding[] = [];
  return {
    judgeRow(text: string): { fault: string } | undefined {
      const row = parseSeriesRow(text);
      if (row === undefined || "fault" in row) {
        return row;
      }
      findings.push(detector.next(row.value));
      return undefined;
    },
    toResult: (id: string) => toResult(id, findings),
  };
}

function isTable(firstLine: string): boolean {
  const row = parseSeriesRow(firstLine);
  return row === undefined || "value" in row;
}

async function detect(cli: Cli, name: string): Promise<void> {
  const path = cli.toPath(name);
  const { output } = cli.environment;
  const mistakes: FileMistake[] = [];
  let table: ReturnType<typeof createTableJudge> | undefined;
  let isFirst = true;
  for await (const { line, text } of readLines(path, name)) {
    if (isFirst && isTable(text)) {
      table = createTableJudge();
    }
    isFirst = false;
    const judged = table === undefined ? judgeLine(text) : table.judgeRow(text);
    if (judged !== undefined && "result" in judged) {
      await writeLine(output, judged.result);
    } else if (judged !== undefined && mistakes.length < MISTAKES_MAX) {
      mistakes.push({ pointer: `line ${String(line)}`, message: judged.fault });
    }
  }
  if (table !== undefined) {
    await writeLine(output, table.toResult(name === "-" ? "-" : parse(path).name));
  }
  if (mistakes.length > 0) {
    throw toInputFileError(name === "-" ? "Standard input" : path, mistakes);
  }
}

/** `turnpike detect`: anomalies in series of any origin, without an installation. */
export function addDetectCommand(cli: Cli): void {
  cli.program
    .command("detect")
    .description("find anomalies in series of numbers and say what is unusual")
    .requiredOption("--jsonl <file>", "one series as JSON on each line, or - for standard input")
    .addHelpText(
      "after",
      `
A line is {"id", "times": ["2026-01-31T09:00:00Z", …], "values": [12, …]}; a CSV of time and value, one series, works too. For
each series a line {"id", "scores", "why"} is printed, with a score from 0 to 1 for each point; above ${String(ANOMALOUS)} it is an
anomaly. Each score comes from the points before it, so later points change none. "why" names the statistic: level, spread,
drop, residual, shape, or warming-up for the first points. Lines that cannot be read are reported with their number; the
others are judged. It needs no database.
${examples("detect --jsonl series.jsonl", "detect --jsonl - < calls.csv")}`,
    )
    .action(async (options) => detect(cli, options.jsonl));
}
