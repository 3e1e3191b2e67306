import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { CEPH_MISSING, startCephServer } from "@turnpike/testkit/ceph-server";
import type { ForeignS3Server } from "@turnpike/testkit/foreign-s3-server";
import { SWIFT_MISSING, startSwiftServer } from "@turnpike/testkit/swift-server";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "#platform/clock.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createS3Client, type S3Client, type S3Settings } from "#platform/s3-client.ts";
import { describeFileStore } from "./file-store.suite.ts";
import type { FileStore } from "./file-store.ts";
import { createS3FileStore } from "./s3-file-store.ts";

const START_LIMIT_MS = 300_000;
const TEST_LIMIT_MS = 120_000;
const BUCKET = "turnpike-files";
const MEBIBYTE = 1024 * 1024;
const PART_BYTES = 8 * MEBIBYTE;
const ROOM = { bytesMax: 100 * MEBIBYTE };
const SCOPES = ["files:read", "files:write"] as const;

/** Stores of others, as Debian has them. */
const STORES = [
  {
    name: "OpenStack Swift",
    missing: SWIFT_MISSING,
    // Listings of three keys have two pages.
    start: () => startSwiftServer({ pageSize: 2 }),
    keepsConditions: false,
    checksRegions: true,
  },
  {
    name: "Ceph",
    missing: CEPH_MISSING,
    start: startCephServer,
    keepsConditions: true,
    checksRegions: false,
  },
] as const;

async function* pieces(length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < length; at += MEBIBYTE) {
    yield await Promise.resolve(Buffer.alloc(Math.min(MEBIBYTE, length - at), at / MEBIBYTE));
  }
}

async function* once(content: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(content));
}

async function listIds(store: FileStore): Promise<string[]> {
  const ids: string[] = [];
  for await (const id of store.list()) {
    ids.push(id);
  }
  return ids.toSorted();
}

function describeBucket(
  open: () => ForeignS3Server,
  { checksRegions }: { checksRegions: boolean },
): void {
  let prefixes = 0;
  const clients: S3Client[] = [];

  function openClient(changed: Partial<S3Settings> = {}): S3Client {
    const { url, keys } = open();
    const bucket = { bucket: BUCKET, pathStyle: true };
    const client = createS3Client(
      { ...keys, endpoint: url, publicEndpoint: url, ...bucket, ...changed },
      { clock: systemClock, chance: () => 0 },
    );
    clients.push(client);
    return client;
  }

  /** With a prefix of its own. */
  function openStore(): FileStore {
    prefixes += 1;
    return createS3FileStore(openClient(), { prefix: `files-${String(prefixes)}/` });
  }

  beforeAll(async () => {
    await openClient().call({ method: "PUT" });
  }, START_LIMIT_MS);
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
  });

  describeFileStore("S3 file store", async () => openStore());

  it("keeps what is longer than a part, and gives back slices across parts", async () => {
    const store = openStore();
    const id = newUuidId("file");
    const length = 2 * PART_BYTES + 5;
    const whole = await buffer(pieces(length));
    const stored = await store.put(id, pieces(length), { ...ROOM, mediaType: "text/csv" });
    expect(stored.bytes).toBe(length);
    expect(Buffer.from(stored.sha256)).toEqual(createHash("sha256").update(whole).digest());
    const content = await buffer((await store.open(id)) ?? once(""));
    expect(content.equals(whole)).toBe(true);
    const range = { first: PART_BYTES - 3, last: PART_BYTES + 3 };
    const slice = await buffer((await store.open(id, range)) ?? once(""));
    expect(slice).toEqual(whole.subarray(range.first, range.last + 1));
    expect(await listIds(store)).toEqual([id]);
    // Replaced by another content, in parts as well.
    await store.put(id, pieces(PART_BYTES + 1), ROOM);
    expect((await store.stat(id))?.bytes).toBe(PART_BYTES + 1);
    await store.delete(id);
    expect(await listIds(store)).toEqual([]);
  });

  it("ends uploads in parts that broke off, at once or by the sweep", async () => {
    const store = openStore();
    const broken = (async function* () {
      yield* pieces(PART_BYTES + MEBIBYTE);
      throw new Error("the sender went away");
    })();
    await expect(store.put(newUuidId("file"), broken, ROOM)).rejects.toThrow("went away");
    const client = openClient();
    for (let count = 0; count < 3; count += 1) {
      const key = `files-${String(prefixes)}/${newUuidId("file")}`;
      await client.call({ method: "POST", key, query: { uploads: "" } });
    }
    const later = new Date(Date.now() + 60_000);
    expect(await store.deleteAbandoned(new Date(0))).toBe(0);
    expect(await store.deleteAbandoned(later)).toBe(3);
    expect(await store.deleteAbandoned(later)).toBe(0);
  });

  it("lists all files of its prefix", async () => {
    const store = openStore();
    const ids: string[] = [];
    for (const content of ["a", "b", "c", "d", "e"]) {
      const id = newUuidId("file");
      await store.put(id, once(content), ROOM);
      ids.push(id);
    }
    expect(await listIds(store)).toEqual(ids.toSorted());
  });

  it("ends with one whole content where several write the same file at once", async () => {
    const store = openStore();
    const id = newUuidId("file");
    const contents = ["one", "two"];
    await Promise.all(contents.map((content) => store.put(id, once(content), ROOM)));
    const kept = await buffer((await store.open(id)) ?? once(""));
    expect(contents).toContain(kept.toString());
  });

  it("says in words what is wrong with the settings", async () => {
    const messageOf = async (changed: Partial<S3Settings>) => {
      const store = createS3FileStore(openClient(changed), { prefix: "" });
      return await store.put(newUuidId("file"), once("x"), ROOM).then(
        () => "",
        (error: unknown) => String(error),
      );
    };
    expect(await messageOf({ bucket: "other-bucket" })).toContain("no bucket of this name");
    expect(await messageOf({ secretAccessKey: "wrong" })).toContain("the secret key is wrong");
    expect(await messageOf({ accessKeyId: "other" })).toContain("refused");
    if (checksRegions) {
      expect(await messageOf({ region: "mars" })).toContain("the region is not that of the bucket");
    }
  });

  it("has no object left that only asked for conditions", async () => {
    const { document } = await openClient().call({ method: "GET", query: { "list-type": "2" } });
    expect(JSON.stringify(document)).not.toContain("probe-");
  });
}

