import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { forkProgram } from "@turnpike/testkit/fork-program";
import type { SweepingSettings } from "@turnpike/testkit/sweeping-program";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices, insertTestTenant } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newUuidId } from "#platform/new-id.ts";
import type { FileStore } from "./file-store.ts";
import { insertFile } from "./files.store.ts";
import { openLocalFileStore } from "./local-file-store.ts";
import { sweepFiles } from "./sweep-files.ts";

const OWNED = 30;
const ORPHANS = 300;
/** At which deletion the process is killed. */
const KILLED_AT = [1, 40, 200];
const HOUR_MS = 3_600_000;

let database: TestDatabase;
let folder: TempFolder;
let store: FileStore;
const owned: string[] = [];

async function put(): Promise<string> {
  const fileId = newUuidId("file");
  const content = (async function* () {
    yield Buffer.from(fileId);
  })();
  await store.put(fileId, content, { bytesMax: 100 });
  return fileId;
}

async function listStored(): Promise<string[]> {
  const stored: string[] = [];
  for await (const fileId of store.list()) {
    stored.push(fileId);
  }
  return stored.toSorted();
}

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await makeTempFolder();
  store = await openLocalFileStore(folder.path, new Date());
  const { transact } = createLiveServices(database);
  const tenantId = await insertTestTenant(database.sql);
  for (let count = 0; count < OWNED; count += 1) {
    const fileId = await put();
    owned.push(fileId);
    await transact.asTenant(tenantId, (tx) =>
      insertFile(tx, tenantId, {
        tenant_id: tenantId,
        file_id: fileId,
        name: "a.txt",
        media_type: "text/plain",
        bytes: BigInt(fileId.length),
        sha256: Buffer.alloc(32),
        created_at: new Date(),
        created_by: "usr_1",
      }),
    );
  }
  owned.sort();
});
afterAll(async () => {
  await database.close();
  await folder[Symbol.asyncDispose]();
});

/** Sweeps in a process of its own, which is killed once it has deleted so many files. */
async function sweepUntilKilled(settings: SweepingSettings, killedAt: number): Promise<void> {
  const program = forkProgram("sweeping-program.ts");
  const ended = new Promise((resolve) => program.once("exit", resolve));
  let deleted = 0;
  program.on("message", () => {
    deleted += 1;
    if (deleted === killedAt) {
      program.kill("SIGKILL");
    }
  });
  program.send(settings);
  await ended;
  expect(program.signalCode).toBe("SIGKILL");
}

describe("a sweep that is killed", () => {
  it("has deleted no file with an owner, and the next one deletes the rest and nothing else", async () => {
    const atMs = Date.now() + 2 * HOUR_MS;
    const settings = { target: database.target, folder: folder.path, atMs };
    for (let count = 0; count < ORPHANS; count += 1) {
      await put();
    }
    const half = join(folder.path, ".incoming", "half");
    for (const killedAt of KILLED_AT) {
      // What a crash left of an upload, as old as the others.
      await mkdir(join(folder.path, ".incoming"), { recursive: true });
      await writeFile(half, "half");
      await utimes(half, new Date(atMs - 2 * HOUR_MS), new Date(atMs - 2 * HOUR_MS));
      const before = await listStored();
      await sweepUntilKilled(settings, killedAt);
      const after = await listStored();
      expect(owned.filter((fileId) => !after.includes(fileId))).toEqual([]);
      expect(before.length - after.length).toBeGreaterThanOrEqual(killedAt);
      // It was killed in the middle, or the case would show nothing.
      expect(after.length).toBeGreaterThan(OWNED);
    }
    // Uploads of this very hour are not looked at, whether their row is there or not.
    const services = createLiveServices(database);
    const clock = { ...services.clock, now: () => new Date(atMs) };
    const young = await put();
    const path = join(folder.path, young.slice(-2), young);
    await utimes(path, new Date(atMs), new Date(atMs));
    const deps = { ...services, clock, fileStore: store, fileOwners: [] };
    const { signal } = new AbortController();
    const result = await sweepFiles(deps, { signal });
    expect(result.missing).toBe(0);
    expect(result.deleted).toBeGreaterThan(0);
    expect(await listStored()).toEqual([...owned, young].toSorted());
    expect(await readdir(join(folder.path, ".incoming"))).toEqual([]);
    expect(await sweepFiles(deps, { signal })).toEqual({ deleted: 0, missing: 0 });
  });
});
