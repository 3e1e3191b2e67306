import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newUuidId } from "#platform/new-id.ts";
import { describeFileStore } from "./file-store.suite.ts";
import { StorageFullError } from "./file-store.ts";
import { openLocalFileStore } from "./local-file-store.ts";

let root: string;
const newFolder = () => mkdtemp(join(root, "store-"));
const now = () => new Date();

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "turnpike-files-"));
});
afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

describeFileStore("local file store", async () => openLocalFileStore(await newFolder(), now()));

async function* bytes(count: number): AsyncGenerator<Uint8Array> {
  for (let left = count; left > 0; left -= 65_536) {
    yield await Promise.resolve(new Uint8Array(Math.min(left, 65_536)).fill(7));
  }
}

describe("openLocalFileStore", () => {
  it("lets only its own user read the files or list the folder", async () => {
    const folder = join(await newFolder(), "files");
    const store = await openLocalFileStore(folder, now());
    const id = newUuidId("file");
    await store.put(id, bytes(3), { bytesMax: 10 });
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, id.slice(-2)))).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, id.slice(-2), id))).mode & 0o777).toBe(0o600);
  });

  it("does not follow a symbolic link in place of a file", async () => {
    const folder = await newFolder();
    const store = await openLocalFileStore(folder, now());
    const id = newUuidId("file");
    await store.put(id, bytes(1), { bytesMax: 1 });
    const path = join(folder, id.slice(-2), id);
    await rm(path);
    await symlink("/etc/hostname", path);
    expect(await store.open(id)).toBeUndefined();
  });

  it("removes what a killed upload left an hour ago, but not uploads in progress", async () => {
    const folder = await newFolder();
    await openLocalFileStore(folder, now());
    const incoming = join(folder, ".incoming");
    await writeFile(join(incoming, "old"), "half");
    await utimes(join(incoming, "old"), new Date(0), new Date(0));
    await writeFile(join(incoming, "young"), "half");
    await openLocalFileStore(folder, now());
    expect(await readdir(incoming)).toEqual(["young"]);
  });

  it.runIf(process.getuid?.() === 0)(
    "reports a full disk, keeps nothing of the upload, and keeps all earlier files",
    async () => {
      const folder = await newFolder();
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]);
      try {
        const store = await openLocalFileStore(folder, now());
        const [kept, refused] = [newUuidId("file"), newUuidId("file")];
        await store.put(kept, bytes(300_000), { bytesMax: 5_000_000 });
        await expect(store.put(refused, bytes(2_000_000), { bytesMax: 5_000_000 })).rejects.toThrow(
          StorageFullError,
        );
        expect((await store.stat(kept))?.bytes).toBe(300_000);
        expect(await store.stat(refused)).toBeUndefined();
        expect(await readdir(join(folder, ".incoming"))).toEqual([]);
        // The refused upload has freed its room.
        await store.put(refused, bytes(300_000), { bytesMax: 5_000_000 });
      } finally {
        execFileSync("umount", [folder]);
      }
    },
  );
});
