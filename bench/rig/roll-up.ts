import { rollUpUsage } from "../../apps/server/src/modules/metering/index.ts";
import { createTransact } from "../../apps/server/src/platform/transact.ts";
import type { ProductHome } from "./product.ts";
import { connectToProduct } from "./product-database.ts";

/** As long as the product gives itself. */
const STATEMENT_TIMEOUT_MS = 30_000;

/**
 * Has the product's database do what a job asks of it every minute, or every ten: by the product's own step, on its own server, so
 * that no round waits for the clock.
 */
export async function rollUp(home: ProductHome, grain: "minutes" | "hours"): Promise<void> {
  const sql = await connectToProduct(home, { statementTimeoutMs: STATEMENT_TIMEOUT_MS });
  try {
    await rollUpUsage({ transact: createTransact(sql) }, grain);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
