import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { connect } from "@turnpike/db/client";
import type { ProductHome } from "./product.ts";

/** Shorter than a subscription takes to prove itself again. */
const INTERVAL_MS = 50;

async function readTarget({ folder }: ProductHome) {
  const data = join(folder, "data");
  const postmaster = await readFile(join(data, "postgres/postmaster.pid"), "utf8");
  const [, , , port = "", host = ""] = postmaster.split("\n");
  const password = (await readFile(join(data, "postgres.password"), "utf8")).trim();
  return { host, port: Number(port), user: "turnpike", password, database: "turnpike" };
}

/**
 * Ends every connection on which the product hears of changes, again and again, so that only polling is left.
 *
 * @returns What ends it.
 */
export async function cutListening(home: ProductHome): Promise<() => Promise<void>> {
  const sql = connect(await readTarget(home), {
    connectionsMax: 1,
    applicationName: "bench",
    statementTimeoutMs: 5_000,
  });
  const cut = () =>
    sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'turnpike-listen'`;
  await cut();
  const timer = setInterval(() => void cut().catch(() => undefined), INTERVAL_MS);
  return async () => {
    clearInterval(timer);
    await sql.end({ timeout: 1 });
  };
}
