import { buffer } from "node:stream/consumers";
import { createFakeClock } from "@turnpike/testkit/fake-clock";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createTestServices, insertTestTenant } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newUuidId } from "#platform/new-id.ts";
import { describeFileStore } from "./file-store.suite.ts";
import type { ByteRange, FileStore } from "./file-store.ts";
import { insertFile } from "./files.store.ts";
import { createPostgresFileStore } from "./postgres-file-store.ts";
import { sweepFiles } from "./sweep-files.ts";

const HOUR_MS = 3_600_000;
/** Not a multiple of the length of chunks. */
const BYTES = 700_001;

let database: TestDatabase;
const clock = createFakeClock("2026-11-20T10:00:00Z");
const openStore = () => createPostgresFileStore({ ...createTestServices(database), clock });

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  await database.sql`delete from file_contents`;
});
afterAll(() => database.close());

describeFileStore("PostgreSQL file store", async () => openStore());

/** In parts that do not end where chunks end. */
async function* bytes(count: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < count; at += 60_007) {
    yield await Promise.resolve(
      Buffer.from(Array.from({ length: Math.min(60_007, count - at) }, (_, n) => (at + n) % 251)),
    );
  }
}

async function openStored(store: FileStore, id: string, range?: ByteRange) {
  const content = await store.open(id, range);
  if (content === undefined) {
    throw new Error("It is not stored.");
  }
  return content;
}

async function listOf(store: FileStore): Promise<string[]> {
  const ids: string[] = [];
  for await (const id of store.list()) {
    ids.push(id);
  }
  return ids;
}

const countRows = async () => {
  const [row] = await database.sql<{ contents: number; chunks: number }[]>`
    select (select count(*)::int from file_contents) as contents, (select count(*)::int from file_chunks) as chunks`;
  return row;
};

describe("createPostgresFileStore", () => {
  it("gives back a file of several chunks, whole and in slices across their borders", async () => {
    const store = openStore();
    const id = newUuidId("file");
    const whole = await buffer(bytes(BYTES));
    await store.put(id, bytes(BYTES), { bytesMax: BYTES });
    expect(await countRows()).toEqual({ contents: 1, chunks: 3 });
    expect(whole.equals(await buffer(await openStored(store, id)))).toBe(true);
    const ranges = [
      [0, 0],
      [262_143, 262_144],
      [200_000, 600_000],
      [524_288, BYTES - 1],
    ] as const;
    for (const [first, last] of ranges) {
      const slice = await buffer(await openStored(store, id, { first, last }));
      expect(
        slice.equals(whole.subarray(first, last + 1)),
        `${String(first)}-${String(last)}`,
      ).toBe(true);
    }
  });

  it("leaves no chunk of what is deleted or broke off, and cuts a reader off", async () => {
    const store = openStore();
    const id = newUuidId("file");
    await store.put(id, bytes(BYTES), { bytesMax: BYTES });
    const reading = (await openStored(store, id))[Symbol.asyncIterator]();
    await reading.next();
    await store.delete(id);
    await expect(reading.next()).rejects.toThrow("deleted while it was read");
    await expect(store.put(id, bytes(BYTES), { bytesMax: BYTES - 1 })).rejects.toThrow();
    expect(await countRows()).toEqual({ contents: 0, chunks: 0 });
  });

  it("gives up what a killed upload left an hour ago, and the upload itself should it go on", async () => {
    const store = openStore();
    const id = newUuidId("file");
    const slow = (async function* () {
      yield* bytes(300_000);
      clock.advance(2 * HOUR_MS);
      const before = new Date(clock.now().getTime() - HOUR_MS);
      expect(await store.deleteAbandoned(before)).toBe(1);
      yield* bytes(300_000);
    })();
    await expect(store.put(id, slow, { bytesMax: BYTES })).rejects.toThrow("given up");
    expect(await store.stat(id)).toBeUndefined();
    expect(await countRows()).toEqual({ contents: 0, chunks: 0 });
  });

  it("is swept: orphans and what was replaced go after an hour, and nothing else", async () => {
    const services = { ...createTestServices(database), clock };
    const store = openStore();
    const [owned, orphan, young] = [newUuidId("file"), newUuidId("file"), newUuidId("file")];
    const tenantId = await insertTestTenant(database.sql);
    await services.transact.asTenant(tenantId, (tx) =>
      insertFile(tx, tenantId, {
        tenant_id: tenantId,
        file_id: owned,
        name: "a.txt",
        media_type: "text/plain",
        bytes: 3n,
        sha256: Buffer.alloc(32),
        created_at: clock.now(),
        created_by: "usr_1",
      }),
    );
    for (const id of [owned, orphan, owned]) {
      await store.put(id, bytes(3), { bytesMax: 3 });
    }
    clock.advance(2 * HOUR_MS);
    await store.put(young, bytes(3), { bytesMax: 3 });
    const sweep = () =>
      sweepFiles(
        { ...services, fileStore: store, fileOwners: [] },
        { signal: AbortSignal.any([]) },
      );
    expect(await sweep()).toEqual({ deleted: 2, missing: 0 });
    expect((await listOf(store)).toSorted()).toEqual([owned, young].toSorted());
    await store.delete(owned);
    expect(await sweep()).toEqual({ deleted: 0, missing: 1 });
  });
});
