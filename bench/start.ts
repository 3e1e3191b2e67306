import { spawnSync } from "node:child_process";
import { type BarePostgres, describePostgres, timePostgresStart } from "./rig/bare-postgres.ts";
import type { Bench, BenchOptions, BenchResult } from "./rig/bench.ts";
import { pinningRemarks } from "./rig/pinned-process.ts";
import { makeProductHome, type ProductHome, startProduct } from "./rig/product.ts";
import { median, round } from "./rig/statistics.ts";

/** What a second start may take. */
const BAR_SECONDS = 3;

function timeNodeStart(): number {
  const startedAtMs = performance.now();
  spawnSync(process.execPath, ["--eval", "0"], { stdio: "ignore" });
  return (performance.now() - startedAtMs) / 1000;
}

async function timeProductStart(home: ProductHome): Promise<{
  seconds: number;
  postgres: BarePostgres | undefined;
}> {
  const product = await startProduct(home, { core: "any" });
  const postgres = describePostgres(home);
  await product.stop();
  return { seconds: product.readySeconds, postgres };
}

type Times = { product: number[]; node: number[]; postgres: number[] };

async function measure(home: ProductHome, options: BenchOptions): Promise<Times> {
  const times: Times = { product: [], node: [], postgres: [] };
  for (let turn = 0; turn < options.rounds; turn += 1) {
    const { seconds, postgres } = await timeProductStart(home);
    times.product.push(seconds);
    times.node.push(timeNodeStart());
    if (postgres !== undefined) {
      times.postgres.push(await timePostgresStart(postgres));
    }
  }
  return times;
}

async function run(options: BenchOptions): Promise<BenchResult> {
  const home = await makeProductHome();
  try {
    options.note("first start");
    const first = await timeProductStart(home);
    options.note("further starts");
    const times = await measure(home, options);
    const second = median(times.product);
    const limit = median(times.node) + median(times.postgres);
    const hasLimit = times.postgres.length > 0;
    const row = (what: string, seconds: number) => ({ what, seconds: round(seconds) });
    return {
      table: [
        row("first start: database made, schema migrated", first.seconds),
        row("second start", second),
        row("second start, slowest", Math.max(...times.product)),
        row("node alone", median(times.node)),
        ...(hasLimit ? [row("PostgreSQL alone", median(times.postgres))] : []),
      ],
      ratios: {
        threeSeconds: round(second / BAR_SECONDS),
        ...(hasLimit ? { nodeAndPostgres: round(second / limit) } : {}),
      },
      figures: {
        firstStartSeconds: round(first.seconds),
        secondStartSeconds: round(second),
        secondStartSecondsMax: round(Math.max(...times.product)),
        nodeSeconds: round(median(times.node)),
        ...(hasLimit ? { postgresSeconds: round(median(times.postgres)) } : {}),
      },
      remarks: [
        "From the start of the process to the first /health/ready that says so, on the same data folder; both cores are free to use.",
        "Smaller is better: threeSeconds is the second start over the three seconds it may take, nodeAndPostgres over an empty Node process and the same database started without us, one after the other.",
        ...pinningRemarks(),
      ],
    };
  } finally {
    await home.remove();
  }
}

export const startBench: Bench = {
  name: "start",
  summary:
    "Second start until /health/ready, against three seconds and against Node and PostgreSQL alone.",
  defaults: { seconds: 1, rounds: 5 },
  run,
};
