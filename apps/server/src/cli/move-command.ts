import { readFile } from "node:fs/promises";
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { AppError } from "@turnpike/domain/errors/app-error";
import { toGrouped } from "@turnpike/domain/text/to-grouped";
import type { CellDirectory } from "#modules/cells/index.ts";
import { createPostgresFileStore, openFileStore } from "#modules/files/index.ts";
import {
  cancelMove,
  checkMove,
  findFingerprint,
  type MoveDeps,
  type MovedTenant,
  moveTenant,
  sayWhichCell,
} from "#modules/moves/index.ts";
import { openDatabase } from "#platform/open-database.ts";
import { StartupError } from "#platform/startup-error.ts";
import type { Transact } from "#platform/transact.ts";
import { isNodeOfCell, MOVING_SECRETS } from "../node-fingerprint.ts";
import { readIdentitySecret } from "../open-sso.ts";
import { toFileSettings } from "../to-file-settings.ts";
import { type Cli, examples } from "./cli.ts";
import { InputFileError } from "./input-file-error.ts";
import { toRecord } from "./print.ts";
import { type CommandSession, runCommand } from "./run-command.ts";
import { UsageError } from "./usage-error.ts";

/** How long nodes may take to stop serving the tenant, and what is under way to end. */
const STOP_MS = 60_000;
const CONNECTIONS_MAX = 4;
/** Time for the step under way to end after Ctrl+C; what it does not end, the next run does. */
const GRACE_MS = 10_000;

function refuse(publicMessage: string): AppError {
  return new AppError({ code: "CONFLICT", publicMessage });
}

/** An address in a file is in no list of processes and in no history of a shell. */
async function readAddress(path: string): Promise<string> {
  const text = (await readFile(path, "utf8").catch(() => "")).trim();
  if (!/^postgres(ql)?:\/\/\S+$/.test(text)) {
    throw new InputFileError(
      `${path} does not hold the address of a database: one line that begins with postgres://`,
    );
  }
  return text;
}

/** Finds out which cell a database is of, by what its newest node was started with. */
async function findCell(
  { config }: CommandSession,
  { directory, transact }: { directory: CellDirectory; transact: Transact },
): Promise<string> {
  const fingerprint = await transact.asOperator(findFingerprint);
  if (fingerprint === undefined) {
    throw refuse("No node ran on the other database in the last week. Start one, then try again.");
  }
  const identitySecret = await readIdentitySecret(config);
  const cells = await directory.listCells();
  const cell = cells.find(({ name, address }) =>
    isNodeOfCell(fingerprint, { identitySecret, name, address }),
  );
  if (cell === undefined) {
    throw refuse(
      "The other database is of no cell in the directory, or its TURNPIKE_IDENTITY_SECRET is another one.",
    );
  }
  if (cell.name === directory.cell) {
    throw refuse(`The other database is of this very cell, ${cell.name}.`);
  }
  return cell.name;
}

/** Opens the database of the other cell. @throws {StartupError} also when it has another schema than that of this version. */
async function openOtherDatabase(address: string) {
  try {
    return await openDatabase({
      target: { url: address },
      applicationName: "turnpike-move",
      connectionsMax: CONNECTIONS_MAX,
      mayMigrate: false,
    });
  } catch (error) {
    if (!(error instanceof StartupError)) {
      throw error;
    }
    const { code, message } = error;
    const isOtherSchema = code === "SCHEMA_OLDER" || code === "SCHEMA_NEWER";
    throw new StartupError({
      ...{ code, message: `The other cell cannot be used. ${message}`, cause: error },
      hint: isOtherSchema
        ? "Bring both cells to one version of Turnpike, then run the same command again"
        : "Check that it runs, and that the file of --to has its DATABASE_URL",
    });
  }
}

