import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import {
  CHECK_IDS,
  type Check,
  type Checks,
  checks as checksReply,
} from "@turnpike/contract/checks";
import { SCOPES } from "@turnpike/domain/access/scopes";
import { SAMPLE_CATALOG } from "@turnpike/domain/catalog/plan";
import { createCommandLine } from "@turnpike/testkit/command-line";
import { makeProductHome, type ProductHome } from "@turnpike/testkit/product";
import { databaseUrlOf } from "@turnpike/testkit/product-process";
import { type SmtpServer, startSmtpServer } from "@turnpike/testkit/smtp-server";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeAddresses } from "#platform/addresses-file.ts";
import { writeLastBackup } from "#platform/last-backup.ts";

const PASSWORD = "correct-horse-battery";

let database: TestDatabase;
let home: ProductHome;
let smtp: SmtpServer;
let upstream: Server;
let folder: TempFolder;
beforeAll(async () => {
  database = await createTestDatabase();
  home = await makeProductHome({ DATABASE_URL: databaseUrlOf(database) });
  smtp = await startSmtpServer();
  upstream = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  await once(upstream, "listening");
  folder = await makeTempFolder();
});
afterAll(async () => {
  await new Promise((resolve) => upstream.close(resolve));
  await smtp.close();
  await folder[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
  await database.close();
});

async function configure(config: object): Promise<void> {
  await writeFile(join(folder.path, "turnpike.yaml"), JSON.stringify(config));
}

async function examine(env: Record<string, string> = {}) {
  const turnpike = createCommandLine({
    env: { ...home.environment, ...env },
    workingFolder: folder.path,
  });
  const { stdout, code } = await turnpike("doctor", "--json");
  const result = checksReply.parse(JSON.parse(stdout));
  const of = (id: Check["id"]) => result.checks.find((check) => check.id === id);
  return { code, result, of, stdout };
}

const statesOf = ({ checks }: Checks) =>
  Object.fromEntries(checks.map(({ id, state }) => [id, state]));

function upstreamUrl(): string {
  const address = upstream.address();
  return `http://127.0.0.1:${String(typeof address === "object" ? address?.port : 0)}`;
}

describe("turnpike doctor", () => {
  it("says of a fresh installation what is missing before customers come", async () => {
    await rm(join(folder.path, "turnpike.yaml"), { force: true });
    const { code, result, of } = await examine();
    // The test server trades durability for speed, which the check reports.
    expect(code).toBe(of("database")?.state === "failed" ? 1 : 0);
    expect(statesOf(result)).toEqual({
      upstreams: "warning",
      addresses: "warning",
      proxy: "ok",
      database: expect.stringMatching(/ok|failed/),
      disk: "ok",
      files: "ok",
      nodes: "ok",
      cells: "ok",
      clickhouse: "ok",
      clock: "ok",
      backup: "warning",
      secrets: "warning",
      mail: "warning",
      sign_in: "ok",
      operators: "warning",
      brand: "warning",
      plans: "warning",
      seller: "warning",
      legal: "warning",
      payments: "warning",
      demo: "ok",
    });
    expect(of("addresses")?.advice).toContain("publicUrls.console");
  });

  it("has nothing to say of one that is ready, and never shows a secret", async () => {
    await configure({
      brand: { name: "Acme" },
      legal: { operator: "Acme Ltd", contact: "legal@acme.example" },
      publicUrls: { console: "https://acme.example", gateway: "https://api.acme.example" },
      trustedProxies: ["10.0.0.1"],
      upstreams: [{ name: "api", url: upstreamUrl() }],
      mail: { smtp: { host: "127.0.0.1", port: smtp.port } },
      identity: { operators: ["ann@acme.example"] },
      catalog: { plans: SAMPLE_CATALOG.plans },
      billing: {
        bank: { holder: "Acme", iban: "DE89370400440532013000" },
        seller: { name: "Acme Ltd", address: ["1 Quay"], country: "IE" },
      },
    });
    const dataFolder = home.environment["TURNPIKE_DATA_DIR"] ?? "";
    await writeLastBackup(dataFolder, {
      madeAt: new Date(Date.now() - 3 * 86_400_000).toISOString(),
      folder: "/srv/backups/monday",
    });
    const { result, of, stdout } = await examine({
      TURNPIKE_SIGNING_SECRET: `${PASSWORD}-signing-${"x".repeat(32)}`,
      TURNPIKE_IDENTITY_SECRET: `${PASSWORD}-identity-${"x".repeat(32)}`,
      TURNPIKE_WEBHOOK_SECRET: `${PASSWORD}-webhook-${"x".repeat(32)}`,
    });
    const { database: ofDatabase, ...others } = statesOf(result);
    expect(ofDatabase).toMatch(/ok|failed/);
    expect(new Set(Object.values(others))).toEqual(new Set(["ok"]));
    expect(of("backup")?.seen).toContain("3 days ago");
    expect(stdout).not.toContain(PASSWORD);
  });

  it("fails for what would harm customers, each with its way out, and waits for no one", async () => {
    await using silent = await makeTempFolder();
    await configure({
      publicUrls: { console: "http://acme.example", gateway: "https://api.acme.example" },
      upstreams: [{ name: "api", url: "http://127.0.0.1:1" }],
      mail: { smtp: { host: "127.0.0.1", port: 1 } },
      identity: {
        providers: [
          { id: "acme", name: "Acme", issuer: "http://localhost:1", clientId: "turnpike" },
        ],
      },
      storage: { reserveMegabytes: 1_000_000 },
    });
    await writeLastBackup(home.environment["TURNPIKE_DATA_DIR"] ?? silent.path, {
      madeAt: new Date(Date.now() - 30 * 86_400_000).toISOString(),
      folder: "/srv/backups/old",
    });
    const { code, of } = await examine();
    expect(code).toBe(1);
    for (const id of ["addresses", "upstreams", "mail", "sign_in", "disk"] as const) {
      expect(of(id), id).toMatchObject({ state: "failed", advice: expect.stringMatching(/\w/) });
    }
    expect(of("proxy")?.state).toBe("warning");
    expect(of("backup")).toMatchObject({ state: "warning" });
  });

  it("looks at the API that the start was given on its command line", async () => {
    await rm(join(folder.path, "turnpike.yaml"), { force: true });
    const dataFolder = home.environment["TURNPIKE_DATA_DIR"] ?? "";
    const start = {
      console: "http://localhost:3000",
      gateway: "http://localhost:3001",
      samplePath: "/",
    };
    await writeAddresses(dataFolder, {
      ...start,
      upstreams: [{ name: "api", url: upstreamUrl() }],
    });
    expect((await examine()).of("upstreams")).toMatchObject({ state: "ok", seen: "api: reached." });
    await writeAddresses(dataFolder, {
      ...start,
      upstreams: [{ name: "api", url: "http://127.0.0.1:1" }],
    });
    expect((await examine()).of("upstreams")).toMatchObject({ state: "failed" });
    await writeAddresses(dataFolder, start);
    expect((await examine()).of("upstreams")).toMatchObject({ state: "warning" });
  });

  it("checks the rest where the database cannot be opened", async () => {
    await configure({});
    const { code, of } = await examine({ DATABASE_URL: "postgres://turnpike@127.0.0.1:1/none" });
    expect(code).toBe(1);
    expect(of("database")).toMatchObject({ state: "failed" });
    expect(of("operators")).toMatchObject({ state: "unknown" });
    expect(of("disk")).toMatchObject({ state: "ok" });
  });
});

describe("GET /v1/checks", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp(database);
  });
  afterAll(() => app.close());

  it("answers operators and their programs with the same list, and no one else", async () => {
    const program = await app.mintServiceKey(SCOPES);
    const reply = await app.call(program, "GET", "/v1/checks");
    expect(checksReply.parse(reply.json).checks).toHaveLength(CHECK_IDS.length);
    const owner = await app.mintMember(await app.mintTenant("Acme"), "owner");
    expect((await app.call(owner.token, "GET", "/v1/checks")).status).toBe(403);
    expect((await app.call(undefined, "GET", "/v1/checks")).status).toBe(401);
  });
});
