import { createHash } from "node:crypto";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { type S3Server, startS3Server } from "@turnpike/testkit/s3-server";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

const SCOPES = ["files:read", "files:write"] as const;
const HOUR_MS = 3_600_000;

let database: TestDatabase;
let bucket: S3Server;
let app: TestApp;
let tenantId: TenantId;
let key: string;

beforeAll(async () => {
  database = await createTestDatabase();
  bucket = await startS3Server();
  const { region, accessKeyId, secretAccessKey } = bucket.keys;
  const s3 = {
    ...{ endpoint: bucket.url, bucket: bucket.bucket, pathStyle: true },
    ...{ region, accessKeyId },
  };
  app = await startTestApp(database, {
    configText: JSON.stringify({ files: { store: "s3", s3 } }),
    env: { TURNPIKE_S3_SECRET_KEY: secretAccessKey },
  });
});
afterAll(async () => {
  await app.close();
  await bucket.close();
  await database.close();
});
beforeEach(async () => {
  bucket.now = () => new Date();
  tenantId = await app.mintTenant("Acme");
  key = await app.mintKey(tenantId, SCOPES);
});

const path = () => `/v1/tenants/${tenantId}/files`;

async function createUpload(content: string, mediaType = "text/plain") {
  const reply = await app.call(key, "POST", `${path()}/uploads`, {
    name: "notes.txt",
    mediaType,
    bytes: Buffer.byteLength(content),
    sha256: createHash("sha256").update(content).digest("hex"),
  });
  expect(reply.status).toBe(201);
  return reply.json;
}

/** As a browser does. @returns The status of the store. */
async function send(upload: { url: string; headers: object }, content: string, headers = {}) {
  const reply = await fetch(upload.url, {
    method: "PUT",
    headers: { ...upload.headers, ...headers },
    body: content,
  });
  await reply.body?.cancel();
  return reply.status;
}

const complete = (token: string, credential = key) =>
  app.call(credential, "POST", `${path()}/uploads/complete`, { token });

describe("files past the server", () => {
  it("go straight into the bucket, become files once they are checked, and come straight from it", async () => {
    const upload = await createUpload("hello");
    expect((await complete(upload.token)).status).toBe(409);
    expect(await send(upload, "hello")).toBe(200);
    expect((await app.call(key, "GET", path())).json.items).toEqual([]);
    const done = await complete(upload.token);
    expect(done).toMatchObject({ status: 201, json: { name: "notes.txt", bytes: 5, tenantId } });
    expect((await complete(upload.token)).json).toEqual(done.json);
    const { fileId } = done.json;
    expect((await app.call(key, "GET", `${path()}/${fileId}/content`)).text).toBe("hello");
    const { json } = await app.call(key, "POST", `${path()}/${fileId}/download`);
    const fetched = await fetch(json.url);
    expect([fetched.status, await fetched.text()]).toEqual([200, "hello"]);
    expect(fetched.headers.get("content-disposition")).toContain(
      'attachment; filename="notes.txt"',
    );
    bucket.now = () => new Date(Date.now() + HOUR_MS);
    expect((await fetch(json.url)).status).toBe(403);
  });

  it("are refused by the store in any other length, type or content, or a second time", async () => {
    const upload = await createUpload("hello");
    expect({
      longer: await send(upload, "hello world"),
      other: await send(upload, "hullo"),
      type: await send(upload, "hello", { "content-type": "text/html" }),
      unsigned: await send(
        { ...upload, url: upload.url.replace(/Signature=../, "Signature=00") },
        "hello",
      ),
    }).toEqual({ longer: 403, other: 400, type: 403, unsigned: 403 });
    expect(await send(upload, "hello")).toBe(200);
    expect(await send(upload, "hello")).toBe(412);
  });

  it("that are not what they claim to be are deleted and become no files", async () => {
    const before = bucket.listKeys();
    const upload = await createUpload("not a picture", "image/png");
    expect(await send(upload, "not a picture")).toBe(200);
    expect((await complete(upload.token)).status).toBe(415);
    expect(bucket.listKeys()).toEqual(before);
  });

  it("belong to the tenant that announced them, and to no token that was made up", async () => {
    const upload = await createUpload("hello");
    await send(upload, "hello");
    const [content] = upload.token.split(".");
    tenantId = await app.mintTenant("Other");
    key = await app.mintKey(tenantId, SCOPES);
    for (const token of [upload.token, `${content}.AAAA`, "a.b", "a"]) {
      expect((await complete(token)).status, token).toBe(404);
    }
  });

  it("are no larger than any other", async () => {
    const reply = await app.call(key, "POST", `${path()}/uploads`, {
      name: "a.txt",
      mediaType: "text/plain",
      bytes: 6 * 1024 * 1024,
      sha256: "0".repeat(64),
    });
    expect(reply.status).toBe(400);
  });
});

describe("where files are not in a bucket", () => {
  it("there are no such addresses, and the answer says so", async () => {
    const plain = await startTestApp(database);
    try {
      const reply = await plain.call(key, "POST", `${path()}/uploads`, {
        name: "a.txt",
        mediaType: "text/plain",
        bytes: 1,
        sha256: "0".repeat(64),
      });
      expect(reply.status).toBe(409);
      expect(reply.json.detail).toContain("not in a bucket");
    } finally {
      await plain.close();
    }
  });
});
