import { readdir, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { file } from "@turnpike/contract/files";
import type { Actor } from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices, insertTestTenant } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiAnswer, type ApiFixture, serveModule } from "#http/api-server.fixture.ts";
import { type FileStore, StorageFullError } from "./file-store.ts";
import { createFilesRawRoutes, createFilesRoutes } from "./files.routes.ts";
import { openLocalFileStore } from "./local-file-store.ts";
import { sweepFiles } from "./sweep-files.ts";
import type { FilesDeps } from "./upload-file.ts";

const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

describe("files over HTTP", () => {
  let database: TestDatabase;
  let folder: TempFolder;
  let store: FileStore;
  let deps: FilesDeps;
  let api: ApiFixture;
  let ours: TenantId;
  let theirs: TenantId;
  /** Makes the store fail with this error. */
  let failure: Error | undefined;

  beforeAll(async () => {
    database = await createTestDatabase();
    folder = await makeTempFolder();
    const inner = await openLocalFileStore(folder.path, new Date());
    store = {
      ...inner,
      put: (...args) => (failure === undefined ? inner.put(...args) : Promise.reject(failure)),
    };
    deps = {
      ...createLiveServices(database),
      fileStore: store,
      signingSecret: "a signing secret that only tests use",
    };
    ours = await insertTestTenant(database.sql);
    theirs = await insertTestTenant(database.sql);
    const scopes = ["files:read", "files:write"] as const;
    const actors: Record<string, Actor> = {
      ours: { type: "key", id: "key_ours", tenantId: ours, scopes },
      theirs: { type: "key", id: "key_theirs", tenantId: theirs, scopes },
      reader: { type: "key", id: "key_reader", tenantId: ours, scopes: ["files:read"] },
      operator: { type: "operator", id: "op" },
    };
    api = await serveModule({
      router: { files: createFilesRoutes(deps) },
      rawRoutes: createFilesRawRoutes(deps),
      actors,
    });
  });
  afterAll(async () => {
    await api.close();
    await database.close();
    await folder[Symbol.asyncDispose]();
  });

  function upload(
    credential: string,
    options: { tenant?: string; name?: string; type?: string; body: Uint8Array | string },
  ): Promise<ApiAnswer> {
    const { tenant = ours, name = "logo.png", type = "image/png", body } = options;
    return fetch(`${api.url}/v1/tenants/${tenant}/files?name=${encodeURIComponent(name)}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${credential}`, "content-type": type },
      body: typeof body === "string" ? body : Buffer.from(body),
    });
  }

  async function uploaded(body: Uint8Array | string = PNG, type = "image/png", name?: string) {
    const response = await upload("ours", { body, type, ...(name === undefined ? {} : { name }) });
    expect(response.status).toBe(201);
    return file.parse(await response.json());
  }

  const content = (credential: string, fileId: string, headers: Record<string, string> = {}) =>
    fetch(`${api.url}/v1/tenants/${ours}/files/${fileId}/content`, {
      headers: { authorization: `Bearer ${credential}`, ...headers },
    });

  async function storedIds(): Promise<string[]> {
    const ids: string[] = [];
    for await (const id of store.list()) {
      ids.push(id);
    }
    return ids.sort();
  }

  it("returns what was uploaded, in a form that no browser runs", async () => {
    const { fileId } = await uploaded(PNG, "image/png", 'l"o\u00e9g\u4e16.png');
    const response = await content("reader", fileId);
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(PNG);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "image/png",
      "content-security-policy": "sandbox; default-src 'none'",
      "x-content-type-options": "nosniff",
      "cache-control": "private, no-store",
      "content-disposition": `attachment; filename="l_o_g_.png"; filename*=UTF-8''l%22o%C3%A9g%E4%B8%96.png`,
    });
  });

  it("answers 404 for a deleted tenant, even to operators", async () => {
    const { fileId } = await uploaded();
    const tenantId = ours;
    const statuses = async () => {
      const list = await api.call("operator", "GET", `/v1/tenants/${tenantId}/files`);
      const one = await api.call("operator", "GET", `/v1/tenants/${tenantId}/files/${fileId}`);
      const bytes = await content("operator", fileId);
      await bytes.arrayBuffer();
      return [list.status, one.status, bytes.status];
    };
    expect(await statuses()).toEqual([200, 200, 200]);
    const setDeleted = (at: Date | null) =>
      database.sql`update tenants set deleted_at = ${at} where tenant_id = ${tenantId}`;
    await setDeleted(new Date());
    expect(await statuses()).toEqual([404, 404, 404]);
    await setDeleted(null);
    expect(await statuses()).toEqual([200, 200, 200]);
  });

  it("answers ranges as HTTP defines", async () => {
    const { fileId } = await uploaded("0123456789", "text/plain");
    const part = async (range: string) => {
      const response = await content("ours", fileId, { range });
      return [response.status, await response.text(), response.headers.get("content-range")];
    };
    expect(await part("bytes=2-4")).toEqual([206, "234", "bytes 2-4/10"]);
    expect(await part("bytes=7-")).toEqual([206, "789", "bytes 7-9/10"]);
    expect(await part("bytes=-3")).toEqual([206, "789", "bytes 7-9/10"]);
    expect(await part("bytes=8-99")).toEqual([206, "89", "bytes 8-9/10"]);
    expect(await part("bytes=10-")).toEqual([416, "", "bytes */10"]);
    expect(await part("bytes=-0")).toEqual([416, "", "bytes */10"]);
    expect(await part("bytes=4-2")).toEqual([200, "0123456789", null]);
    expect(await part("bytes=0-1,3-4")).toEqual([200, "0123456789", null]);
  });

  it("lists newest first, page by page, and gets one", async () => {
    const first = await uploaded();
    const second = await uploaded();
    const page = await (await api.call("ours", "GET", `/v1/tenants/${ours}/files?limit=1`)).json();
    expect(page.items.map((one: { fileId: string }) => one.fileId)).toEqual([second.fileId]);
    const next = await (
      await api.call("ours", "GET", `/v1/tenants/${ours}/files?limit=1&cursor=${page.nextCursor}`)
    ).json();
    expect(next.items[0].fileId).toBe(first.fileId);
    const one = await api.call("ours", "GET", `/v1/tenants/${ours}/files/${first.fileId}`);
    expect(file.parse(await one.json())).toEqual(first);
  });

  it("deletes bytes and row, audits upload and deletion, and then does not find it", async () => {
    const { fileId } = await uploaded();
    const path = `/v1/tenants/${ours}/files/${fileId}`;
    expect((await api.call("ours", "DELETE", path)).status).toBe(204);
    expect((await api.call("ours", "DELETE", path)).status).toBe(404);
    expect((await content("ours", fileId)).status).toBe(404);
    expect(await store.stat(fileId)).toBeUndefined();
    const rows = await database.sql`
      select action from audit_entries where entity_id = ${fileId} order by audit_id`;
    expect(rows.map((row) => row["action"])).toEqual(["file.uploaded", "file.deleted"]);
  });

  it("answers another tenant as if the file did not exist", async () => {
    const { fileId } = await uploaded();
    const missing = `file_${"0".repeat(32)}`;
    const bodies = [];
    for (const id of [fileId, missing]) {
      const response = await api.call("theirs", "GET", `/v1/tenants/${theirs}/files/${id}/content`);
      expect(response.status).toBe(404);
      const { requestId, ...body } = await response.json();
      bodies.push(body);
      expect((await api.call("theirs", "DELETE", `/v1/tenants/${theirs}/files/${id}`)).status).toBe(
        404,
      );
      expect((await content("theirs", id)).status).toBe(404);
    }
    expect(bodies[0]).toEqual(bodies[1]);
    expect((await upload("theirs", { body: PNG })).status).toBe(404);
    const listed = await (await api.call("theirs", "GET", `/v1/tenants/${theirs}/files`)).json();
    expect(listed.items).toEqual([]);
    expect((await content("ours", fileId)).status).toBe(200);
  });

  it("refuses uploads and deletions without the scope, and everything without a credential", async () => {
    const { fileId } = await uploaded();
    expect((await upload("reader", { body: PNG })).status).toBe(403);
    expect((await api.call("reader", "DELETE", `/v1/tenants/${ours}/files/${fileId}`)).status).toBe(
      403,
    );
    expect((await fetch(`${api.url}/v1/tenants/${ours}/files/${fileId}/content`)).status).toBe(401);
    expect((await upload("unknown", { body: PNG })).status).toBe(401);
  });

  it.each([
    ["an SVG", "image/svg+xml", "<svg onload=alert(1)>"],
    ["HTML", "text/html", "<script>"],
    ["HTML called a PNG", "image/png", "<html><script>alert(1)</script>"],
    ["HTML called a PDF", "application/pdf", "<html>%PDF-1.7"],
    ["an empty PNG", "image/png", ""],
    ["bytes that are not UTF-8 called text", "text/plain", Buffer.from([0x61, 0xff, 0x62])],
    ["text that ends inside a character", "text/plain", Buffer.from([0x61, 0xc3])],
    ["text with a NUL", "text/csv", "a,b\0"],
  ])("refuses %s, and keeps nothing of it", async (_what, type, body) => {
    const before = await storedIds();
    const response = await upload("ours", { type, body });
    expect(response.status).toBe(415);
    expect((await response.json()).code).toBe("UNSUPPORTED_MEDIA_TYPE");
    expect(await storedIds()).toEqual(before);
  });

  it.each(["a/b.png", "..", "a\\b", "a\nb", "", "x".repeat(201), "\u202egnp.exe"])(
    "refuses the name %j",
    async (name) => {
      const response = await upload("ours", { name, body: PNG });
      expect(response.status).toBe(400);
      expect((await response.json()).errors[0].pointer).toBe("/name");
    },
  );

  it("accepts 5 MB and refuses one byte more, with or without an announced length", async () => {
    const limit = 5 * 1024 * 1024;
    const full = Buffer.concat([PNG, Buffer.alloc(limit - PNG.length)]);
    expect((await upload("ours", { body: full })).status).toBe(201);
    const before = await storedIds();
    expect((await upload("ours", { body: Buffer.concat([full, PNG]) })).status).toBe(413);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const req = request(
        `${api.url}/v1/tenants/${ours}/files?name=big.png`,
        { method: "PUT", headers: { authorization: "Bearer ours", "content-type": "image/png" } },
        (res) => {
          res.resume();
          resolve(res.statusCode);
        },
      );
      // The server closes the connection before it has read everything.
      req.on("error", (error: NodeJS.ErrnoException) =>
        error.code === "EPIPE" || error.code === "ECONNRESET" ? undefined : reject(error),
      );
      req.write(full);
      req.end(PNG);
    });
    expect(status).toBe(413);
    expect(await storedIds()).toEqual(before);
  });

  it("keeps nothing of an upload whose sender disconnects", async () => {
    const before = await storedIds();
    const req = request(`${api.url}/v1/tenants/${ours}/files?name=half.png`, {
      method: "PUT",
      headers: {
        authorization: "Bearer ours",
        "content-type": "image/png",
        "content-length": "1000",
      },
    });
    req.on("error", () => undefined);
    req.write(PNG);
    const incoming = () => readdir(join(folder.path, ".incoming"));
    await pollUntil("the upload begins", async () => (await incoming()).length === 1);
    req.destroy();
    await pollUntil("its bytes are removed", async () => (await incoming()).length === 0);
    expect(await storedIds()).toEqual(before);
    expect(await database.sql`select 1 from files where name = 'half.png'`).toEqual([]);
  });

  it("reports a full disk, and leaves no row", async () => {
    const before = await database.sql`select file_id from files order by 1`;
    failure = new StorageFullError("full");
    try {
      const response = await upload("ours", { body: PNG });
      expect(response.status).toBe(507);
      expect((await response.json()).code).toBe("STORAGE_FULL");
    } finally {
      failure = undefined;
    }
    expect(await database.sql`select file_id from files order by 1`).toEqual(before);
  });

  it("answers 404 for a missing tenant, even to the operator, and keeps no bytes", async () => {
    const before = await storedIds();
    const tenant = `ten_${"0".repeat(32)}`;
    expect((await upload("operator", { tenant, body: PNG })).status).toBe(404);
    expect((await upload("operator", { tenant: "unknown", body: PNG })).status).toBe(404);
    expect(await storedIds()).toEqual(before);
  });

  it("sweeps only bytes without an owner, once they are an hour old", async () => {
    const { signal } = new AbortController();
    const owned = `file_${"e".repeat(32)}`;
    const lost = `file_${"d".repeat(32)}`;
    const kept = await uploaded();
    const orphan = `file_${"f".repeat(32)}`;
    await store.put(
      orphan,
      (async function* () {
        yield PNG;
      })(),
      { bytesMax: 100 },
    );
    await store.put(
      owned,
      (async function* () {
        yield PNG;
      })(),
      { bytesMax: 100 },
    );
    const logged: unknown[] = [];
    const error = (...line: unknown[]) => logged.push(line);
    const at = (ms: number) => ({
      ...deps,
      logger: Object.assign(Object.create(deps.logger), { error }),
      // Another module: it has one file that is there, and one that is not.
      fileOwners: [
        {
          findOwned: async (_tx: unknown, ids: readonly string[]) =>
            new Set([owned, lost].filter((id) => ids.includes(id))),
          listOwned: async (_tx: unknown, { afterId }: { afterId: string }) =>
            [lost, owned].filter((id) => id > afterId),
        },
      ],
      clock: { ...deps.clock, now: () => new Date(Date.now() + ms) },
    });
    expect(await sweepFiles(at(59 * 60_000), { signal })).toEqual({ deleted: 0, missing: 1 });
    // What a crash left of an upload, which no listing shows.
    await writeFile(join(folder.path, ".incoming", "half"), "half");
    expect(await sweepFiles(at(61 * 60_000), { signal: AbortSignal.abort() })).toMatchObject({
      deleted: 1,
    });
    expect(await store.stat(orphan)).toBeDefined();
    expect(await sweepFiles(at(61 * 60_000), { signal })).toEqual({ deleted: 1, missing: 1 });
    expect(await store.stat(orphan)).toBeUndefined();
    expect(await store.stat(owned)).toBeDefined();
    expect(logged.at(-1)).toEqual([{ missing: 1, fileIds: [lost] }, expect.any(String)]);
    expect(await store.stat(kept.fileId)).toBeDefined();
  });
});
