import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type CommandLine, createCommandLine } from "@turnpike/testkit/command-line";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeProductHome, type ProductHome } from "@turnpike/testkit/product";
import { databaseUrlOf } from "@turnpike/testkit/product-process";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createTestServices } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeDue } from "#modules/billing/index.ts";
import { toBillingDeps } from "#modules/billing/testing/billing.fixture.ts";
import { DEMO_CUSTOMERS } from "./demo/demo-customers.ts";

/** Ends what hangs. */
const DEADLINE_MS = 900_000;
const CLI = "apps/server/src/cli/main.ts";
const commandLineOf = ({ environment, dataFolder }: ProductHome) =>
  createCommandLine({ env: environment, workingFolder: dataFolder });

const DEMO = ["demo", "--tenants", "6", "--days", "6", "--invoices", "0", "--seed", "3"];

describe("turnpike demo", { timeout: DEADLINE_MS }, () => {
  let database: TestDatabase;
  let home: ProductHome;
  let turnpike: CommandLine;
  beforeAll(async () => {
    database = await createTestDatabase();
    home = await makeProductHome({ DATABASE_URL: databaseUrlOf(database) });
    turnpike = commandLineOf(home);
  });
  afterAll(async () => {
    await home[Symbol.asyncDispose]();
    await database.close();
  }, DEADLINE_MS);

  async function ask(...args: string[]) {
    const { code, stdout, stderr } = await turnpike(...args, "--json");
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout);
  }

  async function makeUser(name: string): Promise<string> {
    const who = ["--issuer", "https://people.example.com", "--subject", name];
    const { userId } = await ask("users", "ensure", ...who, "--email", `${name}@example.org`);
    return userId;
  }

  /** A running product closes periods all the time. */
  async function whileClosing<Result>(work: () => Promise<Result>): Promise<Result> {
    const services = createTestServices(database);
    services.clock.advance(Date.now() - services.clock.now().getTime());
    const ended = new AbortController();
    const closing = (async () => {
      while (!ended.signal.aborted) {
        await closeDue(toBillingDeps(services));
        await setTimeout(20);
      }
    })();
    try {
      return await work();
    } finally {
      ended.abort();
      await closing;
    }
  }

  it("continues after kill -9 beside a product that closes periods, and adds nothing twice", async () => {
    const killed = home.run(CLI, ...DEMO);
    await pollUntil(
      "a tenth is written",
      () => /demo +[1-9]\d %/.test(killed.output()),
      DEADLINE_MS,
    );
    killed.kill("SIGKILL");
    await killed.ended;
    const before = await ask("reconcile");
    expect(before).toMatchObject({ drift: 0 });

    const finished = await whileClosing(() => ask(...DEMO));
    const after = await ask("reconcile");
    // Each event is an entry of each of the meters that count it.
    const counted = finished.meters * finished.events;
    expect(after).toMatchObject({
      drift: 0,
      entries: before.entries + finished.entries + counted,
      calls: before.calls + finished.calls + counted,
    });
    expect(after.entries).toBeGreaterThan(before.entries);

    expect(finished).toMatchObject({ meters: 3, alerts: 8, views: 18, exports: 1 });
    expect(finished.events).toBeGreaterThan(500);
    expect(finished.invoices).toBeGreaterThan(4);

    const again = await ask(...DEMO);
    const nothing = { groups: 0, entries: 0, calls: 0 };
    const noneAdded = { meters: 0, events: 0, invoices: 0, alerts: 0, views: 0, exports: 0 };
    expect(again).toMatchObject({ ...nothing, ...noneAdded, tenants: finished.tenants });
    expect(await ask("reconcile")).toEqual(after);
  });

  it("makes every operator an owner once, including operators added after the first run", async () => {
    const before = await turnpike(...DEMO);
    expect(before.code).toBe(0);
    expect(before.stderr).toMatch(
      /^There is no operator yet to own the demo's tenants: .*The demo takes a few minutes\.\n$/,
    );
    expect(before.stdout).toContain("Nothing was missing.");
    expect(before.stdout).toContain("There is no operator yet");

    const operator = await makeUser("ada");
    await turnpike("operators", "add", operator);
    const stranger = await makeUser("eve");
    const joined = await turnpike(...DEMO);
    expect(joined.stderr).toBe("The demo takes a few minutes.\n");
    expect(joined.stdout).toMatch(/operators own these tenants: open http\S+\/overview\n/);

    const { tenants, operators, entries } = await ask(...DEMO);
    expect({ operators, entries }).toEqual({ operators: 1, entries: 0 });
    for (const { slug } of tenants) {
      const { items } = await ask("members", "list", "--tenant", slug);
      expect(items).toContainEqual(expect.objectContaining({ userId: operator, role: "owner" }));
      expect(items.map((member: { userId: string }) => member.userId)).not.toContain(stranger);
      expect(items).toHaveLength(3);
    }
  });

  it("has its stories: a quota that is never exceeded, an upgrade, refusals", async () => {
    const { items } = await ask("tenants", "list");
    expect(items).toHaveLength(6);
    const ofName = (name: string) => items.find((item: { name: string }) => item.name === name);
    expect(ofName("Mossgate Market")).toMatchObject({ planId: "pro" });
    const shown = await ask(...DEMO);
    for (const { tenantId, planId } of shown.tenants) {
      expect(items).toContainEqual(expect.objectContaining({ tenantId, planId }));
    }
    const { slug } = ofName("Tinker Moth Apps");
    const outcomes = await ask("usage", "--tenant", slug, "--by", "outcome");
    const groups = outcomes.rows.map((row: { group: string }) => row.group);
    expect(groups).toEqual(expect.arrayContaining(["VALID", "RATE_LIMITED"]));
    const { quotas } = await ask("limits", "--tenant", slug);
    for (const quota of quotas) {
      expect(Number(quota.used)).toBeLessThanOrEqual(quota.limit);
    }
    const days = await ask("usage", "--by", "day");
    expect(days.rows.length).toBeGreaterThanOrEqual(6);
    const statuses = await ask("usage", "--by", "status");
    const found = statuses.rows.map((row: { group: string }) => row.group);
    expect(found).toEqual(expect.arrayContaining(["200", "304", "404", "429", "502", "504"]));
  });

  describe("--remove", () => {
    it("changes nothing without --yes", async () => {
      const { code, stderr } = await turnpike("demo", "--remove");
      expect(code).toBe(2);
      expect(stderr).toContain("add --yes to confirm");
      expect((await ask("tenants", "list")).items).toHaveLength(6);
    });

    it("removes everything that the demo made and nothing else, also after kill -9", async () => {
      const own = await ask("tenants", "create", "--name", "Real Customer");
      await ask("keys", "create", "--tenant", own.slug, "--name", "Real key");
      const member = await makeUser("mira");
      await ask("members", "put", member, "--tenant", own.slug, "--role", "viewer");
      const log = '192.0.2.1 - - [20/Nov/2025:10:00:00 +0000] "GET /a HTTP/1.1" 200 5\n';
      await using folder = await makeTempFolder();
      const path = join(folder.path, "access.log");
      await writeFile(path, log);
      await ask("import", "--tenant", own.slug, path);
      const plans = await ask("catalog", "show");

      const killed = home.run(CLI, "demo", "--remove", "--yes");
      await pollUntil(
        "a tenant is removed",
        () => /demo --remove +[1-9]\d %/.test(killed.output()),
        DEADLINE_MS,
      );
      killed.kill("SIGKILL");
      await killed.ended;
      expect(await ask("reconcile")).toMatchObject({ drift: 0 });

      const removed = await ask("demo", "--remove", "--yes");
      expect(removed.tenants.length).toBeGreaterThan(0);
      expect(removed.users).toBeGreaterThan(0);
      expect([...removed.meters].sort()).toEqual(["active-users", "answer-tokens", "answers"]);

      expect((await ask("tenants", "list")).items).toEqual([own]);
      expect((await ask("tenants", "list-deleted")).items).toEqual([]);
      const after = await ask("catalog", "show");
      const isOwn = ({ planId }: { planId: string }) => !planId.startsWith("demo-");
      expect(after.plans.filter(isOwn)).toEqual(plans.plans.filter(isOwn));
      expect(removed.plans).toEqual([
        ...["demo-growth", "demo-volume", "demo-prepaid", "demo-yearly", "demo-support"],
      ]);
      expect(after.meters.map(({ meterId }: { meterId: string }) => meterId)).toEqual(["requests"]);
      expect(await ask("reconcile")).toMatchObject({ drift: 0, entries: 1, calls: 1 });
      expect((await ask("members", "list", "--tenant", own.slug)).items).toHaveLength(1);
      expect((await ask("keys", "list", "--tenant", own.slug)).items).toHaveLength(2);

      const { stdout } = await turnpike("demo", "--remove", "--yes");
      expect(stdout).toContain("There is no demo to remove.");
    });

    it("makes room for a new demo, whose invoices of every kind have a form as e-invoices", async () => {
      const small = ["demo", "--tenants", "1", "--days", "1", "--seed", "3", "--invoices", "1"];
      const again = await ask(...small);
      expect(again).toMatchObject({ meters: 3 });
      expect(again.entries).toBeGreaterThan(0);
      // A coupon takes nothing off the first invoice, so there are two.
      expect(again.invoices).toBeGreaterThanOrEqual(2 * DEMO_CUSTOMERS.length);
      expect(await ask("reconcile")).toMatchObject({ drift: 0 });
      await using folder = await makeTempFolder();
      const out = ["--format", "ubl", "--out", folder.path];
      const { written, refused } = await ask("invoices", "export", ...out);
      const notes = 2 * DEMO_CUSTOMERS.filter(({ isCredited }) => isCredited).length;
      expect({ written, refused }).toEqual({ written: again.invoices + notes, refused: 0 });
      expect(await ask(...small)).toMatchObject({ invoices: 0 });

      expect((await ask("demo", "--remove", "--yes")).plans).toContain("demo-daily-yen");
      expect(await ask("reconcile")).toMatchObject({ drift: 0, invoices: 0 });
    });
  });
  it("makes an installation where there is none", async () => {
    await using fresh = await makeProductHome();
    const run = commandLineOf(fresh);
    const { code, stderr } = await run(
      "demo",
      "--tenants",
      "1",
      "--days",
      "1",
      "--invoices",
      "0",
      "--json",
    );
    // On a busy machine the start says that it waits for the database.
    expect(code, stderr).toBe(0);
    const { stdout } = await run("tenants", "list", "--json");
    expect(JSON.parse(stdout).items).toHaveLength(1);
  });
});
