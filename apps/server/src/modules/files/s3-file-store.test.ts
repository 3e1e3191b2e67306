import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { type S3Server, startS3Server } from "@turnpike/testkit/s3-server";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "#platform/clock.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createS3Client, type S3Client, type S3Settings } from "#platform/s3-client.ts";
import { describeFileStore } from "./file-store.suite.ts";
import { type FileStore, StorageFullError } from "./file-store.ts";
import { createS3FileStore } from "./s3-file-store.ts";

const PART_BYTES = 8 * 1024 * 1024;
const ROOM = { bytesMax: 100 * 1024 * 1024 };

let server: S3Server;
let prefixes = 0;
const clients: S3Client[] = [];
/** How long was waited between attempts. */
const waits: number[] = [];

beforeAll(async () => {
  // Listings of three keys have two pages.
  server = await startS3Server({ pageSize: 2 });
});
afterEach(() => {
  server.faults.splice(0);
  server.requests.splice(0);
  waits.splice(0);
});
afterAll(async () => {
  for (const client of clients) {
    await client.close();
  }
  await server.close();
});

function openStore(changed: Partial<S3Settings> = {}): FileStore {
  const client = createS3Client(
    {
      ...server.keys,
      endpoint: server.url,
      publicEndpoint: server.url,
      bucket: server.bucket,
      pathStyle: true,
      ...changed,
    },
    {
      clock: systemClock,
      chance: () => 0.5,
      wait: async (ms) => {
        waits.push(ms);
      },
    },
  );
  clients.push(client);
  prefixes += 1;
  return createS3FileStore(client, { prefix: `files-${String(prefixes)}/` });
}

describeFileStore("S3 file store", async () => openStore());

describe.each(["refused", "ignored", "unquoted"] as const)(
  "with a store whose conditions are %s",
  (conditions) => {
    let other: S3Server;
    beforeAll(async () => {
      other = await startS3Server({ pageSize: 2, conditions });
    });
    afterAll(() => other.close());
    const open = () => openStore({ ...other.keys, endpoint: other.url, publicEndpoint: other.url });

    describeFileStore("S3 file store", async () => open());

    it("keeps what is longer than a part, also in place of another content, and leaves no trace of asking", async () => {
      const store = open();
      const id = newUuidId("file");
      await store.put(id, pieces(PART_BYTES + 5), ROOM);
      await store.put(id, pieces(PART_BYTES + 6), ROOM);
      expect((await store.stat(id))?.bytes).toBe(PART_BYTES + 6);
      expect(other.countUploads()).toBe(0);
      expect(other.listKeys().filter((key) => key.includes("probe"))).toEqual([]);
    });

    it("signs downloads, and uploads only where an address cannot be used again once its content was checked", async () => {
      const store = open();
      const id = await put(store, "hello");
      const upload = { bytes: 5, mediaType: "text/plain", sha256: new Uint8Array(32) };
      const signed = await store.direct?.signUpload(newUuidId("file"), {
        ...upload,
        expiresInSeconds: 60,
      });
      expect(signed !== undefined).toBe(conditions === "unquoted");
      const answer = { mediaType: "text/plain", disposition: "attachment", expiresInSeconds: 60 };
      const url = await store.direct?.signDownload(id, answer);
      expect(await (await fetch(url ?? "")).text()).toBe("hello");
    });
  },
);

async function* pieces(count: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < count; at += 1024 * 1024) {
    yield await Promise.resolve(Buffer.alloc(Math.min(1024 * 1024, count - at), at / 1024 / 1024));
  }
}

const put = async (store: FileStore, content: string): Promise<string> => {
  const id = newUuidId("file");
  await store.put(id, once(content), ROOM);
  return id;
};

async function* once(content: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(content));
}

async function read(store: FileStore, id: string): Promise<string | undefined> {
  const content = await store.open(id);
  return content && (await buffer(content)).toString();
}

