import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { postgresEnvironment } from "#platform/postgres-cluster.ts";
import { BackupError } from "./backup-error.ts";
import type { CopiedFile } from "./copy-tree.ts";

const run = promisify(execFile);

export const DUMP = "database.dump";

/** The address without its password, which other users could see in the list of processes. */
function split(address: string): { url: string; env: NodeJS.ProcessEnv } {
  const url = new URL(address);
  const password = decodeURIComponent(url.password);
  url.password = "";
  return { url: url.href, env: { ...postgresEnvironment(), PGPASSWORD: password } };
}

/** Runs a program of PostgreSQL on a database. @throws {BackupError} with what it said. */
export async function runPostgresTool(
  program: "pg_dump" | "pg_restore",
  address: string,
  args: readonly string[],
): Promise<void> {
  const { url, env } = split(address);
  try {
    await run(program, [...args, "--dbname", url], { env });
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    throw new BackupError(
      isMissing
        ? `A database of your own is copied by ${program}, which is not installed here: install the client programs of PostgreSQL, of the server's version or newer.`
        : `${program} failed: ${said.split("\n").slice(0, 3).join(" ")}`,
    );
  }
}

/**
 * Dumps a database of one's own. Row-level security binds its owner too, so the address needs a user that it does not bind, such
 * as a superuser: pg_dump refuses to write half of the rows.
 */
export async function dumpDatabase(address: string, folder: string): Promise<CopiedFile> {
  const path = join(folder, DUMP);
  await runPostgresTool("pg_dump", address, ["--format=custom", "--file", path]);
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return { path: DUMP, bytes: (await stat(path)).size, sha256: hash.digest("hex") };
}
