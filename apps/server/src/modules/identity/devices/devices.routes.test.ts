import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import { PERSON_TOKENS_MAX } from "@turnpike/contract/device-sign-ins";
import { SCOPES } from "@turnpike/domain/access/scopes";
import { eventually } from "@turnpike/testkit/eventually";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCli } from "../../../cli/run-cli.ts";

let database: TestDatabase;
let app: TestApp;
let folder: TempFolder;
/** How far the clock of the product is ahead. It never goes back. */
let aheadMs = 0;
const pass = (seconds: number) => {
  aheadMs += seconds * 1_000;
};

beforeAll(async () => {
  folder = await makeTempFolder();
  database = await createTestDatabase();
  app = await startTestApp(database, {
    clock: {
      now: () => new Date(Date.now() + aheadMs),
      monotonicMs: () => performance.now() + aheadMs,
    },
  });
});
afterAll(async () => {
  await app.close();
  await database.close();
  await folder[Symbol.asyncDispose]();
});

async function post(path: string, fields: Record<string, string>) {
  const response = await fetch(`${app.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(fields).toString(),
  });
  return { status: response.status, json: JSON.parse(await response.text()) };
}

const DAY_SECONDS = 24 * 60 * 60;
const CLIENT = { client_id: "turnpike-cli" };
const begin = async () => (await post("/device/authorize", { ...CLIENT, name: "A laptop" })).json;
const poll = (deviceCode: string) =>
  post("/device/token", {
    ...CLIENT,
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
    device_code: deviceCode,
  });
const view = (token: string, userCode: string) =>
  app.call(token, "POST", "/v1/device-sign-ins/view", { userCode });
const decide = (token: string, userCode: string, decision: "allow" | "deny") =>
  app.call(token, "POST", "/v1/device-sign-ins/decision", { userCode, decision });

/** A command line that a person has allowed, with its credential. */
async function signIn(person: string): Promise<string> {
  const { device_code, user_code } = await begin();
  expect((await decide(person, user_code, "allow")).status).toBe(200);
  return (await poll(device_code)).json.access_token;
}

/** Runs a command as its own program would, and answers its code when it shows one. */
async function turnpike(args: readonly string[], onCode?: (userCode: string) => Promise<void>) {
  let stdout = "";
  let stderr = "";
  const into = (add: (text: string) => void) =>
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        add(chunk.toString());
        done();
      },
    });
  const { exitCode } = await runCli(args, {
    readConfig: () => {
      throw new Error("This command needs no installation here.");
    },
    workingFolder: folder.path,
    output: into((text) => {
      stdout += text;
    }),
    errors: into((text) => {
      stderr += text;
    }),
    isTerminal: false,
    remote: {
      configFolder: folder.path,
      wait: async (ms) => {
        pass(ms / 1_000);
        const code = /[A-Z]{4}-[A-Z]{4}/.exec(stderr)?.[0];
        await onCode?.(code ?? "");
      },
    },
  });
  return { exitCode, stdout, stderr };
}

describe("turnpike login", () => {
  it("signs a person in by a code, and then a key is made and its first call shown, all from the command line", async () => {
    const tenantId = await app.mintTenant("Blue Heron");
    const { token } = await app.mintMember(tenantId, "developer");
    let polls = 0;
    const login = await turnpike(["login", app.url], async (code) => {
      polls += 1;
      if (polls === 2) {
        expect((await view(token, code)).json).toMatchObject({
          name: expect.stringMatching(/^turnpike/),
        });
        expect((await decide(token, code.toLowerCase(), "allow")).status).toBe(200);
      }
    });
    expect(login).toMatchObject({ exitCode: 0 });
    expect(login.stderr).toContain("http://console.test/device");
    expect(login.stderr).toContain("only if you started this sign-in yourself");
    const { mode } = await stat(join(folder.path, "turnpike", "logins.json"));
    expect(mode & 0o777).toBe(0o600);

    const at = ["--at", app.url];
    const tenants = await turnpike([...at, "tenants", "list"]);
    expect(tenants.stdout).toContain("Blue Heron");
    const { slug } = JSON.parse((await turnpike([...at, "--json", "tenants", "list"])).stdout)
      .items[0];
    const made = await turnpike([...at, "keys", "create", "--tenant", slug, "--name", "first"]);
    expect(made.exitCode).toBe(0);
    expect(login.stdout).toContain(`--tenant ${String(slug)} --name first`);
    const call = /curl -H "Authorization: Bearer (tp_live_\w+)" (http:\S+)/.exec(made.stdout);
    expect(call?.[2]).toMatch(/^http:\/\/gateway\.test\//);
    const answer = await fetch(`${app.gatewayUrl}/v1/anything`, {
      headers: { authorization: `Bearer ${call?.[1] ?? ""}` },
    });
    expect(answer.status).toBe(200);

    const keys = JSON.parse(
      (await turnpike([...at, "--json", "keys", "list", "--tenant", tenantId])).stdout,
    );
    expect(keys.items).toHaveLength(1);
    const { keyId } = keys.items[0];
    const usage = await turnpike([...at, "usage", "--tenant", slug]);
    expect(usage.stdout).toContain(`Tenant ${slug}`);
    const asked = await turnpike([...at, "--json", "ask", "requests today by key"]);
    expect(JSON.parse(asked.stdout)).toMatchObject({
      kind: "query",
      query: { measures: ["requests"], dimensions: ["key"] },
    });
    const revoked = await turnpike([...at, "keys", "revoke", "--tenant", slug, keyId]);
    expect(revoked.stdout).toMatch(/State\s+revoked/);
    expect((await turnpike([...at, "whoami"])).stdout).toContain(app.url);
    // A thief of the credential learns nothing of the person's browsers and networks.
    const logins = await readFile(join(folder.path, "turnpike", "logins.json"), "utf8");
    const credential = /"(tp_\w+)"/.exec(logins)?.[1] ?? "";
    expect((await app.call(credential, "GET", "/v1/me")).status).toBe(200);
    for (const path of ["/v1/me/account/export", "/v1/me/sign-ins"]) {
      expect((await app.call(credential, "GET", path)).json).toMatchObject({
        code: "INSUFFICIENT_SCOPE",
      });
    }
    // What needs the machine of the installation is not sent anywhere.
    const here = await turnpike([...at, "reconcile"]);
    expect(here).toMatchObject({ exitCode: 2 });

    expect((await turnpike(["logout", app.url])).exitCode).toBe(0);
    const after = await turnpike([...at, "whoami"]);
    expect(after).toMatchObject({ exitCode: 1 });
    expect(after.stderr).toContain("You are not signed in");
  });

  it("ends with a sentence when it is denied, and when the address is none or would send the credential in the clear", async () => {
    const denied = await turnpike(["login", app.url], async (code) => {
      await decide(await app.mintIdToken(), code, "deny");
    });
    expect(denied.exitCode).toBe(1);
    expect(denied.stderr).toContain("denied in the console");
    const clear = await turnpike(["login", "http://console.example.com"]);
    expect(clear).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("in the clear") });
    const gateway = await turnpike(["login", app.gatewayUrl]);
    expect(gateway).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("no installation"),
    });
  });
});

describe("a device sign-in", () => {
  it("waits, slows a hasty program down, gives one credential, and nothing the second time", async () => {
    const { device_code, user_code, interval } = await begin();
    expect((await poll(device_code)).json).toEqual({ error: "authorization_pending" });
    expect((await poll(device_code)).json).toEqual({ error: "slow_down" });
    pass(interval);
    // It waits longer from then on.
    expect((await poll(device_code)).json).toEqual({ error: "slow_down" });
    expect((await decide(await app.mintIdToken(), user_code, "allow")).status).toBe(200);
    pass(3 * interval);
    const given = await poll(device_code);
    expect(given).toMatchObject({ status: 200, json: { token_type: "Bearer" } });
    expect(given.json.access_token).toMatch(/^tp_usr_/);
    pass(3 * interval);
    expect((await poll(device_code)).json).toEqual({ error: "invalid_grant" });
    const [row] = await database.sql`select count(*)::int as count from person_tokens
      where token_hash::text like ${`%${String(given.json.access_token)}%`}`;
    expect(row?.["count"]).toBe(0);
  });

  it("is denied, expires, and takes no code of another client", async () => {
    const denied = await begin();
    await decide(await app.mintIdToken(), denied.user_code, "deny");
    expect((await poll(denied.device_code)).json).toEqual({ error: "access_denied" });

    const late = await begin();
    pass(601);
    expect((await decide(await app.mintIdToken(), late.user_code, "allow")).status).toBe(404);
    expect((await poll(late.device_code)).json).toEqual({ error: "expired_token" });

    expect((await post("/device/authorize", { client_id: "other" })).status).toBe(401);
    expect((await poll("x".repeat(43))).json).toEqual({ error: "invalid_grant" });
  });

  it("belongs to the first person who looks at it, so that a code that was sent around is worth nothing to others", async () => {
    const { user_code } = await begin();
    const [first, second] = [await app.mintIdToken(), await app.mintIdToken()];
    expect((await view(first, user_code)).json).toMatchObject({ name: "A laptop" });
    expect((await view(second, user_code)).status).toBe(404);
    expect((await decide(second, user_code, "allow")).status).toBe(404);
    expect((await decide(first, user_code, "allow")).status).toBe(200);
    expect((await decide(first, user_code, "allow")).status).toBe(404);
  });

  it("is allowed by people in a browser alone: no program, and no command line", async () => {
    const { user_code } = await begin();
    const operator = await app.mintServiceKey(SCOPES);
    expect((await decide(operator, user_code, "allow")).status).toBe(403);
    const commandLine = await signIn(await app.mintIdToken());
    expect((await decide(commandLine, user_code, "allow")).status).toBe(409);
  });

  it("limits how many credentials that do not exist a network asks for or gives back", async () => {
    const good = await signIn(await app.mintIdToken());
    const statuses: number[] = [];
    for (let tries = 0; tries < 310; tries += 1) {
      const { status } =
        tries % 2 === 0 ? await poll("x".repeat(43)) : await post("/device/revoke", { token: "x" });
      statuses.push(status);
    }
    expect(statuses.slice(0, 290)).not.toContain(429);
    expect(statuses).toContain(429);
    pass(300);
    // What exists is not counted.
    expect((await post("/device/revoke", { token: good })).status).toBe(200);
  });

  it("limits how many codes a person tries", async () => {
    const person = await app.mintIdToken();
    const statuses: number[] = [];
    for (let tries = 0; tries < 12; tries += 1) {
      statuses.push((await view(person, "BCDF-GHJK")).status);
    }
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(404));
    expect(statuses).toContain(429);
  });
});

describe("the credential of a command line", () => {
  it("does what the role of its person allows now, until the person or the command line ends it", async () => {
    const tenantId = await app.mintTenant("Acme");
    const { token, userId } = await app.mintMember(tenantId, "viewer");
    const commandLine = await signIn(token);
    const path = `/v1/tenants/${tenantId}/keys`;
    expect((await app.call(commandLine, "GET", path)).status).toBe(200);
    expect((await app.call(commandLine, "POST", path, { name: "a" })).status).toBe(403);
    expect((await app.call(commandLine, "GET", "/v1/me")).json).toMatchObject({ userId });

    const { json } = await app.call(token, "GET", "/v1/person-tokens");
    expect(json.items).toMatchObject([
      { name: "A laptop", start: expect.stringMatching(/^tp_usr_/) },
    ]);
    const { personTokenId } = json.items[0];
    const other = await app.mintIdToken();
    const revoke = (by: string) =>
      app.call(by, "POST", "/v1/person-tokens/revoke", { personTokenId });
    expect((await revoke(other)).status).toBe(404);
    expect((await revoke(token)).status).toBe(200);
    await eventually(async () => {
      expect((await app.call(commandLine, "GET", path)).status).toBe(401);
    });
  });

  it("ends alone, or as the oldest of too many, while others of its person go on", async () => {
    const person = await app.mintIdToken();
    const me = async (token: string) => (await app.call(token, "GET", "/v1/me")).status;
    const [one, two] = [await signIn(person), await signIn(person)];
    for (const order of [
      [one, two],
      [two, one],
    ]) {
      for (const token of order) {
        expect(await me(token)).toBe(200);
      }
    }
    await post("/device/revoke", { token: one });
    await eventually(async () => expect(await me(one)).toBe(401));
    expect(await me(two)).toBe(200);
    const { userId } = (await app.call(two, "GET", "/v1/me")).json;
    const audit = await database.sql`
      select action, actor_type, actor_id from audit_entries where entity_id = ${userId}
      and action like 'person_token.%' order by audit_id`;
    expect(audit.map(({ action }) => action)).toEqual([
      "person_token.created",
      "person_token.created",
      "person_token.revoked",
    ]);
    expect(audit[2]).toMatchObject({ actor_type: "user", actor_id: userId });
    await database.sql`
      insert into person_tokens
      select person_token_id || n, token_hash || n::text::bytea, user_id, name, start,
        created_at + interval '1 second', expires_at
      from person_tokens, generate_series(1, ${PERSON_TOKENS_MAX - 1}::int) as n
      where ${two}::text like start || '%'`;
    const three = await signIn(person);
    await eventually(async () => expect(await me(two)).toBe(401));
    expect(await me(three)).toBe(200);
  });

  it("ends with a change of password and after ninety days, and opens nothing for an agent", async () => {
    const tenantId = await app.mintTenant("Acme");
    const { token, userId } = await app.mintMember(tenantId, "owner");
    const path = `/v1/tenants/${tenantId}`;
    const [one, two] = [await signIn(token), await signIn(token)];
    const mcp = await fetch(`${app.url}/mcp`, { headers: { authorization: `Bearer ${one}` } });
    expect(mcp.status).toBe(401);
    expect((await app.call(two, "GET", path)).status).toBe(200);
    expect((await app.call(one, "GET", path)).status).toBe(200);
    await database.sql`
      update users set tokens_valid_from = now() + interval '1 hour' where user_id = ${userId}`;
    await database.sql`select record_change('user', null, ${userId})`;
    for (const ended of [one, two]) {
      await eventually(async () => {
        expect((await app.call(ended, "GET", path)).status).toBe(401);
      });
    }
    const later = await signIn(await app.mintIdToken());
    expect((await app.call(later, "GET", "/v1/me")).status).toBe(200);
    pass(91 * 24 * 60 * 60);
    expect((await app.call(later, "GET", "/v1/me")).status).toBe(401);
  });

  it("rests when a provider elsewhere has not vouched for its person for a week, until the next visit", async () => {
    const mint = () => app.mintIdToken({ issuedAgoMs: -aheadMs });
    const [commandLine, here] = [await signIn(await mint()), await signIn(await mint())];
    const ask = (by: string) => app.call(by, "GET", "/v1/me");
    const { userId } = (await ask(commandLine)).json;
    const vouch = async () => {
      const at = new Date(Date.now() + aheadMs);
      await database.sql`
        update users set issuer = 'https://id.example', claims_issued_at = ${at}
        where user_id = ${userId}`;
      await database.sql`select record_change('user', null, ${userId})`;
    };
    await vouch();
    pass(6 * DAY_SECONDS);
    expect((await ask(commandLine)).status).toBe(200);
    pass(2 * DAY_SECONDS);
    await eventually(async () =>
      expect(await ask(commandLine)).toMatchObject({
        status: 401,
        json: {
          code: "CONFIRM_IN_BROWSER",
          detail: expect.stringContaining("http://console.test"),
        },
      }),
    );
    expect((await ask(here)).status).toBe(200);
    await vouch();
    await eventually(async () => expect((await ask(commandLine)).status).toBe(200));
  });
});
