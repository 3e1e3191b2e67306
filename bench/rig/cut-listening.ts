import type { ProductHome } from "./product.ts";
import { connectToProduct } from "./product-database.ts";

/** Shorter than a subscription takes to prove itself again. */
const INTERVAL_MS = 50;

/**
 * Ends every connection on which the product hears of changes, again and again, so that only polling is left.
 *
 * @returns What ends it.
 */
export async function cutListening(home: ProductHome): Promise<() => Promise<void>> {
  const sql = await connectToProduct(home, { statementTimeoutMs: 5_000 });
  const cut = () =>
    sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'turnpike-listen'`;
  await cut();
  const timer = setInterval(() => void cut().catch(() => undefined), INTERVAL_MS);
  return async () => {
    clearInterval(timer);
    await sql.end({ timeout: 1 });
  };
}
