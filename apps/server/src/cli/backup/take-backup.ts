import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { link, mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import type { ConnectionTarget } from "@turnpike/db/client";
import { BOOTSTRAP_USER, clusterPaths } from "#platform/postgres-cluster.ts";
import { BackupError } from "./backup-error.ts";
import { copyWhileRunning } from "./cluster-copy.store.ts";
import { type CopiedFile, copyTree } from "./copy-tree.ts";
import { dumpDatabase } from "./dump-database.ts";
import { type BackupManifest, sealBackup } from "./seal.ts";

const run = promisify(execFile);

export type BackupInput = {
  /** Where it is made: a path that does not exist yet. */
  folder: string;
  dataFolder: string;
  /** Of turnpike.yaml, when there is one. */
  configFile: string | undefined;
  target: ConnectionTarget;
  version: string;
  now(): Date;
  withSecrets: boolean;
  signal: AbortSignal;
  onFile(file: CopiedFile): void;
};

/** What the data folder holds beside the database, and is worth keeping. */
const KEPT = ["files", "journal-set-aside", "openapi"];
/** Journals of usage: of the process, and of its workers. */
const JOURNALS = ["journal", "workers"];
const KEPT_FILES = ["postgres.password", "process-id"];

/** Of a running server alone, or made anew at each start. */
const CLUSTER_LEFT_OUT =
  /^(postmaster\.(pid|opts)|backup_label|tablespace_map)$|^(pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\/|(^|\/)(pgsql_tmp|pg_internal\.init)/;
const LOG_SEGMENT = /^[0-9A-F]{24}$|\.history$/;

async function assertFree(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found !== undefined) {
    throw new BackupError(`${folder} is there already, and a backup overwrites nothing.`);
  }
}

/**
 * Links journals of usage to where they are read at leisure: a group that is committed is taken out of the journal, and may be
 * in the database too late for the backup.
 */
async function linkJournals(dataFolder: string, to: string): Promise<void> {
  for (const name of JOURNALS) {
    const from = join(dataFolder, name);
    const entries = await readdir(from, { recursive: true, withFileTypes: true }).catch(() => []);
    for (const entry of entries.filter((one) => one.isFile())) {
      const folder = join(to, name, relative(from, entry.parentPath));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = join(entry.parentPath, entry.name);
      await link(file, join(folder, entry.name)).catch(() => undefined);
    }
  }
}

async function copyJournals({ to, signal, onFile }: Parts, from: string): Promise<void> {
  for (const name of JOURNALS) {
    await copyTree({ from: join(from, name), name, to, signal, onFile });
  }
}

type Parts = BackupInput & { to: string; files: CopiedFile[] };

/** @returns The moment that the copy is of. */
async function copyCluster(parts: Parts): Promise<Date> {
  const { dataFolder, target, to, signal } = parts;
  const { cluster } = clusterPaths(dataFolder);
  const shared = { to, signal, onFile: parts.onFile };
  const held = join(dataFolder, `backup-journal-${String(process.pid)}`);
  let until = parts.now();
  try {
    const { backupLabel } = await copyWhileRunning({
      target: "url" in target ? target : { ...target, user: BOOTSTRAP_USER },
      copy: () =>
        copyTree({
          ...shared,
          from: cluster,
          name: "postgres",
          isLeftOut: (path) => CLUSTER_LEFT_OUT.test(path),
        }),
      beforeEnd: async () => {
        until = parts.now();
        await linkJournals(dataFolder, held);
      },
      copyLog: () =>
        copyTree({
          ...shared,
          from: join(cluster, "pg_wal"),
          name: "postgres/pg_wal",
          isLeftOut: (path) => !LOG_SEGMENT.test(path),
        }),
    });
    await writeFile(join(to, "postgres/backup_label"), backupLabel, { mode: 0o600 });
    parts.onFile({
      path: "postgres/backup_label",
      bytes: Buffer.byteLength(backupLabel),
      sha256: createHash("sha256").update(backupLabel).digest("hex"),
    });
    await copyJournals(parts, held);
    return until;
  } finally {
    await rm(held, { recursive: true, force: true });
  }
}

async function copyRest(parts: Parts): Promise<void> {
  const { dataFolder, to, signal, onFile, configFile } = parts;
  const shared = { to, signal, onFile };
  // After the database: a file is there before its row is.
  for (const name of parts.withSecrets ? [...KEPT, "secrets"] : KEPT) {
    await copyTree({ ...shared, from: join(dataFolder, name), name });
  }
  await copyTree({
    ...shared,
    from: dataFolder,
    name: "data",
    isLeftOut: (path) => !KEPT_FILES.includes(path),
  });
  if (configFile !== undefined) {
    const name = basename(configFile);
    await copyTree({
      ...shared,
      from: dirname(configFile),
      name: "configuration",
      isLeftOut: (path) => path !== name,
    });
  }
}

async function fill(parts: Parts): Promise<{ database: BackupManifest["database"]; until: Date }> {
  if ("url" in parts.target) {
    const until = parts.now();
    await copyJournals(parts, parts.dataFolder);
    parts.onFile(await dumpDatabase(parts.target.url, parts.to));
    await copyRest(parts);
    return { database: "dump", until };
  }
  const until = await copyCluster(parts);
  await copyRest(parts);
  return { database: "cluster", until };
}

async function listFolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

/**
 * Makes a backup of a whole installation, which may serve meanwhile: the database as of one moment, usage that waited in the
 * journal then, files, configuration, and secrets if asked. It appears under its name when it is complete and sealed; what an
 * earlier one that was cut short has left is removed first.
 *
 * @throws {BackupError} when its place is taken, or the database cannot be copied.
 */
export async function takeBackup(input: BackupInput): Promise<BackupManifest> {
  await assertFree(input.folder);
  const to = `${input.folder}.partial`;
  await rm(to, { recursive: true, force: true });
  await mkdir(to, { recursive: true, mode: 0o700 });
  const madeAt = input.now();
  const files: CopiedFile[] = [];
  const onFile = (file: CopiedFile) => {
    files.push(file);
    input.onFile(file);
  };
  try {
    const { database, until } = await fill({ ...input, to, files, onFile });
    const content: BackupManifest = {
      format: 1,
      version: input.version,
      madeAt: madeAt.toISOString(),
      dataUntil: until.toISOString(),
      database,
      withSecrets: input.withSecrets,
      folders: await listFolders(to),
      files,
    };
    await sealBackup(to, content);
    // All of it is on the disk before it gets its name.
    await run("sync");
    await rename(to, input.folder);
    return content;
  } catch (error) {
    await rm(to, { recursive: true, force: true });
    throw error;
  }
}
