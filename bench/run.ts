import { parseArgs } from "node:util";
import { affinityBench } from "./affinity.ts";
import { anomaliesBench } from "./anomalies.ts";
import { askBench } from "./ask.ts";
import { cellsBench } from "./cells.ts";
import { clickhouseBench } from "./clickhouse.ts";
import { closeBench } from "./close.ts";
import { clusterBench } from "./cluster.ts";
import { forecastBench } from "./forecast.ts";
import { gatewayBench } from "./gateway.ts";
import { ingestBench } from "./ingest.ts";
import { insightsBench } from "./insights.ts";
import { ledgerBench } from "./ledger.ts";
import { millionKeysBench } from "./million-keys.ts";
import { propagationBench } from "./propagation.ts";
import { queryBench } from "./query.ts";
import { rateBench } from "./rate.ts";
import { revenueBench } from "./revenue.ts";
import type { Bench, BenchOptions, BenchResult } from "./rig/bench.ts";
import { toTextTable } from "./rig/text-table.ts";
import { assertDocumented, writeBenchmarkDocs } from "./rig/write-benchmark-docs.ts";
import { startBench } from "./start.ts";
import { tokensBench } from "./tokens.ts";
import { verifyBench } from "./verify.ts";
import { verifyRawBench } from "./verify-raw.ts";
import { webBench } from "./web.ts";
import { workersBench } from "./workers.ts";

const BENCHES: readonly Bench[] = [
  verifyBench,
  gatewayBench,
  tokensBench,
  startBench,
  propagationBench,
  ledgerBench,
  ingestBench,
  queryBench,
  verifyRawBench,
  millionKeysBench,
  workersBench,
  rateBench,
  clusterBench,
  affinityBench,
  cellsBench,
  clickhouseBench,
  closeBench,
  revenueBench,
  anomaliesBench,
  insightsBench,
  forecastBench,
  askBench,
  webBench,
];

const KEYS = 1_000_000;
const SCALE = 1;
const SCALE_MAX = 20;

function usage(): string {
  const width = Math.max(...BENCHES.map((bench) => bench.name.length));
  return [
    "Usage: npm run bench -- <name|all> [--seconds N] [--rounds N] [--keys N] [--scale N] [--data FOLDER] [--json] [--write-docs]",
    "",
    ...BENCHES.map((bench) => `  ${bench.name.padEnd(width)}  ${bench.summary}`),
    "",
    "  --seconds     length of one round (each bench has its own default)",
    "  --rounds      rounds of each candidate; they take turns",
    "  --keys        keys of the larger side of million-keys (1000000)",
    "  --scale       routes of each tenant of query that is not asked about, thousands of tenants of clickhouse (1)",
    "  --data        series of your own: *.csv of timestamp,value and windows.json, or the hours of the M4 competition",
    "  --json        ends with one line of JSON for each bench: bench, ratios, figures",
    "  --write-docs  puts the figures into docs/benchmarks.md",
  ].join("\n");
}

class UsageError extends Error {
  override readonly name = "UsageError";
}

/** @throws {UsageError} naming the option when its text is not a whole number from 1 to `max`. */
function parseCount(
  name: string,
  text: string | undefined,
  { fallback, max = 600 }: { fallback: number; max?: number },
): number {
  const value = text === undefined ? fallback : Number(text);
  if (!Number.isInteger(value) || value < 1 || value > max) {
    throw new UsageError(`--${name} takes a whole number from 1 to ${String(max)}.`);
  }
  return value;
}

function parseCommandLine(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: "boolean", short: "h", default: false },
        json: { type: "boolean", default: false },
        "write-docs": { type: "boolean", default: false },
        seconds: { type: "string" },
        rounds: { type: "string" },
        keys: { type: "string" },
        scale: { type: "string" },
        data: { type: "string" },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function chooseBenches(names: readonly string[]): readonly Bench[] {
  const [name = ""] = names;
  const chosen =
    name === "all"
      ? BENCHES.filter((bench) => bench.isPart !== true)
      : BENCHES.filter((bench) => bench.name === name);
  if (names.length !== 1 || chosen.length === 0) {
    throw new UsageError(name === "" ? "Name a bench." : `There is no bench ${names.join(" ")}.`);
  }
  return chosen;
}

function print(bench: Bench, result: BenchResult): void {
  const ratios = Object.entries(result.ratios).map(([name, ratio]) => `${name} ${String(ratio)}`);
  console.log(`\n${bench.name}: ${bench.summary}\n`);
  console.log(toTextTable(result.table));
  console.log(`\nratios: ${ratios.join(", ")}\n`);
  for (const remark of result.remarks) {
    console.log(`  ${remark}`);
  }
}

async function main(): Promise<number> {
  const { values, positionals } = parseCommandLine(process.argv.slice(2));
  if (values.help) {
    console.log(usage());
    return 0;
  }
  const chosen = chooseBenches(positionals);
  if (values["write-docs"]) {
    const part = chosen.find(({ isPart }) => isPart === true);
    if (part !== undefined) {
      throw new UsageError(`${part.name} is part of another bench: write the docs of that one.`);
    }
    // Checked before minutes are spent on figures that the page has no section for.
    await assertDocumented(chosen);
  }
  const lines: string[] = [];
  const failed: string[] = [];
  for (const bench of chosen) {
    const options: BenchOptions = {
      seconds: parseCount("seconds", values.seconds, { fallback: bench.defaults.seconds }),
      rounds: parseCount("rounds", values.rounds, { fallback: bench.defaults.rounds }),
      keys: parseCount("keys", values.keys, { fallback: KEYS, max: KEYS }),
      scale: parseCount("scale", values.scale, { fallback: SCALE, max: SCALE_MAX }),
      data: values.data,
      note: (text) => process.stderr.write(`${bench.name}: ${text}\n`),
    };
    try {
      const result = await bench.run(options);
      print(bench, result);
      if (values["write-docs"]) {
        await writeBenchmarkDocs(bench, result);
      }
      const { ratios, figures } = result;
      lines.push(JSON.stringify({ bench: bench.name, ratios, figures }));
    } catch (error) {
      // The figures of the others are worth having, and stand in the docs by now.
      console.error(`bench: ${bench.name} failed.`, error);
      failed.push(bench.name);
    }
  }
  if (values.json) {
    console.log(lines.join("\n"));
  }
  if (failed.length > 0) {
    console.error(`bench: no figures of ${failed.join(", ")}.`);
    return 1;
  }
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  const isUsage = error instanceof UsageError;
  console.error(isUsage ? `bench: ${error.message}\n\n${usage()}` : error);
  process.exitCode = isUsage ? 2 : 1;
}
