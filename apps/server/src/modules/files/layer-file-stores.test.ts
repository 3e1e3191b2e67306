import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AppServices } from "#platform/app-services.ts";
import { newUuidId } from "#platform/new-id.ts";
import type { FileStore } from "./file-store.ts";
import { layerFileStores, moveFormerFiles } from "./layer-file-stores.ts";
import { openLocalFileStore } from "./local-file-store.ts";
import { openFileStore } from "./open-file-store.ts";

let database: TestDatabase;
let root: TempFolder;
let services: AppServices;
let folders = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  root = await makeTempFolder();
  services = createLiveServices(database);
});
afterAll(async () => {
  await database.close();
  await root[Symbol.asyncDispose]();
});

function newFolder(): string {
  folders += 1;
  return join(root.path, `files-${String(folders)}`);
}

async function put(store: FileStore, content: string): Promise<string> {
  const id = newUuidId("file");
  const once = (async function* () {
    yield Buffer.from(content);
  })();
  await store.put(id, once, { bytesMax: 100 });
  return id;
}

async function read(store: FileStore, id: string): Promise<string | undefined> {
  const content = await store.open(id);
  return content && (await text(content));
}

async function listOf(store: FileStore): Promise<string[]> {
  const ids: string[] = [];
  for await (const id of store.list()) {
    ids.push(id);
  }
  return ids.sort();
}

const never = AbortSignal.any([]);

describe("a store that takes the place of another", () => {
  it("serves what is on the disk before and after it has moved, and leaves nothing there", async () => {
    const folder = newFolder();
    const disk = await openFileStore({ store: "disk", folder }, services);
    const ids = [await put(disk.fileStore, "first"), await put(disk.fileStore, "second")];
    const now = await openFileStore({ store: "postgres", folder }, services);
    const elsewhere = await openFileStore({ store: "postgres", folder: newFolder() }, services);
    expect(await read(now.fileStore, ids[0] ?? "")).toBe("first");
    expect(await read(elsewhere.fileStore, ids[0] ?? "")).toBeUndefined();
    expect(await now.moveFormer(never)).toBe(2);
    expect(await now.moveFormer(never)).toBe(0);
    expect(await read(now.fileStore, ids[0] ?? "")).toBe("first");
    expect(await read(elsewhere.fileStore, ids[1] ?? "")).toBe("second");
    const left = await readdir(folder, { recursive: true });
    expect(left.filter((name) => name.includes("file_"))).toEqual([]);
  });

  it("goes back to the disk the same way", async () => {
    const folder = newFolder();
    const postgres = await openFileStore({ store: "postgres", folder }, services);
    const id = await put(postgres.fileStore, "kept");
    const disk = await openFileStore({ store: "disk", folder }, services);
    expect(await read(disk.fileStore, id)).toBe("kept");
    await disk.moveFormer(never);
    expect(await read(await openLocalFileStore(folder, new Date()), id)).toBe("kept");
  });

  it("deletes in both, and writes to the new one alone", async () => {
    const [chosen, former] = [
      await openLocalFileStore(newFolder(), new Date()),
      await openLocalFileStore(newFolder(), new Date()),
    ];
    const both = layerFileStores({ chosen, former: [former] });
    const old = await put(former, "old");
    await both.delete(old);
    expect(await former.stat(old)).toBeUndefined();
    const fresh = await put(both, "fresh");
    expect(await former.stat(fresh)).toBeUndefined();
    expect(await read(chosen, fresh)).toBe("fresh");
  });

  it("keeps a file that cannot be moved, moves the others, and stops on its signal", async () => {
    const folder = newFolder();
    await mkdir(folder);
    const [chosen, former] = [
      await openLocalFileStore(newFolder(), new Date()),
      await openLocalFileStore(folder, new Date()),
    ];
    const ids = [await put(former, "a"), await put(former, "b"), await put(former, "c")];
    const [stuck = ""] = ids;
    const failing: FileStore = {
      ...chosen,
      put: (id, ...rest) =>
        id === stuck ? Promise.reject(new Error("no room")) : chosen.put(id, ...rest),
    };
    const stores = { chosen: failing, former: [former] };
    const { logger } = services;
    expect(await moveFormerFiles(stores, { logger, signal: AbortSignal.abort() })).toBe(0);
    expect(await moveFormerFiles(stores, { logger, signal: never })).toBe(2);
    expect(await listOf(former)).toEqual([stuck]);
    expect(await read(layerFileStores(stores), stuck)).toBe("a");
  });
});
