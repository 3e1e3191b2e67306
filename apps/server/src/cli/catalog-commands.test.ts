import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { catalogInput } from "@turnpike/contract/catalog";
import { type CommandLine, createCommandLine } from "@turnpike/testkit/command-line";
import { makeProductHome, type ProductHome } from "@turnpike/testkit/product";
import { databaseUrlOf } from "@turnpike/testkit/product-process";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { startTestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";

const DEADLINE_MS = 300_000;

let folder: TempFolder;
let path: string;

const toFile = (price: string) => `catalog:
  meters:
    - { meterId: requests, name: Requests, unit: request, aggregation: count }
    - { meterId: pages, name: Pages, unit: page, aggregation: count, eventType: read }
  plans:
    - { planId: team, name: Team, pricePerMonth: "${price}", scopes: ["maps:read"] }
    - { planId: solo, name: Solo }
  defaultPlanId: solo
`;

beforeAll(async () => {
  folder = await makeTempFolder();
  path = join(folder.path, "turnpike.yaml");
});
afterAll(() => folder[Symbol.asyncDispose]());

const commandLineOf = (env: Readonly<Record<string, string>>): CommandLine =>
  createCommandLine({ env, workingFolder: folder.path });

/** A database as a server gives it: not even migrated. */
async function createEmptyDatabase(): Promise<AsyncDisposable & { url: string }> {
  const template = await createTestDatabase();
  const name = `${template.target.database}_empty`;
  await template.sql`create database ${template.sql(name)}`;
  return {
    url: databaseUrlOf({ ...template, target: { ...template.target, database: name } }),
    [Symbol.asyncDispose]: async () => {
      await template.sql`drop database ${template.sql(name)} with (force)`;
      await template.close();
    },
  };
}

describe("a catalogue of the configuration", { timeout: DEADLINE_MS }, () => {
  let home: ProductHome;
  let turnpike: CommandLine;
  beforeAll(async () => {
    home = await makeProductHome({ TURNPIKE_CONFIG: path });
    turnpike = commandLineOf(home.environment);
  });
  afterAll(() => home[Symbol.asyncDispose](), DEADLINE_MS);

  async function startAndStop(work: () => Promise<void>): Promise<string> {
    const server = await home.startServer();
    await work();
    server.kill("SIGTERM");
    await server.ended;
    return server.output();
  }

  it("that differs from the published one is reported at the start and by config check, until it is applied", async () => {
    const check = async () => {
      const { stdout } = await turnpike("config", "check", "--json");
      return JSON.parse(stdout).catalog;
    };
    await writeFile(path, toFile("19"));
    const seeded = await startAndStop(async () => {
      expect(await check()).toEqual({ path, differing: [] });
    });
    expect(seeded).not.toContain("catalog apply");
    expect(await check()).toEqual({ path, differing: null });

    await writeFile(path, toFile("29").replace("defaultPlanId: solo", "defaultPlanId: team"));
    const warned = await startAndStop(async () => {
      expect(await check()).toEqual({ path, differing: ["plan team", "default plan"] });
      const { code, stdout } = await turnpike("config", "check");
      expect(code).toBe(0);
      expect(stdout).toContain(`(plan team, default plan) and has no effect`);
      expect(stdout).toContain(`turnpike catalog apply ${path}`);
      await turnpike("catalog", "apply", path);
      expect(await check()).toEqual({ path, differing: [] });
    });
    expect(warned).toContain(`turnpike catalog apply ${path}`);
    expect(warned).toContain('"differing":["plan team","default plan"]');
  });
});

describe("a catalogue with a quota of an undefined meter", {
  timeout: DEADLINE_MS,
}, () => {
  const withQuotaOf = (meter: string) =>
    `catalog:\n  plans:\n    - planId: free\n      name: Free\n      quotas: [{ meter: ${meter}, limit: 3, kind: hard }]\n`;
  const bad = () => join(folder.path, "bad.yaml");
  const mistake = () =>
    `turnpike: The configuration has a mistake:\n  ${bad()}:5  catalog.plans.0.quotas.0.meter: There is no meter images.\n`;

  async function expectMistake(run: Promise<{ code: number | null; stderr: string }>) {
    const { code, stderr } = await run;
    expect(stderr.slice(0, mistake().length)).toBe(mistake());
    expect(stderr).not.toContain("fault of ours");
    expect(code).toBe(1);
  }

  it("is a mistake of the file, told by config check and the start, which leaves nothing behind", async () => {
    await writeFile(bad(), withQuotaOf("images"));
    await using fresh = await makeProductHome({ TURNPIKE_CONFIG: bad() });
    const turnpike = commandLineOf(fresh.environment);
    await expectMistake(turnpike("config", "check"));
    await expectMistake(fresh.run("apps/server/src/main.ts").ended);
    await expectMistake(turnpike("config", "check"));
    expect(await readdir(fresh.dataFolder)).not.toContain("postgres");

    await writeFile(bad(), withQuotaOf("requests"));
    expect((await turnpike("config", "check")).code).toBe(0);
    const server = await fresh.startServer();
    expect((await turnpike("catalog", "show")).stdout).toContain("meterId: requests");
    await writeFile(bad(), withQuotaOf("images"));
    await expectMistake(turnpike("config", "check"));
    server.kill("SIGTERM");
    await server.ended;
  });

  it("is reported likewise with an empty external database", async () => {
    await writeFile(bad(), withQuotaOf("images"));
    await using database = await createEmptyDatabase();
    const env = { TURNPIKE_CONFIG: bad(), DATABASE_URL: database.url };
    await using fresh = await makeProductHome(env);
    const turnpike = commandLineOf(fresh.environment);
    await expectMistake(turnpike("config", "check"));
    await expectMistake(fresh.run("apps/server/src/main.ts").ended);
    await expectMistake(turnpike("config", "check"));
  });
});

describe("on a database", () => {
  let database: TestDatabase;
  let turnpike: CommandLine;
  beforeAll(async () => {
    database = await createTestDatabase();
    turnpike = commandLineOf({
      TURNPIKE_CONFIG: path,
      TURNPIKE_DATA_DIR: join(folder.path, "data"),
      DATABASE_URL: databaseUrlOf(database),
    });
    await writeFile(path, toFile("19"));
  });
  afterAll(() => database.close());

  it("a catalogue is printed as catalog apply takes it, and as it is published", async () => {
    for (const name of ["show", "export"]) {
      const { code, stdout } = await turnpike("catalog", name);
      expect(code).toBe(0);
      const shown = catalogInput.parse(parseYaml(stdout));
      expect(shown.plans.map((plan) => plan.planId)).toEqual(["solo", "team"]);
      expect(shown.defaultPlanId).toBe("solo");
      const copy = join(folder.path, "copy.yaml");
      await writeFile(copy, stdout);
      expect((await turnpike("catalog", "apply", copy)).stdout).toContain("Nothing to change");
    }
  });

  it("usage says of a meter whether calls or events are counted, and reconcile that it counts both", async () => {
    expect((await turnpike("usage")).stdout).toMatch(/^Calls +0$/m);
    expect((await turnpike("usage", "--by", "day")).stdout).toMatch(/^DAY +CALLS /m);
    expect((await turnpike("usage", "--meter", "pages")).stdout).toMatch(/^Events +0$/m);
    const byDay = await turnpike("usage", "--meter", "pages", "--by", "day");
    expect(byDay.stdout).toMatch(/^DAY +EVENTS /m);
    expect((await turnpike("reconcile")).stdout).toMatch(/^Calls and events +0$/m);
  });

  it("usage names the operator where events came with a service key", async () => {
    const app = await startTestApp(database);
    await turnpike("tenants", "create", "--name", "Acme", "--external-id", "acme");
    const scope = ["--scope", "events:write"];
    const made = await turnpike("service-keys", "create", "--name", "m", ...scope, "--json");
    const event = { specversion: "1.0", type: "read", source: "/s", id: "1", subject: "acme" };
    const answer = await fetch(`${app.url}/v1/events`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${JSON.parse(made.stdout).key}`,
        "content-type": "application/cloudevents+json",
      },
      body: JSON.stringify(event),
    });
    expect(await answer.json()).toMatchObject({ accepted: 1 });
    const { stdout } = await turnpike("usage", "--meter", "pages", "--by", "key");
    expect(stdout).toMatch(/^Sent by the operator +1 +1$/m);
    await app.close();
  });
});

describe("catalog export, diff and apply", () => {
  const toPhased = (unitAmount: string, upTo: string) => `plans:
  - planId: usage
    name: By usage
    currency: EUR
    phases:
      - rateCards:
          - key: pages
            meter: pages
            interval: { month: 1 }
            price: { model: graduated, tiers: [{ upTo: "${upTo}", unitAmount: "0" }, { upTo: null, unitAmount: "${unitAmount}" }] }
coupons:
  - { couponId: launch, name: Launch, percent: "10", periods: 3 }
`;
  let database: TestDatabase;
  let turnpike: CommandLine;
  beforeAll(async () => {
    database = await createTestDatabase();
    turnpike = commandLineOf({
      DATABASE_URL: databaseUrlOf(database),
      TURNPIKE_DATA_DIR: join(folder.path, "other"),
    });
    const file = join(folder.path, "first.yaml");
    await writeFile(file, toFile("19"));
    await turnpike("catalog", "apply", file);
  });
  afterAll(() => database.close());

  it("go together: what is exported differs in nothing, and a difference reads in sentences until it is applied", async () => {
    const file = join(folder.path, "phased.yaml");
    const out = join(folder.path, "out.yaml");
    const diff = (name: string) => turnpike("catalog", "diff", name);
    await writeFile(file, toPhased("0.002", "1000"));
    expect(await diff(file)).toMatchObject({
      code: 1,
      stdout: "plan usage: new\ncoupon launch: new\n",
    });
    expect((await turnpike("catalog", "apply", file)).stdout).toBe(
      "Published usage, version 1.\nStored the coupon launch.\n",
    );
    const exported = await turnpike("catalog", "export", "--out", out);
    expect(exported).toMatchObject({ code: 0, stdout: `Wrote ${out}.\n` });
    expect(await readFile(out, "utf8")).toBe((await turnpike("catalog", "show")).stdout);
    expect(await diff(out)).toMatchObject({ code: 0, stdout: "No difference.\n" });

    await writeFile(file, toPhased("0.0015", "1000").replace("Launch", "Lift-off"));
    const { code, stdout } = await turnpike("catalog", "diff", file, "--json");
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([
      { kind: "plan", id: "usage", isNew: false, changes: [{ kind: "changed", after: "0.0015" }] },
      { kind: "coupon", id: "launch" },
    ]);
    expect((await diff(file)).stdout).toBe(
      'plan usage\n  pages: tier 2 unit price 0.002 → 0.0015\ncoupon launch\n  name "Launch" → "Lift-off"\n',
    );
    await turnpike("catalog", "apply", file);
    expect((await diff(file)).code).toBe(0);
  });

  it("refuse what cannot be billed, with its place in the file", async () => {
    const file = join(folder.path, "faulty.yaml");
    await writeFile(file, toPhased("0.002", "-5"));
    for (const command of ["diff", "apply"]) {
      const { code, stderr } = await turnpike("catalog", command, file);
      expect(code).toBe(1);
      expect(stderr).toContain("/plans/0/phases/0/rateCards/0/price/tiers/0/upTo");
      expect(stderr).toContain("Use 0 or more");
    }
  });
});
