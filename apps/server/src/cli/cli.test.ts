import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { constants } from "node:os";
import { join, resolve } from "node:path";
import { type CommandLine, createCommandLine } from "@turnpike/testkit/command-line";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeProductHome, type ProductHome } from "@turnpike/testkit/product";
import { databaseUrlOf } from "@turnpike/testkit/product-process";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const CHECKOUT = resolve(import.meta.dirname, "../../../..");
const COMMAND_DEADLINE_MS = 300_000;

let folder: TempFolder;
let database: TestDatabase;
let turnpike: CommandLine;
beforeAll(async () => {
  folder = await makeTempFolder();
  database = await createTestDatabase();
  turnpike = commandLineOf({ DATABASE_URL: databaseUrlOf(database) });
});
afterAll(async () => {
  await database.close();
  await folder[Symbol.asyncDispose]();
});

const dataFolderOf = (name = "data") => join(folder.path, name);

function commandLineOf(env: Readonly<Record<string, string>>): CommandLine {
  const workingFolder = folder.path;
  return createCommandLine({ env: { TURNPIKE_DATA_DIR: dataFolderOf(), ...env }, workingFolder });
}

/** Runs a command that must work, and gives its one JSON document. */
async function askOf(run: CommandLine, ...args: string[]) {
  const { code, stdout, stderr } = await run(...args, "--json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}
const ask = (...args: string[]) => askOf(turnpike, ...args);

/** Runs a command that must fail, and gives its exit code and the one JSON document on standard error. */
async function failOf(run: CommandLine, ...args: string[]) {
  const { code, stdout, stderr } = await run(...args, "--json");
  expect(stdout).toBe("");
  return { code, problem: JSON.parse(stderr) };
}
const fail = (...args: string[]) => failOf(turnpike, ...args);

describe("the command line", () => {
  it("makes a tenant, finds it by id and slug, changes it and lists it", async () => {
    const created = await ask("tenants", "create", "--name", "Blue Heron", "--external-id", "c-1");
    expect(created).toMatchObject({ slug: "blue-heron", externalId: "c-1", planId: "free" });
    expect(await ask("tenants", "get", "blue-heron")).toEqual(created);
    expect(await ask("tenants", "get", created.tenantId)).toEqual(created);
    const changed = await ask("tenants", "update", "blue-heron", "--plan", "pro", "--suspend");
    expect(changed).toMatchObject({ planId: "pro", suspendedAt: expect.any(String) });
    const resumed = await ask("tenants", "update", "blue-heron", "--resume");
    expect(resumed).toMatchObject({ planId: "pro", suspendedAt: null });
    expect(await ask("tenants", "list", "--limit", "1")).toEqual({
      items: [resumed],
      nextCursor: null,
    });
  });

  it("keeps users, members and the last owner", async () => {
    const user = await ask("users", "ensure", "--issuer", "https://id.example", "--subject", "7");
    const put = ["members", "put", "--tenant", "blue-heron", user.userId, "--role"];
    expect(await ask(...put, "owner")).toMatchObject({ role: "owner" });
    expect(await fail(...put, "viewer")).toMatchObject({
      code: 1,
      problem: { code: "LAST_OWNER", status: 409, detail: expect.any(String) },
    });
    const { items } = await ask("members", "list", "--tenant", "blue-heron");
    expect(items).toHaveLength(1);
  });

  it("makes operators of people by address or id, lists them and takes the right away", async () => {
    expect((await turnpike("operators", "list")).stdout).toMatch(/^No operators yet\./);
    const person = ["--issuer", "https://id.example", "--subject", "8"];
    const user = await ask("users", "ensure", ...person, "--email", "ada@example.com");
    const added = await ask("operators", "add", "Ada@Example.com");
    expect(added).toMatchObject({ userId: user.userId, isOperator: true });
    // The answer says that the address is not confirmed.
    const again = await turnpike("operators", "add", "ada@example.com");
    expect(again.stdout).toMatch(/^Verified +no/m);
    expect(await ask("operators", "list")).toEqual({
      items: [
        {
          userId: user.userId,
          email: "ada@example.com",
          name: null,
          by: "setup link or command",
        },
      ],
    });
    expect(await ask("operators", "remove", user.userId)).toMatchObject({ isOperator: false });
    expect(await ask("operators", "list")).toEqual({ items: [] });
    expect(await fail("operators", "add", "eve@example.com")).toMatchObject({
      code: 1,
      problem: { code: "RESOURCE_NOT_FOUND" },
    });
  });

  it("resets the second factors of a person who lost them, with an entry and a mail", async () => {
    const user = { userId: `usr_${"1".repeat(32)}` };
    await database.sql`
      insert into users (user_id, issuer, subject, created_at, updated_at)
      values (${user.userId}, 'builtin', 'acc_1', now(), now())`;
    expect(await fail("users", "reset-factors", user.userId)).toMatchObject({
      problem: { code: "RESOURCE_NOT_FOUND" },
    });
    await database.sql`
      insert into accounts (
        account_id, email, password_hash, password_changed_at, mail_window_started_at, created_at, updated_at, second_factor_since)
      values ('acc_1', 'ada@example.com', '', now(), now(), now(), now(), now())`;
    await database.sql`
      insert into account_recovery_codes (account_id, code_hash, created_at) values ('acc_1', '\\x00', now())`;
    await ask("users", "reset-factors", user.userId);
    // Nothing is left to reset, so no second mail goes out.
    await ask("users", "reset-factors", user.userId);
    const [left] = await database.sql`
      select second_factor_since, (select count(*)::int from account_recovery_codes) as codes,
        (select count(*)::int from mails where kind = 'second-factor' and recipient = 'ada@example.com') as mails
      from accounts`;
    expect(left).toEqual({ second_factor_since: null, codes: 0, mails: 1 });
    const { items } = await ask("audit", "list");
    expect(items[0]).toMatchObject({ action: "factors.reset", entityId: user.userId });
    const elsewhere = ["--issuer", "https://id.example.com", "--subject", "1"];
    const other = await ask("users", "ensure", ...elsewhere);
    expect(await fail("users", "reset-factors", other.userId)).toMatchObject({
      problem: { code: "CONFLICT" },
    });
  });

  it("shows a key once, lists it without its text and revokes it", async () => {
    const create = ["keys", "create", "--tenant", "blue-heron", "--name", "ci"];
    const key = await ask(...create, "--test", "--scope", "usage:read", "--expires", "2999-01-01");
    expect(key).toMatchObject({
      key: expect.stringMatching(/^tp_test_/),
      scopes: ["usage:read"],
      expiresAt: "2999-01-01T00:00:00.000Z",
    });
    const listed = await turnpike("keys", "list", "--tenant", "blue-heron");
    expect(listed.stdout).toContain(key.keyId);
    expect(listed.stdout).not.toContain(key.key);
    const update = ["keys", "update", "--tenant", "blue-heron", key.keyId];
    const limits = ["--rate-limit", "burst=5/60", "--quota", "requests=100", "--no-expires"];
    expect(
      await ask(...update, "--network", "192.0.2.7", ...limits, "--metadata", "team=maps"),
    ).toMatchObject({
      name: "ci",
      scopes: ["usage:read"],
      allowedNetworks: ["192.0.2.7/32"],
      rateLimits: [{ name: "burst", limit: 5, windowSeconds: 60 }],
      quotas: [{ meter: "requests", limit: 100 }],
      metadata: { team: "maps" },
      expiresAt: null,
    });
    expect(await fail(...update)).toMatchObject({ code: 2 });
    const disabled = await ask("keys", "disable", "--tenant", "blue-heron", key.keyId);
    expect(disabled.state).toBe("disabled");
    const enabled = await ask("keys", "enable", "--tenant", "blue-heron", key.keyId);
    expect(enabled.state).toBe("active");
    const roll = ["keys", "roll", "--tenant", "blue-heron", "--grace", "60"];
    const rolled = await ask(...roll, key.keyId);
    expect(rolled).toMatchObject({ name: key.name, state: "active" });
    expect(rolled.key).not.toBe(key.key);
    const revoked = await ask("keys", "revoke", "--tenant", "blue-heron", key.keyId);
    expect(revoked.state).toBe("revoked");
  });

  it("makes, lists and revokes service keys", async () => {
    const created = await ask("service-keys", "create", "--name", "b", "--scope", "keys:verify");
    expect(created.key).toMatch(/^tp_svc_/);
    const revoked = await ask("service-keys", "revoke", created.serviceKeyId);
    expect(revoked.revokedAt).not.toBeNull();
    const { items } = await ask("service-keys", "list");
    expect(items).toEqual([revoked]);
  });

  it("lists who changed what in a tenant, and what belongs to none", async () => {
    const ofInstallation = await ask("audit", "list", "--limit", "100");
    const actions = ofInstallation.items.map((entry: { action: string }) => entry.action);
    expect(actions).toEqual(expect.arrayContaining(["operator.added", "service_key.revoked"]));
    expect(actions).not.toContain("tenant.created");
    const { tenantId } = await ask("tenants", "get", "blue-heron");
    const ofTenant = await turnpike("audit", "list", "--tenant", tenantId);
    expect(ofTenant.stdout).toMatch(/ operator .+ tenant\.created +ten_/);
    const ofAll = await ask("audit", "list", "--all-tenants", "--action", "tenant.created");
    expect(ofAll.items.map((entry: { tenantId: string }) => entry.tenantId)).toContain(tenantId);
    expect(await fail("audit", "list", "--all-tenants", "--tenant", tenantId)).toMatchObject({
      code: 2,
    });
    await using folder = await makeTempFolder();
    const out = join(folder.path, "audit.csv");
    await ask("audit", "export", "--tenant", tenantId, "--format", "csv", "--out", out);
    const lines = (await readFile(out, "utf8")).trimEnd().split("\r\n");
    expect(lines[0]).toMatch(/^occurred_at,actor_type,/);
    expect(lines.at(-1)).toContain(`,tenant.created,tenant,${tenantId},`);
  });

  it("applies a catalogue from YAML, once", async () => {
    await using folder = await makeTempFolder();
    const path = join(folder.path, "catalog.yaml");
    await writeFile(path, "plans:\n  - planId: team\n    name: Team\n    pricePerMonth: '19'\n");
    const nothing = {
      published: [],
      publishedMeters: [],
      changedCoupons: [],
      newDefaultPlanId: null,
    };
    expect(await ask("catalog", "apply", path)).toEqual({
      ...nothing,
      published: [{ planId: "team", version: 1 }],
    });
    expect(await ask("catalog", "apply", path)).toEqual(nothing);
    const plan = "plans:\n  - planId: team\n    name: Team\n    pricePerMonth: '19'\n";
    const meter =
      "{ meterId: pages, name: Pages, unit: page, aggregation: count, eventType: read }";
    await writeFile(path, `meters: [${meter}]\n${plan}`);
    const { stdout } = await turnpike("catalog", "apply", path);
    expect(stdout.trim()).toBe("Published the meter pages, version 1.");
    const again = await turnpike("catalog", "apply", path);
    expect(again.stdout.trim()).toBe(
      "Nothing to change: every meter, plan and coupon is as the file says.",
    );
    const { items } = await ask("plans", "list");
    expect(items.map((plan: { planId: string }) => plan.planId)).toContain("team");
  });

  it("names the place of every mistake in a catalogue file, and a file that is not there", async () => {
    await using folder = await makeTempFolder();
    const path = join(folder.path, "catalog.yaml");
    const plan =
      "planId: bad\n    name: Bad\n    quotas: [{ meter: tokens, limit: 1, kind: hard }]";
    await writeFile(path, `catalog:\n  plans:\n  - ${plan}\n`);
    expect(await fail("catalog", "apply", path)).toMatchObject({
      code: 1,
      problem: { code: "FILE_INVALID", errors: [{ pointer: "/catalog/plans/0/quotas/0/meter" }] },
    });
    const rate = "rateLimits: [{ name: a, limit: 0, windowSeconds: 1 }]";
    await writeFile(path, `plans:\n  - planId: bad\n    name: Bad\n    ${rate}\n`);
    const { code, stderr } = await turnpike("catalog", "apply", path);
    expect(code).toBe(1);
    expect(stderr).toContain(`turnpike: ${path} has a mistake:\n  /plans/0/rateLimits/0/limit  `);
    for (const [text, sentence] of [
      ["a: [", "is neither YAML nor JSON"],
      ["- 1", "holds no catalogue"],
    ] as const) {
      await writeFile(path, text);
      expect(await turnpike("catalog", "apply", path)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`turnpike: ${path} ${sentence}`),
      });
    }
    expect(await turnpike("catalog", "apply", "/nonexistent.yaml")).toMatchObject({
      code: 1,
      stderr: "turnpike: There is no file /nonexistent.yaml.\n",
    });
  });

  it("prints a total once, a key alone where that is wanted, and a refusal as one sentence", async () => {
    const { stdout } = await turnpike("usage");
    expect(stdout).toBe("Tenant blue-heron\nCalls           0\nBillable units  0\n");
    const create = ["keys", "create", "--tenant", "blue-heron", "--name", "k"];
    const key = /^tp_live_[0-9A-Za-z]{38}\n$/;
    expect((await turnpike(...create, "--quiet")).stdout).toMatch(key);
    const { code, stderr } = await turnpike(...create, "--expires", "2020-01-01");
    expect(code).toBe(1);
    expect(stderr).toMatch(/^turnpike: [^.]*future[^.]*\.\n$/);
  });

  it("prints the range of a sum by time, so that earlier usage is not mistaken for none", async () => {
    const range = ["--from", "2015-05-17", "--to", "2015-05-18"];
    expect((await turnpike("usage", "--by", "day", ...range)).stdout).toMatch(
      /^Tenant blue-heron, 2015-05-17 00:00 to 2015-05-18 00:00 UTC\n/,
    );
    expect(await ask("usage", "--by", "day", ...range)).toMatchObject({
      from: "2015-05-17T00:00:00.000Z",
      to: "2015-05-18T00:00:00.000Z",
    });
  });

  it("answers usage, limits and a drift of 0 before the first call", async () => {
    expect(await ask("usage", "--by", "status")).toMatchObject({
      tenant: "blue-heron",
      rows: [],
      calls: 0,
    });
    const { quotas } = await ask("limits", "--tenant", "blue-heron");
    expect(quotas[0]).toMatchObject({ used: "0", remaining: "1000000" });
    expect(await ask("reconcile")).toMatchObject({ drift: 0, findings: [] });
  });

  it("ends with 1 and the reason when a thing does not exist or is taken", async () => {
    expect(await fail("tenants", "get", "no-such-tenant")).toMatchObject({
      code: 1,
      problem: { code: "RESOURCE_NOT_FOUND", status: 404 },
    });
    const again = await turnpike("tenants", "create", "--name", "B", "--slug", "blue-heron");
    expect(again).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "turnpike: Another tenant has this slug. Choose a different one.\n",
    });
  });
});

