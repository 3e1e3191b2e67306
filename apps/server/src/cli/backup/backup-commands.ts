import type { ConnectionTarget } from "@turnpike/db/client";
import { toGrouped } from "@turnpike/domain/text/to-grouped";
import { systemClock } from "#platform/clock.ts";
import { writeLastBackup } from "#platform/last-backup.ts";
import { toDatabaseError } from "#platform/open-database.ts";
import { COMMAND_LINE, START_COMMAND } from "#platform/published.ts";
import { readVersion } from "#platform/read-version.ts";
import type { Config } from "../../config.ts";
import { openForCommand, withDatabaseAsItIs } from "../../deps.ts";
import { type Cli, examples } from "../cli.ts";
import { toRecord } from "../print.ts";
import { runCommand } from "../run-command.ts";
import { UsageError } from "../usage-error.ts";
import { listPendingMigrations } from "./pending-migrations.store.ts";
import { restoreBackup } from "./restore-backup.ts";
import type { BackupManifest } from "./seal.ts";
import { takeBackup } from "./take-backup.ts";

const MEGABYTE = 1_000_000;

const HOW = {
  cluster: "the files of the embedded PostgreSQL, with its log from the beginning to the end",
  dump: "pg_dump, of the PostgreSQL of DATABASE_URL",
} as const;

type Summary = {
  folder: string;
  how: string;
  madeAt: string;
  /** Null of a backup from before this was noted. */
  dataUntil: string | null;
  version: string;
  withSecrets: boolean;
  files: number;
  bytes: number;
};

