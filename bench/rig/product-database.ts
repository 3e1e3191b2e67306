import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { connect, type Sql } from "@turnpike/db/client";
import type { ProductHome } from "./product.ts";

/** The owner of the cluster, whom no row-level security holds. */
const USER = "turnpike";

/** Joins the embedded database of a running product. The caller ends it. */
export async function connectToProduct(
  { folder }: ProductHome,
  options: { statementTimeoutMs: number },
): Promise<Sql> {
  const data = join(folder, "data");
  const postmaster = await readFile(join(data, "postgres/postmaster.pid"), "utf8");
  const [, , , port = "", host = ""] = postmaster.split("\n");
  const password = (await readFile(join(data, "postgres.password"), "utf8")).trim();
  const { statementTimeoutMs } = options;
  const target = { host, port: Number(port), user: USER, password, database: "turnpike" };
  return connect(target, { connectionsMax: 1, applicationName: "bench", statementTimeoutMs });
}