describe("without an installation", () => {
  it.each([[["usage"]], [["tenants", "create", "--name", "A"]]])(
    "%j refuses, says how to start one, and leaves nothing behind",
    async (args) => {
      const missing = dataFolderOf("missing");
      expect(await commandLineOf({ TURNPIKE_DATA_DIR: missing })(...args)).toEqual({
        code: 1,
        stdout: "",
        stderr: `turnpike: There is no installation in ${missing}. Start one with npm start, or set TURNPIKE_DATA_DIR to the folder of yours.\n`,
      });
      expect(existsSync(missing)).toBe(false);
    },
  );
});

describe("a mistake on the command line", () => {
  // The first thing of the installation that a command opens is its configuration, which would be refused.
  const unopened = () => commandLineOf({ PORT: "many" });

  it.each([
    [["frobnicate"], "frobnicate"],
    [["tenants", "create"], "--name"],
    [["tenants", "create", "--name", ""], "--name"],
    [["tenants", "create", "--name", "A", "--slug", "No Slug"], "--slug"],
    [["tenants", "list", "--limit", "0"], "1 to 100"],
    [["tenants", "update", "a"], "say what to change"],
    [["tenants", "update", "a", "--suspend", "--resume"], "exclude"],
    [["keys", "create", "--tenant", "a", "--name", "k", "--scope", "everything"], "--scope"],
    [["keys", "create", "--tenant", "a", "--name", "k", "--expires", "soon"], "date"],
    [["keys", "revoke", "--tenant", "a", "not-a-key"], "<key>"],
    [["usage", "--by", "mood"], "--by"],
    [["demo", "--days", "100000"], "730"],
    [["--timeout", "never", "plans", "list"], "seconds"],
  ])("%j ends with 2, names the mistake and opens nothing", async (args, part) => {
    const { code, problem } = await failOf(unopened(), ...args);
    expect(code).toBe(2);
    expect(problem).toMatchObject({ code: "USAGE", detail: expect.stringContaining(part) });
    const { stderr } = await unopened()(...args);
    expect(stderr).toMatch(/^turnpike: .*--help.*\n$/);
    expect(stderr).not.toContain("..");
  });

  it("reports a configuration's mistakes with exit code 1, and a good one as valid, and prints the schema that is published", async () => {
    expect(await ask("config", "check")).toMatchObject({
      valid: true,
      dataFolder: dataFolderOf(),
      workers: 1,
    });
    const published = await readFile(join(CHECKOUT, "docs/turnpike.schema.json"), "utf8");
    expect(await ask("config", "schema")).toEqual(JSON.parse(published));
    const { code, stdout, stderr } = await unopened()("config", "check");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("PORT");
  });
});

