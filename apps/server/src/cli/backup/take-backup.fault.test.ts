import { appendFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { restoreBackup } from "./restore-backup.ts";
import { verifyBackup } from "./seal.ts";
import { takeBackup } from "./take-backup.ts";

/** A small data folder. Its database's files are stand-ins; the server that hears of their copy is real. */
const FILES = {
  "postgres/PG_VERSION": "18",
  "postgres/base/1/1259": "a table",
  "postgres/postmaster.pid": "of the running server alone",
  "postgres/pg_wal/000000010000000000000001": "the log",
  "journal/1.journal": "usage that waits",
  "workers/1/journal/1.journal": "usage of a worker that waits",
  "files/ab/file_1": "a logo",
  "secrets/webhooks": "a secret",
  "process-id": "proc_1",
};
const KEPT = Object.keys(FILES).filter((path) => path !== "postgres/postmaster.pid");

let database: TestDatabase;
let places: TempFolder;
let dataFolder: string;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  places = await makeTempFolder();
  dataFolder = join(places.path, "data");
  folder = join(places.path, "backup");
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(join(dataFolder, path, ".."), { recursive: true });
    await writeFile(join(dataFolder, path), text);
  }
});
afterAll(async () => {
  await database.close();
  await places[Symbol.asyncDispose]();
});

const startMs = Date.parse("2026-11-01T00:00:00Z");

/**
 * Each file takes a second.
 *
 * @param onFile - Called with how many files were copied, and the path of the last.
 */
const take = (onFile: (count: number, path: string) => unknown = () => undefined) => {
  let count = 0;
  return takeBackup({
    folder,
    dataFolder,
    configFile: undefined,
    target: database.target,
    version: "1.2.3",
    now: () => new Date(startMs + count * 1000),
    withSecrets: true,
    signal: AbortSignal.any([]),
    onFile({ path }) {
      count += 1;
      onFile(count, path);
    },
  });
};

const restore = (signal: AbortSignal, onFile: () => void = () => undefined) =>
  restoreBackup({
    folder,
    dataFolder: join(places.path, "restored"),
    databaseUrl: undefined,
    databaseUser: undefined,
    signal,
    onFile,
  });

describe("a backup", () => {
  it("that fails after any of its files leaves nothing behind, and the next one is whole", async () => {
    let copied = 0;
    for (let failsAt = 1; ; failsAt += 1) {
      let isOver = true;
      await take((count) => {
        copied = count;
        if (count === failsAt) {
          isOver = false;
          throw new Error("the disk is full");
        }
      }).catch((error: unknown) => expect(String(error)).toContain("the disk is full"));
      if (isOver) {
        break;
      }
      expect(await readdir(places.path)).toEqual(["data"]);
      expect(await readdir(dataFolder)).not.toContainEqual(expect.stringMatching(/^backup-/));
    }
    expect(copied).toBeGreaterThanOrEqual(KEPT.length);
    const { files, madeAt, dataUntil = "" } = await verifyBackup(folder);
    expect(files).toHaveLength(copied);
    expect(Date.parse(madeAt)).toBe(startMs);
    expect(Date.parse(dataUntil)).toBeGreaterThan(startMs);
    await expect(take()).rejects.toThrow("overwrites nothing");
  });

  it("that is killed is none, and what it left makes way for the next", async () => {
    const partial = `${folder}.partial`;
    await mkdir(join(partial, "postgres"), { recursive: true });
    await writeFile(join(partial, "postgres/half"), "half");
    await expect(verifyBackup(partial)).rejects.toThrow("holds no complete backup");
    folder = join(places.path, "second");
    await mkdir(`${folder}.partial`);
    await writeFile(join(`${folder}.partial`, "half"), "half");
    await take();
    expect(await readdir(places.path)).not.toContain("second.partial");
    expect(await readdir(folder)).not.toContain("half");
  });

  it("whose restoring is interrupted leaves no data folder, and restores as it was when it is tried again", async () => {
    const interrupted = new AbortController();
    await expect(
      restore(interrupted.signal, () => interrupted.abort(new Error("stopped"))),
    ).rejects.toThrow();
    expect(await readdir(places.path)).not.toContainEqual(expect.stringMatching(/^restored/));

    let copied = 0;
    await restore(AbortSignal.any([]), () => {
      copied += 1;
    });
    expect(copied).toBeGreaterThanOrEqual(KEPT.length);
    const restored = join(places.path, "restored");
    for (const path of KEPT) {
      expect(await readFile(join(restored, path), "utf8")).toBe(FILES[path as keyof typeof FILES]);
    }
    expect(await readdir(join(restored, "postgres"))).not.toContain("postmaster.pid");
    expect(await readFile(join(restored, "postgres/backup_label"), "utf8")).toContain("START WAL");
    await expect(restore(AbortSignal.any([]))).rejects.toThrow("something in");
  });

  it("holds usage whose commit comes too late for the copy of the database, of workers as well", async () => {
    folder = join(places.path, "third");
    const journals = ["journal/1.journal", "workers/1/journal/1.journal"] as const;
    const removed: Promise<void>[] = [];
    await take((_, path) => {
      if (path === "postgres/backup_label") {
        // As when the groups are committed now, and taken out of the journal.
        removed.push(...journals.map((journal) => rm(join(dataFolder, journal))));
      }
    });
    expect(removed).toHaveLength(journals.length);
    await Promise.all(removed);
    for (const journal of journals) {
      expect(await readFile(join(folder, journal), "utf8")).toBe(FILES[journal]);
    }
  });

  it("that was changed is refused, with the file that was", async () => {
    await appendFile(join(folder, "postgres/PG_VERSION"), "1");
    await expect(verifyBackup(folder)).rejects.toThrow(
      /damaged: .*postgres\/PG_VERSION is not as it was sealed/,
    );
  });
});
