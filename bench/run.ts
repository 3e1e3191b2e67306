import { parseArgs } from "node:util";
import { gatewayBench } from "./gateway.ts";
import { ledgerBench } from "./ledger.ts";
import { propagationBench } from "./propagation.ts";
import type { Bench, BenchResult } from "./rig/bench.ts";
import { toTextTable } from "./rig/text-table.ts";
import { writeBenchmarkDocs } from "./rig/write-benchmark-docs.ts";
import { startBench } from "./start.ts";
import { verifyBench } from "./verify.ts";

const BENCHES: readonly Bench[] = [
  verifyBench,
  gatewayBench,
  startBench,
  propagationBench,
  ledgerBench,
];

function usage(): string {
  const width = Math.max(...BENCHES.map((bench) => bench.name.length));
  return [
    "Usage: npm run bench -- <name|all> [--seconds N] [--rounds N] [--json] [--write-docs]",
    "",
    ...BENCHES.map((bench) => `  ${bench.name.padEnd(width)}  ${bench.summary}`),
    "",
    "  --seconds     length of one round (each bench has its own default)",
    "  --rounds      rounds of each candidate; they take turns",
    "  --json        ends with one line of JSON for each bench: bench, ratios, figures",
    "  --write-docs  puts the figures into docs/benchmarks.md",
  ].join("\n");
}

class UsageError extends Error {
  override readonly name = "UsageError";
}

/** @throws {UsageError} naming the option when its text is no whole number of 1 to 600. */
function parseCount(name: string, text: string | undefined, fallback: number): number {
  const value = text === undefined ? fallback : Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 600) {
    throw new UsageError(`--${name} takes a whole number from 1 to 600.`);
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
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function chooseBenches(names: readonly string[]): readonly Bench[] {
  const [name = ""] = names;
  const chosen = name === "all" ? BENCHES : BENCHES.filter((bench) => bench.name === name);
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
  const results: { bench: Bench; result: BenchResult }[] = [];
  for (const bench of chooseBenches(positionals)) {
    const result = await bench.run({
      seconds: parseCount("seconds", values.seconds, bench.defaults.seconds),
      rounds: parseCount("rounds", values.rounds, bench.defaults.rounds),
      note: (text) => process.stderr.write(`${bench.name}: ${text}\n`),
    });
    print(bench, result);
    results.push({ bench, result });
  }
  if (values["write-docs"]) {
    await writeBenchmarkDocs(results);
  }
  if (values.json) {
    for (const { bench, result } of results) {
      const { ratios, figures } = result;
      console.log(JSON.stringify({ bench: bench.name, ratios, figures }));
    }
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