function describeDirectTransfers(
  open: () => ForeignS3Server,
  { keepsConditions }: { keepsConditions: boolean },
): void {
  let database: TestDatabase;
  let app: TestApp;
  let tenantId: TenantId;
  let key: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    const { url, keys } = open();
    const { region, accessKeyId, secretAccessKey } = keys;
    const place = { endpoint: url, bucket: BUCKET, pathStyle: true, prefix: "app/" };
    app = await startTestApp(database, {
      configText: JSON.stringify({ files: { store: "s3", s3: { ...place, region, accessKeyId } } }),
      env: { TURNPIKE_S3_SECRET_KEY: secretAccessKey },
    });
    tenantId = await app.mintTenant("Acme");
    key = await app.mintKey(tenantId, SCOPES);
  }, START_LIMIT_MS);
  afterAll(async () => {
    await app?.close();
    await database?.close();
  });

  const path = () => `/v1/tenants/${tenantId}/files`;
  const announce = (content: string) =>
    app.call(key, "POST", `${path()}/uploads`, {
      name: "notes.txt",
      mediaType: "text/plain",
      bytes: Buffer.byteLength(content),
      sha256: createHash("sha256").update(content).digest("hex"),
    });
  const complete = (token: string) =>
    app.call(key, "POST", `${path()}/uploads/complete`, { token });

  async function send(upload: { url: string; headers: object }, content: string, headers = {}) {
    const sent = { ...upload.headers, ...headers };
    const reply = await fetch(upload.url, { method: "PUT", headers: sent, body: content });
    await reply.body?.cancel();
    return reply.status;
  }

  it("come back by signed addresses, as attachments", async () => {
    const uploaded = await fetch(`${app.url}${path()}?name=notes.txt`, {
      method: "PUT",
      headers: { authorization: `Bearer ${key}`, "content-type": "text/plain" },
      body: "hello",
    });
    expect(uploaded.status).toBe(201);
    const { fileId } = (await uploaded.json()) as { fileId: string };
    const { json } = await app.call(key, "POST", `${path()}/${fileId}/download`);
    const fetched = await fetch(json.url);
    expect([fetched.status, await fetched.text()]).toEqual([200, "hello"]);
    expect(fetched.headers.get("content-type")).toContain("text/plain");
    expect(fetched.headers.get("content-disposition")).toContain(
      'attachment; filename="notes.txt"',
    );
    const forged = await fetch(json.url.replace(/Signature=../, "Signature=00"));
    expect(forged.status).toBe(403);
  });

  if (!keepsConditions) {
    it("are not sent by them without conditional writes", async () => {
      const reply = await announce("hello");
      expect(reply.status).toBe(409);
      expect(reply.json.detail).toContain("takes no conditional writes");
    });

    return;
  }

  it("are sent by them once, in the announced length and type", async () => {
    const { json: upload } = await announce("hello");
    const forged = { ...upload, url: upload.url.replace(/Signature=../, "Signature=00") };
    expect({
      longer: await send(upload, "hello world"),
      type: await send(upload, "hello", { "content-type": "text/html" }),
      forged: await send(forged, "hello"),
    }).toEqual({ longer: 403, type: 403, forged: 403 });
    expect(await send(upload, "hello")).toBe(200);
    expect(await send(upload, "hello")).toBe(412);
    const done = await complete(upload.token);
    expect(done).toMatchObject({ status: 201, json: { name: "notes.txt", bytes: 5 } });
    expect((await app.call(key, "GET", `${path()}/${done.json.fileId}/content`)).text).toBe(
      "hello",
    );
  });

  it("become no files with another content, checksum or not", async () => {
    const { json: upload } = await announce("hello");
    const status = await send(upload, "hullo");
    const reply = await complete(upload.token);
    expect(reply.status).toBe(409);
    expect(reply.json.detail).toContain(status === 200 ? "is not the one" : "has not arrived");
  });
}

describe.each(STORES)("$name", ({ missing, start, ...store }) => {
  describe.skipIf(missing !== undefined)(
    missing ?? "as a bucket",
    { timeout: TEST_LIMIT_MS },
    () => {
      let server: ForeignS3Server;
      beforeAll(async () => {
        server = await start();
      }, START_LIMIT_MS);
      afterAll(async () => {
        await server?.close();
      });

      describeBucket(() => server, store);
      describe("files past the server", () => {
        describeDirectTransfers(() => server, store);
      });
    },
  );
});