function summarise(folder: string, content: BackupManifest): Summary {
  return {
    folder,
    how: HOW[content.database],
    madeAt: content.madeAt,
    dataUntil: content.dataUntil ?? null,
    version: content.version,
    withSecrets: content.withSecrets,
    files: content.files.length,
    bytes: content.files.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** Of a backup that was made, with the bucket whose files are not in it. */
type Taken = Summary & { bucketLeftOut: string | null };

const toMegabytes = (bytes: number): string => `${toGrouped(Math.ceil(bytes / MEGABYTE))} MB`;

function toSummaryText(summary: Summary & Partial<Taken>): string {
  const { bucketLeftOut = null } = summary;
  return toRecord([
    ["Backup", summary.folder],
    ["Made", summary.madeAt],
    ...(summary.dataUntil === null ? [] : [["Data up to", summary.dataUntil] as const]),
    ["Of version", summary.version],
    ["Database", summary.how],
    ["Secrets", summary.withSecrets ? "included: keep it as safe as the installation" : "left out"],
    ...(bucketLeftOut === null
      ? []
      : [["Left out", `files in the bucket ${bucketLeftOut}: copy it as well`] as const]),
    ["Size", `${toMegabytes(summary.bytes)} in ${toGrouped(summary.files)} files, each sealed`],
  ]);
}

type Options = { config: Config; target: ConnectionTarget; folder: string; withSecrets: boolean };

async function takeWithProgress(cli: Cli, options: Options, signal: AbortSignal): Promise<Taken> {
  const { config, target, folder, withSecrets } = options;
  const progress = cli.startProgress("backup");
  let bytes = 0;
  try {
    const content = await takeBackup({
      folder,
      dataFolder: config.dataFolder,
      configFile: config.configFile,
      target,
      version: readVersion(config.checkout),
      now: () => systemClock.now(),
      withSecrets,
      signal,
      onFile: (file) => {
        bytes += file.bytes;
        progress.update({ done: bytes, total: null, note: `${toMegabytes(bytes)}  ${file.path}` });
      },
    });
    await writeLastBackup(config.dataFolder, { madeAt: content.madeAt, folder });
    return { ...summarise(folder, content), bucketLeftOut: config.files.s3?.bucket ?? null };
  } finally {
    progress.end();
  }
}

const SECRETS_OPTION = [
  "--without-secrets",
  "leave out the generated secrets: what they encrypt, such as the secrets of webhooks, cannot be read without them",
] as const;

function addBackupCommand(cli: Cli): void {
  cli.program
    .command("backup")
    .description(
      "copy the whole installation into a folder, as of one moment, while it serves; sealed by checksums",
    )
    .argument("<folder>", "where the backup goes: must not exist yet")
    .option(...SECRETS_OPTION)
    .addHelpText("after", examples("backup /srv/backups/monday", "backup copy --without-secrets"))
    .action(async (named, { withoutSecrets }) => {
      const folder = cli.toPath(named);
      const summary = await runCommand(
        {
          config: cli.environment.readConfig(),
          log: cli.environment.errors,
          timeoutSeconds: null,
          graceMs: 10_000,
        },
        ({ config, target, signal }) =>
          takeWithProgress(
            cli,
            { config, target, folder, withSecrets: withoutSecrets !== true },
            signal,
          ),
      );
      cli.print(summary, () => toSummaryText(summary));
    });
}

function addRestoreCommand(cli: Cli): void {
  cli.program
    .command("restore")
    .description(
      "put a backup into an empty data folder, after comparing every file with its checksum",
    )
    .argument("<folder>", "folder of the backup")
    .addHelpText("after", examples("restore /srv/backups/monday"))
    .action(async (named) => {
      const folder = cli.toPath(named);
      const config = cli.environment.readConfig();
      const progress = cli.startProgress("restore");
      let bytes = 0;
      const content = await restoreBackup({
        folder,
        dataFolder: config.dataFolder,
        databaseUrl: config.databaseUrl,
        databaseUser: config.databaseUser,
        // To interrupt it ends the process: the data folder is not there yet, and the next one begins anew.
        signal: AbortSignal.any([]),
        onFile: (file) => {
          bytes += file.bytes;
          progress.update({
            done: bytes,
            total: null,
            note: `${toMegabytes(bytes)}  ${file.path}`,
          });
        },
      }).finally(() => progress.end());
      const summary = { ...summarise(folder, content), dataFolder: config.dataFolder };
      cli.print(
        summary,
        () => `${toSummaryText(summary)}

It is restored in ${config.dataFolder}. Start it with ${START_COMMAND}, then prove it: ${COMMAND_LINE} reconcile`,
      );
    });
}

function addUpgradeCommand(cli: Cli): void {
  cli.program
    .command("upgrade")
    .description(
      "bring the database of a stopped installation to this version: check it, make a backup, then migrate",
    )
    .option(
      "--backup <folder>",
      "where the backup goes: must not exist yet; not asked with --check",
    )
    .option("--check", "say what is to be done, and do nothing; also while it serves")
    .addHelpText("after", examples("upgrade --check", "upgrade --backup /srv/backups/before"))
    .action(async ({ backup, check = false }) => {
      if (backup === undefined && !check) {
        throw new UsageError(
          "say where the backup goes, --backup <folder>, or only look, with --check",
        );
      }
      const config = cli.environment.readConfig();
      const log = cli.environment.errors;
      const done = await withDatabaseAsItIs(config, { log, mayJoin: check }, async (target) => {
        const pending = await listPendingMigrations(target).catch((error: unknown) => {
          throw toDatabaseError(error, target);
        });
        if (check || backup === undefined || pending.length === 0) {
          return { pending, backup: null };
        }
        const options = { config, target, folder: cli.toPath(backup), withSecrets: true };
        const signal = AbortSignal.any([]);
        return { pending, backup: await takeWithProgress(cli, options, signal) };
      });
      if (done.backup !== null) {
        await (await openForCommand(config, { mayCreate: true, log })).close();
      }
      const result = { version: readVersion(config.checkout), ...done };
      cli.print(result, () =>
        toRecord([
          ["Version", result.version],
          ["Migrations", result.pending.join(", ") || "none is missing"],
          ["Backup", result.backup?.folder ?? "not made"],
          ["Migrated", result.backup === null ? "no" : "yes"],
        ]),
      );
    });
}

/** `turnpike backup`, `restore` and `upgrade`. */
export function addBackupCommands(cli: Cli): void {
  addBackupCommand(cli);
  addRestoreCommand(cli);
  addUpgradeCommand(cli);
}
