import type { Actor } from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices, insertTestTenant } from "@turnpike/testkit/test-services";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiFixture, serveModule } from "#http/api-server.fixture.ts";
import { type FileStore, openLocalFileStore, StorageFullError } from "#modules/files/index.ts";
import { drawLogo } from "./draw-logo.ts";
import { createLogosRawRoutes, createLogosRoutes } from "./logo.routes.ts";
import { logoFiles } from "./logo.store.ts";
import type { LogoDeps } from "./set-logo.ts";

let database: TestDatabase;
let folder: TempFolder;
let store: FileStore;
let deps: LogoDeps;
let api: ApiFixture;
let ours: TenantId;
let theirs: TenantId;
/** How many files can still be stored. */
let room = Number.POSITIVE_INFINITY;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await makeTempFolder();
  const inner = await openLocalFileStore(folder.path, new Date());
  store = {
    ...inner,
    put: (...args) => {
      room -= 1;
      return room < 0 ? Promise.reject(new StorageFullError("full")) : inner.put(...args);
    },
  };
  // In the process of the test: draw-logo.test.ts shows the one of its own.
  deps = { ...createLiveServices(database), fileStore: store, drawer: { draw: drawLogo } };
  ours = await insertTestTenant(database.sql);
  theirs = await insertTestTenant(database.sql);
  const scopes = ["tenants:read", "tenants:write"] as const;
  const actors: Record<string, Actor> = {
    ours: { type: "key", id: "key_ours", tenantId: ours, scopes },
    theirs: { type: "key", id: "key_theirs", tenantId: theirs, scopes },
    reader: { type: "key", id: "key_reader", tenantId: ours, scopes: ["tenants:read"] },
    operator: { type: "operator", id: "op" },
  };
  api = await serveModule({
    router: { logos: createLogosRoutes(deps) },
    rawRoutes: createLogosRawRoutes(deps),
    actors,
  });
});
afterAll(async () => {
  await api.close();
  await database.close();
  await folder[Symbol.asyncDispose]();
});

const pngOf = (background: string) =>
  sharp({ create: { width: 32, height: 32, channels: 3, background } })
    .png()
    .toBuffer();

const upload = (credential: string, body: Buffer, { tenant = ours, query = "" } = {}) =>
  fetch(`${api.url}/v1/tenants/${tenant}/logo${query}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${credential}`, "content-type": "image/png" },
    body: new Uint8Array(body),
  });

async function uploaded(background: string, tenant = ours): Promise<string> {
  const answer = await upload("operator", await pngOf(background), { tenant });
  expect(answer.status).toBe(200);
  const { logoId } = (await answer.json()) as { logoId: string };
  return logoId;
}

const show = (logoId: string, picture = "64.webp") =>
  fetch(`${api.url}/v1/logos/${logoId}/${picture}`);

async function countStored(): Promise<number> {
  let count = 0;
  for await (const _ of store.list()) {
    count += 1;
  }
  return count;
}

describe("logos over HTTP", () => {
  it("shows the pictures to everyone, to be kept for ever, in a form that no browser runs", async () => {
    const logoId = await uploaded("#ff0000");
    for (const [picture, type] of [
      ["64.webp", "image/webp"],
      ["256.png", "image/png"],
    ] as const) {
      const answer = await show(logoId, picture);
      expect(answer.status).toBe(200);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "content-type": type,
        "x-content-type-options": "nosniff",
        "content-security-policy": "sandbox; default-src 'none'",
        "content-disposition": expect.stringMatching(/^attachment/),
        "cache-control": "public, max-age=31536000, immutable",
      });
      const { width } = await sharp(Buffer.from(await answer.arrayBuffer())).metadata();
      expect(`${String(width)}.${picture.split(".")[1] ?? ""}`).toBe(picture);
    }
    expect((await show(logoId, "512.webp")).status).toBe(404);
    expect((await show(logoId, "..%2f64.webp")).status).toBe(404);
    expect((await show("0".repeat(64))).status).toBe(404);
    expect((await show("x")).status).toBe(404);
  });

  it("replaces and removes with the files, and writes down who did it", async () => {
    const first = await uploaded("#00ff00");
    const stored = await countStored();
    const second = await uploaded("#0000ff");
    expect(second).not.toBe(first);
    expect(await countStored()).toBe(stored);
    expect((await show(first)).status).toBe(404);
    expect((await show(second)).status).toBe(200);
    const path = `/v1/tenants/${ours}/logo`;
    expect((await api.call("ours", "DELETE", path)).status).toBe(204);
    expect((await api.call("ours", "DELETE", path)).status).toBe(404);
    expect((await show(second)).status).toBe(404);
    expect(await countStored()).toBe(stored - 4);
    const actions = await database.sql`
      select action from audit_entries where tenant_id = ${ours} order by audit_id desc limit 3`;
    expect(actions.map((row) => row["action"])).toEqual([
      "tenant.logo_removed",
      "tenant.logo_changed",
      "tenant.logo_changed",
    ]);
  });

  it("gives one picture of two tenants two addresses", async () => {
    expect(await uploaded("#123456", ours)).not.toBe(await uploaded("#123456", theirs));
  });

  it("refuses what is no picture, what is too long, and everyone who may not change the tenant", async () => {
    const png = await pngOf("#abcdef");
    const before = await uploaded("#ffffff");
    const stored = await countStored();
    const codeOf = async (answer: Response) => [
      answer.status,
      ((await answer.json()) as { code: string }).code,
    ];
    expect(await codeOf(await upload("ours", Buffer.from("<svg onload=alert(1)>")))).toEqual([
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ]);
    expect(await codeOf(await upload("ours", png, { query: "?fit=stretch" }))).toEqual([
      400,
      "INVALID_REQUEST",
    ]);
    expect((await upload("ours", Buffer.alloc(5 * 1024 * 1024 + 1))).status).toBe(413);
    expect((await upload("reader", png)).status).toBe(403);
    expect((await upload("theirs", png)).status).toBe(404);
    expect((await upload("unknown", png)).status).toBe(401);
    const missing = `ten_${"0".repeat(32)}` as TenantId;
    expect((await upload("operator", png, { tenant: missing })).status).toBe(404);
    expect((await api.call("reader", "DELETE", `/v1/tenants/${ours}/logo`)).status).toBe(403);
    expect((await api.call("theirs", "DELETE", `/v1/tenants/${ours}/logo`)).status).toBe(404);
    expect(await countStored()).toBe(stored);
    expect((await show(before)).status).toBe(200);
  });

  it("keeps the logo from before when the disk fills up in the middle", async () => {
    const before = await uploaded("#aaaaaa");
    const stored = await countStored();
    room = 2;
    try {
      const answer = await upload("ours", await pngOf("#bbbbbb"));
      expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
        507,
        "STORAGE_FULL",
      ]);
    } finally {
      room = Number.POSITIVE_INFINITY;
    }
    expect(await countStored()).toBe(stored);
    expect((await show(before)).status).toBe(200);
  });

  it("hides the logo of a deleted tenant, and keeps its files for the day it comes back", async () => {
    const logoId = await uploaded("#cccccc", theirs);
    const [row] = await database.sql<{ files: string[] }[]>`
      select logo_files as files from tenants where tenant_id = ${theirs}`;
    const files = row?.files ?? [];
    await database.sql`update tenants set deleted_at = now(), deleted_by = 'x' where tenant_id = ${theirs}`;
    expect((await show(logoId)).status).toBe(404);
    const known = await deps.transact.asOperatorWithDeleted((tx) => logoFiles.findOwned(tx, files));
    expect([...known].sort()).toEqual([...files].sort());
  });
});
