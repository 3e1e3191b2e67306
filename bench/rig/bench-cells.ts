import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connect, type Sql } from "@turnpike/db/client";
import { findFreePort } from "@turnpike/testkit/find-free-port";
import { SHARED_SECRETS } from "@turnpike/testkit/product-process";
import { startEmbeddedPostgres } from "../../apps/server/src/platform/embedded-postgres.ts";
import { createLogger } from "../../apps/server/src/platform/logger.ts";
import { BOOTSTRAP_USER, PRODUCT_USER } from "../../apps/server/src/platform/postgres-cluster.ts";
import type { Core } from "./pinned-process.ts";
import { makeProductHome, type Product, runTurnpike, startProduct } from "./product.ts";

export type BenchCell = {
  name: string;
  product: Product;
  /** As the owner of the cluster, whom no row-level security holds. */
  sql: Sql;
  /** Holds the address of its database, for `tenants move`. */
  addressPath: string;
  /** Runs `turnpike` beside it. @returns Its standard output. */
  turnpike(...args: readonly string[]): Promise<string>;
};

export type BenchCells = {
  east: BenchCell;
  west: BenchCell;
  /** That of the database of both, where its server may write. */
  databaseFolder: string;
};

/** Starts two cells of one node each, and one PostgreSQL with the databases of both and the directory. */
export async function openBenchCells(
  parts: AsyncDisposableStack,
  { upstreamUrl, core }: { upstreamUrl: string; core: Core },
): Promise<BenchCells> {
  const databaseHome = await makeProductHome();
  parts.defer(() => databaseHome.remove());
  const folder = join(databaseHome.folder, "data");
  await mkdir(folder, { mode: 0o711 });
  const server = await startEmbeddedPostgres({
    folder,
    logger: createLogger({ level: "warn" }),
    // Of two nodes, each with pools of its own, and the directory.
    settings: { max_connections: "300" },
  });
  parts.defer(() => server.stop());
  const { host, port, password } = server.connection;

  const connectTo = (database: string): Sql => {
    const sql = connect(
      { host, port, user: BOOTSTRAP_USER, password, database },
      { connectionsMax: 1, applicationName: "bench", statementTimeoutMs: 0 },
    );
    parts.defer(() => sql.end({ timeout: 5 }));
    return sql;
  };
  const urlOf = (database: string) =>
    `postgres://${PRODUCT_USER}:${password}@localhost:${String(port)}/${database}?host=${encodeURIComponent(host)}`;

  const admin = connectTo("postgres");
  const createDatabase = (name: string) =>
    admin`create database ${admin(name)} owner ${admin(PRODUCT_USER)}`;
  await createDatabase("directory");

  async function startCell(name: string): Promise<BenchCell> {
    await createDatabase(name);
    const ports = { port: await findFreePort(), gatewayPort: await findFreePort() };
    const gateway = `http://127.0.0.1:${String(ports.gatewayPort)}`;
    const home = await makeProductHome(
      [
        `cell: { name: ${name}, address: "${gateway}" }`,
        `upstreams: [{ name: bench, url: "${upstreamUrl}" }]`,
        `billing: { invoicePrefix: ${name.toUpperCase()}, creditNotePrefix: C${name.toUpperCase()} }`,
        "",
      ].join("\n"),
    );
    parts.defer(() => home.remove());
    const env = {
      ...SHARED_SECRETS,
      TURNPIKE_DIRECTORY_URL: urlOf("directory"),
      TURNPIKE_CELLS_SECRET: "the secret that all cells of this bench share",
      DATABASE_URL: urlOf(name),
    };
    const product = await startProduct(home, { core, ports, env });
    parts.defer(() => product.stop());
    const addressPath = join(home.folder, "database.address");
    await writeFile(addressPath, `${env.DATABASE_URL}\n`);
    return {
      name,
      product,
      sql: connectTo(name),
      addressPath,
      turnpike: (...args) => runTurnpike(home, { args, env }),
    };
  }
  const east = await startCell("east");
  return { east, west: await startCell("west"), databaseFolder: join(folder, "postgres") };
}