describe("createS3FileStore", () => {
  it("sends the media type, a checksum and the condition that nothing is there yet", async () => {
    const store = openStore();
    const id = newUuidId("file");
    await store.put(id, once("a,b"), { ...ROOM, mediaType: "text/csv" });
    expect(server.requests[0]?.headers).toMatchObject({
      "content-type": "text/csv",
      "if-none-match": "*",
      "x-amz-checksum-sha256": createHash("sha256").update("a,b").digest("base64"),
    });
  });

  it("stores what is longer than a part in parts, and gives it back", async () => {
    const store = openStore();
    const id = newUuidId("file");
    const length = PART_BYTES + 5;
    const stored = await store.put(id, pieces(length), ROOM);
    expect(stored.bytes).toBe(length);
    const whole = await buffer(pieces(length));
    expect(Buffer.from(stored.sha256)).toEqual(createHash("sha256").update(whole).digest());
    const content = await buffer((await store.open(id)) ?? once(""));
    expect(content.equals(whole)).toBe(true);
    expect(server.countUploads()).toBe(0);
  });

  it("ends an upload in parts that breaks off, and the sweep ends those of a killed process", async () => {
    const store = openStore();
    const id = newUuidId("file");
    const broken = (async function* () {
      yield* pieces(PART_BYTES + 1);
      throw new Error("the sender went away");
    })();
    await expect(store.put(id, broken, ROOM)).rejects.toThrow("went away");
    expect(server.countUploads()).toBe(0);
    // As of a process that was killed between two parts.
    for (let count = 0; count < 3; count += 1) {
      const key = `files-${String(prefixes)}/${newUuidId("file")}`;
      await clients.at(-1)?.call({ method: "POST", key, query: { uploads: "" } });
    }
    expect(server.countUploads()).toBe(3);
    expect(await store.deleteAbandoned(new Date(0))).toBe(0);
    expect(await store.deleteAbandoned(new Date(Date.now() + 1_000))).toBe(3);
    expect(server.countUploads()).toBe(0);
  });

  it("leaves abandoned uploads to a store that does not list them", async () => {
    server.faults.push({ matches: () => true, status: 501, code: "NotImplemented" });
    expect(await openStore().deleteAbandoned(new Date())).toBe(0);
  });

  it("lists page by page, and only its own prefix", async () => {
    const store = openStore();
    const ids = await Promise.all(["a", "b", "c", "d", "e"].map((text) => put(store, text)));
    await put(openStore(), "elsewhere");
    const listed: string[] = [];
    for await (const id of store.list()) {
      listed.push(id);
    }
    expect(listed.toSorted()).toEqual(ids.toSorted());
  });

  it("tries again after 5xx, SlowDown and a lost connection, and waits longer each time", async () => {
    const store = openStore();
    const any = () => true;
    server.faults.push(
      { matches: any, status: 503, code: "SlowDown" },
      { matches: any, status: 500, code: "InternalError" },
      { matches: any },
    );
    const id = await put(store, "in the end");
    expect(await read(store, id)).toBe("in the end");
    expect(waits).toEqual([200, 400, 800]);
  });

  it("takes a write whose answer was lost for its own, whole and in parts", async () => {
    const store = openStore();
    const served = { isServed: true };
    server.faults.push({ ...served, matches: ({ method }) => method === "PUT" });
    const id = await put(store, "written once");
    expect(await read(store, id)).toBe("written once");
    const large = newUuidId("file");
    server.faults.push({
      ...served,
      matches: ({ target, method }) => method === "POST" && target.includes("uploadId"),
    });
    await store.put(large, pieces(PART_BYTES + 1), ROOM);
    expect((await store.stat(large))?.bytes).toBe(PART_BYTES + 1);
  });

  it("gives up after four attempts, and says in words what is wrong with the settings", async () => {
    const messageOf = async (store: FileStore) => {
      try {
        await store.stat(newUuidId("file"));
        return await put(store, "x");
      } catch (error) {
        return error instanceof Error ? error.message : "";
      }
    };
    const { host } = new URL(server.url);
    const put404 = openStore({ bucket: "other-bucket" });
    expect(await messageOf(put404)).toBe(
      `The file store ${host} refused: it has no bucket of this name.`,
    );
    // HEAD has no body, so that only the status is known.
    expect(await messageOf(openStore({ secretAccessKey: "wrong" }))).toContain("refused: 403");
    await expect(put(openStore({ secretAccessKey: "wrong" }), "x")).rejects.toThrow(
      "the secret key is wrong",
    );
    await expect(put(openStore({ accessKeyId: "other" }), "x")).rejects.toThrow(
      "it does not know the access key",
    );
    await expect(put(openStore({ region: "mars" }), "x")).rejects.toThrow(
      "the region is not that of the bucket",
    );
    waits.splice(0);
    await expect(put(openStore({ endpoint: "http://127.0.0.1:1" }), "x")).rejects.toThrow(
      "The file store 127.0.0.1:1 cannot be reached, or did not answer in time.",
    );
    expect(waits).toHaveLength(3);
  });

  it("tells a full store from any other failure", async () => {
    server.faults.push({ matches: () => true, status: 507, code: "XMinioStorageFull" });
    await expect(put(openStore(), "x")).rejects.toThrow(StorageFullError);
  });

  it("cuts a download off that breaks in the middle, instead of ending it early", async () => {
    const store = openStore();
    const id = newUuidId("file");
    await store.put(id, pieces(PART_BYTES), ROOM);
    const content = await store.open(id);
    const reading = (content ?? once(""))[Symbol.asyncIterator]();
    await reading.next();
    await server.close();
    await expect(
      pollUntil("the stream fails", async () => (await reading.next()).done === true),
    ).rejects.toThrow();
    server = await startS3Server({ pageSize: 2 });
  });
});
