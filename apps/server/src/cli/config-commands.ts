import { databaseErrorCode } from "@turnpike/db/database-errors";
import { findCatalogFaults, findUnapplied } from "#modules/catalog/index.ts";
import { listWithoutTests } from "#modules/gateway/index.ts";
import { attachEmbeddedPostgres } from "#platform/embedded-postgres.ts";
import { joinDatabase } from "#platform/open-database.ts";
import { isInstalled } from "#platform/postgres-cluster.ts";
import type { Config } from "../config.ts";
import { toCatalogError } from "../config-file.ts";
import { configFile } from "../config-schema.ts";
import { type Cli, examples } from "./cli.ts";
import { toRecord } from "./print.ts";

/** Of a server on which no table, or not even a role, of Turnpike was made yet. */
const EMPTY_DATABASE_CODES = new Set(["42P01", "22023"]);

/** Asks only a database that is up, and changes nothing in it. @returns Null when none could be asked. */
async function askDatabase(config: Config) {
  const { databaseUrl: url, dataFolder: folder, catalog } = config;
  const isNew = url === undefined && !(await isInstalled(folder));
  const nothingYet = { differing: null, faults: findCatalogFaults(catalog, []) };
  if (isNew) {
    return nothingYet;
  }
  const target = url === undefined ? await attachEmbeddedPostgres({ folder }) : { url };
  if (target === undefined) {
    return null;
  }
  const database = joinDatabase({ target, connectionsMax: 1, applicationName: "turnpike-check" });
  try {
    return await findUnapplied(database, catalog);
  } catch (error) {
    // Otherwise out of reach, or of another version: the start says what is wrong with it.
    return EMPTY_DATABASE_CODES.has(databaseErrorCode(error) ?? "") ? nothingYet : null;
  } finally {
    await database.close();
  }
}

/**
 * What of the section `catalog` is not published.
 *
 * @returns Null when the file names no catalogue; `differing` is null when there is nothing to compare with.
 * @throws {StartupError} `CONFIG_INVALID` when it could not be published.
 */
async function compareCatalog(config: Config) {
  const path = config.catalogFile;
  if (path === undefined) {
    return null;
  }
  const { differing, faults } = (await askDatabase(config)) ?? { differing: null, faults: [] };
  if (faults.length > 0) {
    throw toCatalogError(path, faults);
  }
  return { path, differing };
}

function toCatalogText(catalog: Awaited<ReturnType<typeof compareCatalog>>): string {
  if (catalog === null) {
    return "not in the file: the database has it";
  }
  const { path, differing } = catalog;
  if (differing === null) {
    return "not compared with what is published: no database answers";
  }
  return differing.length === 0
    ? "as it is published"
    : `differs from what is published (${differing.join(", ")}) and has no effect; publish it with: turnpike catalog apply ${path}`;
}

function toTestKeysText(refusing: readonly string[]): string {
  return refusing.length === 0
    ? "have an upstream"
    : `refused by ${refusing.join(", ")}: set testUrl to an API for tests, or to same`;
}

/** `turnpike config …`: the configuration, without starting or changing the installation. */
export function addConfigCommands(cli: Cli): void {
  const config = cli.program.command("config").description("check and describe the configuration");

  config
    .command("check")
    .description(
      "read environment and configuration file, list every mistake, and compare the catalogue with what is published",
    )
    .addHelpText("after", examples("config check"))
    .action(async () => {
      const read = cli.environment.readConfig();
      const summary = {
        valid: true,
        dataFolder: read.dataFolder,
        database: read.databaseUrl === undefined ? "embedded" : "DATABASE_URL",
        port: read.port,
        gatewayPort: read.gatewayPort,
        workers: read.workers,
        upstreams: read.upstreams?.map((upstream) => upstream.name) ?? [],
        upstreamsWithoutTests: listWithoutTests(read.upstreams),
        catalog: await compareCatalog(read),
      };
      cli.print(summary, () =>
        toRecord([
          ["Configuration", "valid"],
          ["Data folder", summary.dataFolder],
          ["Database", summary.database],
          ["Port", String(summary.port)],
          ["Gateway port", String(summary.gatewayPort)],
          ["Workers", String(summary.workers)],
          ["Upstreams", summary.upstreams.join(", ") || "the demo API"],
          ["Test keys", toTestKeysText(summary.upstreamsWithoutTests)],
          ["Catalogue", toCatalogText(summary.catalog)],
        ]),
      );
    });

  config
    .command("schema")
    .description("print the JSON Schema of turnpike.yaml, for editors")
    .addHelpText("after", examples("config schema > turnpike.schema.json"))
    .action(() => {
      const schema = { title: "turnpike.yaml", ...configFile.toJSONSchema({ io: "input" }) };
      cli.print(schema, () => JSON.stringify(schema, null, 2));
    });
}
