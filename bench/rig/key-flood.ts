import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sql } from "@turnpike/db/client";
import type { BenchResult } from "./bench.ts";
import {
  assertAllAccepted,
  type KeyedRequests,
  type LoadGenerator,
  startLoadGenerator,
} from "./load.ts";
import type { Product, ProductHome } from "./product.ts";
import { connectToProduct } from "./product-database.ts";
import { readUsedBytes } from "./product-memory.ts";
import { mintKey } from "./seed-keys.ts";
import { round } from "./statistics.ts";

/** Keys that do not exist, each used about once; every other one has a mistake in its checksum. */
const STRANGERS = 300_000;
const FLOOD_CONNECTIONS = 64;
const KNOWN_CONNECTIONS = 8;
const KNOWN_PER_SECOND = 1_000;
const SECONDS = 6;
/** The database publishes its statistics with a delay. */
const STATISTICS_DELAY_MS = 1_500;
const TIMEOUT_MS = 10_000;
const ACCEPTED = '{"valid":true';

/** Another last character: the checksum no longer agrees. */
function misspell(key: string): string {
  return key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
}

async function countTransactions(sql: Sql): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, STATISTICS_DELAY_MS));
  const [row] = await sql<{ count: bigint }[]>`
    select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()`;
  return Number(row?.count ?? 0);
}

/**
 * Floods a product with unknown and malformed keys at full speed while known ones go on being used.
 *
 * @throws when a known key was refused meanwhile, or an unknown one let through.
 */
export async function measureFlood(input: {
  load: LoadGenerator;
  product: Product;
  home: ProductHome;
  known: KeyedRequests;
}): Promise<Pick<BenchResult, "figures" | "remarks">> {
  const { product, home, known } = input;
  const keysPath = join(home.folder, "bench-strangers");
  const strangers = Array.from({ length: STRANGERS }, (_, index) => {
    const { key } = mintKey();
    return index % 2 === 0 ? key : misspell(key);
  });
  await writeFile(keysPath, strangers.join(""));
  const sql = await connectToProduct(home, { statementTimeoutMs: TIMEOUT_MS });
  const second = startLoadGenerator();
  try {
    const order = {
      port: product.port,
      seconds: SECONDS,
      acceptedStart: ACCEPTED,
      sharesItsCore: true,
    } as const;
    const knownOrder = {
      ...order,
      requests: known,
      connections: KNOWN_CONNECTIONS,
      ratePerSecond: KNOWN_PER_SECOND,
    };
    const usedBefore = await readUsedBytes(product);
    const calm = await input.load.run(knownOrder);
    const transactionsBefore = await countTransactions(sql);
    const [flood, served] = await Promise.all([
      second.run({
        ...order,
        requests: { ...known, keysPath },
        connections: FLOOD_CONNECTIONS,
        ratePerSecond: null,
      }),
      input.load.run(knownOrder),
    ]);
    const transactions = (await countTransactions(sql)) - transactionsBefore;
    const usedBytes = (await readUsedBytes(product)) - usedBefore;
    assertAllAccepted(calm, "turnpike");
    assertAllAccepted(served, "turnpike under the flood");
    if (flood.accepted !== 0) {
      throw new Error(`${String(flood.accepted)} unknown keys were let through.`);
    }
    const perThousand = (transactions / flood.answers) * 1_000;
    const grownKiB = Math.max(0, usedBytes) / 1024;
    return {
      figures: {
        floodCallsPerSecond: Math.round(flood.answers / flood.seconds),
        floodTransactionsPerThousandCalls: round(perThousand),
        floodGrownKiB: Math.round(grownKiB),
        floodKnownLatencyMsP99: round(served.latencyMsP99),
        calmKnownLatencyMsP99: round(calm.latencyMsP99),
      },
      remarks: [
        `Flood: ${String(flood.answers)} calls with unknown and malformed keys in ${String(round(flood.seconds))} s, all refused. The database saw ${String(round(perThousand))} transactions for each thousand of them, the product's own included, and ${String(Math.round(grownKiB))} KiB stayed in memory. ${String(served.answers)} calls with known keys meanwhile, all let through, p99 ${String(round(served.latencyMsP99))} ms (without the flood ${String(round(calm.latencyMsP99))} ms).`,
      ],
    };
  } finally {
    await second.stop();
    await sql.end({ timeout: 1 });
  }
}