describe("help", () => {
  it("is on standard output, with exit code 0, of the program and of a command", async () => {
    for (const command of [[], ["tenants", "create"]]) {
      const { code, stdout, stderr } = await turnpike(...command, "--help");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain(`Usage: turnpike ${command.join(" ")}`.trim());
    }
  });
});

describe("the program turnpike", { timeout: COMMAND_DEADLINE_MS }, () => {
  let home: ProductHome;
  beforeAll(async () => {
    home = await makeProductHome();
    const server = await home.startServer();
    server.kill("SIGTERM");
    await server.ended;
  }, COMMAND_DEADLINE_MS);
  afterAll(() => home[Symbol.asyncDispose](), COMMAND_DEADLINE_MS);

  /** It is there while the database runs. */
  const pidFile = () => join(home.dataFolder, "postgres/postmaster.pid");

  it("starts the database for the time of each command when there is no server", async () => {
    const create = ["tenants", "create", "--name", "Blue Heron"];
    const created = await askOf(home.turnpike, ...create);
    expect(existsSync(pidFile())).toBe(false);
    expect(await askOf(home.turnpike, "tenants", "get", "blue-heron")).toEqual(created);
    expect(existsSync(pidFile())).toBe(false);
  });

  it("ends with the exit code of its failure, which it writes to standard error", async () => {
    const [mistake, help] = await Promise.all([
      home.turnpike("tenants", "create"),
      home.turnpike("--help"),
    ]);
    expect(mistake).toEqual({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/^turnpike: .*--name.*\n$/),
    });
    expect(help).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Usage: turnpike/),
      stderr: "",
    });
  });

  it.each(["SIGINT", "SIGHUP"] as const)(
    "ended by %s, sent three times at once, leaves no running database behind",
    async (signal) => {
      const command = home.run("apps/server/src/cli/main.ts", "usage");
      await pollUntil("the database is there", () => existsSync(pidFile()), COMMAND_DEADLINE_MS);
      // As a terminal and the programs around send one request. One more, a second later, would end it at once.
      for (let copy = 0; copy < 3; copy += 1) {
        command.kill(signal);
      }
      expect(await command.ended).toEqual({
        code: 128 + constants.signals[signal],
        stdout: "",
        stderr: "turnpike: stopped.\n",
      });
      expect(existsSync(pidFile())).toBe(false);
    },
  );

  it("joins the database of a running server, and what it does is in force for calls", async () => {
    const server = await home.startServer();
    const beside = (...args: string[]) => askOf(commandLineOf(home.environment), ...args);
    const create = ["keys", "create", "--tenant", "blue-heron", "--name", "live"];
    const { key, keyId } = await beside(...create);
    const call = () =>
      fetch(`http://127.0.0.1:${server.gatewayPort}/v1/cities`, {
        headers: { authorization: `Bearer ${key}` },
      });
    expect((await call()).status).toBe(200);
    await beside("keys", "revoke", "--tenant", "blue-heron", keyId);
    await pollUntil(
      "the key is refused",
      async () => (await call()).status === 401,
      COMMAND_DEADLINE_MS,
    );
    const usage = await beside("usage", "--by", "outcome");
    expect(usage.rows.map((row: { group: string }) => row.group)).toEqual(
      expect.arrayContaining(["VALID"]),
    );
    expect(await beside("reconcile")).toMatchObject({ drift: 0 });
    server.kill("SIGTERM");
    expect((await server.ended).code).toBe(0);
  });
});

describe("turnpike ask", () => {
  it("answers a question about a tenant in plain English, as JSON and as text", async () => {
    const { tenantId } = await ask("tenants", "create", "--name", "Grey Owl");
    const question = ["ask", "and by route?", "--after", "requests yesterday"];
    const reply = await ask(...question, "--tenant", "grey-owl", "--time-zone", "Asia/Tokyo");
    expect(reply).toMatchObject({
      kind: "query",
      query: { measures: ["requests"], dimensions: ["route"] },
      timeZone: "Asia/Tokyo",
      answer: { totals: { requests: 0 }, usage: { dimensions: "route" } },
    });
    const { stdout } = await turnpike("ask", "is it sunny in Rome?", "--tenant", tenantId);
    expect(stdout).toMatch(/^That cannot be answered here[.][\s\S]*\n {2}requests per day/);
    expect(await ask("ask", "new tenants per month this year")).toMatchObject({ kind: "query" });
    expect(await fail("ask")).toMatchObject({ code: 2 });
  });
});
