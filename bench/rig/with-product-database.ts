import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Sql } from "@turnpike/db/client";
import { startEmbeddedPostgres } from "../../apps/server/src/platform/embedded-postgres.ts";
import { createLogger } from "../../apps/server/src/platform/logger.ts";
import { type Database, openDatabase } from "../../apps/server/src/platform/open-database.ts";
import { makeProductHome } from "./product.ts";
import { connectToProduct } from "./product-database.ts";

/** The product's database without the product. */
export type BenchDatabase = {
  /** As the product is connected. */
  database: Database;
  /** As the owner of the cluster, whom no row-level security holds. */
  sql: Sql;
  /** The data folder. */
  folder: string;
};

/** Starts an empty database of the product, measures with it, and removes it. */
export async function withProductDatabase<Result>(
  measure: (bench: BenchDatabase) => Promise<Result>,
): Promise<Result> {
  const home = await makeProductHome();
  const folder = join(home.folder, "data");
  try {
    await mkdir(folder, { mode: 0o711 });
    const logger = createLogger({ level: "warn" });
    const server = await startEmbeddedPostgres({ folder, logger });
    try {
      const database = await openDatabase({
        target: server.connection,
        applicationName: "bench",
        connectionsMax: 2,
      });
      const sql = await connectToProduct(home, { statementTimeoutMs: 0 });
      try {
        return await measure({ database, sql, folder });
      } finally {
        await sql.end();
        await database.close();
      }
    } finally {
      await server.stop();
    }
  } finally {
    await home.remove();
  }
}
