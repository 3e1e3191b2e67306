import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { newUuidId } from "#platform/new-id.ts";
import { type FileStore, FileTooLargeError } from "./file-store.ts";

const text = (value: string) => new TextEncoder().encode(value);

async function* chunks(...parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    yield await Promise.resolve(part);
  }
}

async function* breaking(part: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(part);
  throw new Error("the sender went away");
}

async function read(store: FileStore, id: string, range?: { first: number; last: number }) {
  const content = await store.open(id, range);
  if (content === undefined) {
    return undefined;
  }
  const parts: Uint8Array[] = [];
  for await (const part of content) {
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

async function listIds(store: FileStore): Promise<string[]> {
  const ids: string[] = [];
  for await (const id of store.list()) {
    ids.push(id);
  }
  return ids.sort();
}

const ROOM = { bytesMax: 1_000_000 };

/** The promises of every file store. */
export function describeFileStore(name: string, makeStore: () => Promise<FileStore>): void {
  describe(name, () => {
    it("returns what was put, with its length and SHA-256", async () => {
      const store = await makeStore();
      const id = newUuidId("file");
      const stored = await store.put(id, chunks(text("hello "), text("world")), ROOM);
      expect(stored.bytes).toBe(11);
      expect(Buffer.from(stored.sha256).toString("hex")).toBe(
        createHash("sha256").update("hello world").digest("hex"),
      );
      expect(await read(store, id)).toBe("hello world");
      expect((await store.stat(id))?.bytes).toBe(11);
      expect(await listIds(store)).toEqual([id]);
    });

    it("stores an empty file", async () => {
      const store = await makeStore();
      const id = newUuidId("file");
      expect((await store.put(id, chunks(), ROOM)).bytes).toBe(0);
      expect(await read(store, id)).toBe("");
    });

    it("reads a slice, including both ends", async () => {
      const store = await makeStore();
      const id = newUuidId("file");
      await store.put(id, chunks(text("0123456789")), ROOM);
      expect(await read(store, id, { first: 2, last: 4 })).toBe("234");
      expect(await read(store, id, { first: 9, last: 9 })).toBe("9");
    });

    it("accepts exactly the allowed number of bytes, and keeps nothing if there is one more", async () => {
      const store = await makeStore();
      const [fits, over] = [newUuidId("file"), newUuidId("file")];
      await store.put(fits, chunks(text("1234")), { bytesMax: 4 });
      await expect(
        store.put(over, chunks(text("123"), text("45")), { bytesMax: 4 }),
      ).rejects.toThrow(FileTooLargeError);
      expect(await listIds(store)).toEqual([fits]);
    });

    it("keeps nothing of an upload that breaks off, and leaves the previous content intact", async () => {
      const store = await makeStore();
      const [fresh, old] = [newUuidId("file"), newUuidId("file")];
      await store.put(old, chunks(text("old")), ROOM);
      await expect(store.put(fresh, breaking(text("half")), ROOM)).rejects.toThrow("went away");
      await expect(store.put(old, breaking(text("half")), ROOM)).rejects.toThrow("went away");
      expect(await read(store, fresh)).toBeUndefined();
      expect(await read(store, old)).toBe("old");
    });

    it("replaces atomically: a reader of the old content is not disturbed", async () => {
      const store = await makeStore();
      const id = newUuidId("file");
      await store.put(id, chunks(text("first")), ROOM);
      const before = await store.open(id);
      await store.put(id, chunks(text("second")), ROOM);
      const parts: Uint8Array[] = [];
      for await (const part of before ?? []) {
        parts.push(part);
      }
      expect(Buffer.concat(parts).toString()).toBe("first");
      expect(await read(store, id)).toBe("second");
    });

    it("deletes, and deleting a missing file is not an error", async () => {
      const store = await makeStore();
      const id = newUuidId("file");
      await store.put(id, chunks(text("x")), ROOM);
      await store.delete(id);
      await store.delete(id);
      expect(await store.stat(id)).toBeUndefined();
      expect(await read(store, id)).toBeUndefined();
      expect(await listIds(store)).toEqual([]);
    });

    it.each(["../../etc/passwd", "file_", "/etc/passwd", `file_${"0".repeat(31)}/`, ""])(
      "refuses %j as an id",
      async (id) => {
        const store = await makeStore();
        await expect(store.put(id, chunks(text("x")), ROOM)).rejects.toThrow(TypeError);
        await expect(store.open(id)).rejects.toThrow(TypeError);
        await expect(store.stat(id)).rejects.toThrow(TypeError);
        await expect(async () => store.delete(id)).rejects.toThrow(TypeError);
      },
    );
  });
}