async function withOtherCell<Result>(
  session: CommandSession,
  { address, report }: { address: string; report: (line: string) => void },
  work: (deps: MoveDeps) => Promise<Result>,
): Promise<Result> {
  const { deps, config, directory } = session;
  if (directory === undefined) {
    throw refuse("This installation is no cell of several: set cell in turnpike.yaml.");
  }
  const files = await openFileStore(toFileSettings(config), deps);
  try {
    const database = await openOtherDatabase(address);
    try {
      const { transact } = database;
      const { here, there } = sayWhichCell({ here: deps, there: { ...deps, transact } });
      return await work({
        here,
        there,
        directory,
        otherCell: await findCell(session, { directory, transact: there.transact }),
        // With any store, the other cell also finds files that are in its database.
        stores: { from: files.fileStore, to: createPostgresFileStore(there) },
        secretNames: MOVING_SECRETS,
        timeoutMs: STOP_MS,
        report,
      });
    } finally {
      await database.close();
    }
  } finally {
    await files.close();
  }
}

type Moved = MovedTenant & { done: "moved" };
type Checked = { done: "checked"; faults: string[] };
type Cancelled = { done: "cancelled"; tenantId: string; rows: number };

function toMovedText({ tenantId, cell, rows, files, missingFiles, lateRows }: Moved): string {
  return toRecord([
    ["Tenant", tenantId],
    ["Cell", cell],
    ["Rows moved", toGrouped(rows)],
    ["Files moved", toGrouped(files)],
    ...(missingFiles.length === 0
      ? []
      : [["Files that were lost before", missingFiles.join(", ")] as const]),
    ...(lateRows === 0 ? [] : [["Rows that came late", toGrouped(lateRows)] as const]),
  ]);
}

function toText(result: Moved | Checked | Cancelled): string {
  switch (result.done) {
    case "moved":
      return toMovedText(result);
    case "cancelled":
      return `${result.tenantId} is here, and its calls pass.`;
    default:
      return "Nothing stands against the move. Nothing was moved.";
  }
}

/** `turnpike tenants move`: to another cell. */
export function addMoveCommand(cli: Cli, tenants: CommandUnknownOpts): void {
  tenants
    .command("move")
    .description(
      "move a tenant to another cell, with its people, keys, usage and invoices; its calls are refused meanwhile, for seconds or minutes. Stop and repeat it at will",
    )
    .argument("<tenant>", "id or slug of the tenant")
    .requiredOption("--to <file>", "file with the DATABASE_URL of the other cell")
    .option("--dry-run", "only say what stands against it")
    .option("--cancel", "take a move back that the other cell does not know of yet")
    .addHelpText(
      "after",
      examples(
        "tenants move blue-heron-maps --to west.address --dry-run",
        "tenants move blue-heron-maps --to west.address",
      ),
    )
    .action(async (tenant: string, options: { to: string; dryRun?: true; cancel?: true }) => {
      if (options.dryRun && options.cancel) {
        throw new UsageError("--dry-run and --cancel exclude each other");
      }
      const address = await readAddress(cli.toPath(options.to));
      const report = (line: string) => {
        if (!cli.isJson()) {
          cli.environment.errors.write(`${line}\n`);
        }
      };
      const result = await runCommand(
        {
          config: cli.environment.readConfig(),
          log: cli.environment.errors,
          timeoutSeconds: null,
          graceMs: GRACE_MS,
        },
        (session) =>
          withOtherCell(session, { address, report }, async (deps) => {
            const { context } = session;
            if (options.dryRun) {
              const faults = await checkMove(deps, tenant);
              if (faults.length > 0) {
                throw refuse(`${tenant} cannot be moved. ${faults.join(" ")}`);
              }
              return { done: "checked" as const, faults };
            }
            return options.cancel
              ? { done: "cancelled" as const, ...(await cancelMove(deps, context, tenant)) }
              : { done: "moved" as const, ...(await moveTenant(deps, context, tenant)) };
          }),
      );
      cli.print(result, () => toText(result));
    });
}
