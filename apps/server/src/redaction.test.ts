import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rollUpUsage } from "#modules/metering/index.ts";

/** What must be found nowhere. No part of another word, so that a hit is one. */
const QUERY = "plantedqueryzq";
const WORD = "plantedwordzq";
const NUMBER = "4071199003817";
const ADDRESS = "198.51.100.177";
const ADDRESS_6 = "2001:db8:77:88:99:aa:bb:cc";

let database: TestDatabase;
let app: TestApp;
let tenantId: TenantId;
let key: string;
let weakKey: string;

/** Every table of the database with a text in any column. */
async function findTables(text: string): Promise<string[]> {
  const tables = await database.sql<{ name: string }[]>`
    select format('%I.%I', n.nspname, c.relname) as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname !~ '^(pg_|information_schema)'`;
  expect(tables.length).toBeGreaterThan(40);
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await database.sql.unsafe(
      `select 1 from ${name} as t where t::text like $1 limit 1`,
      [`%${text}%`],
    );
    if (rows.length > 0) {
      found.push(name);
    }
  }
  return found;
}

/** Every file of the data folder in which a text stands, the journal's among them. */
async function findFiles(text: string): Promise<string[]> {
  const entries = await readdir(app.dataFolder, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.filter((one) => one.isFile())) {
    const content = await readFile(join(entry.parentPath, entry.name));
    if (content.includes(text)) {
      found.push(entry.name);
    }
  }
  return found;
}

/** Sends what is planted by every way by which calls and events come in. */
async function plant(): Promise<void> {
  const forwarded = {
    "x-forwarded-for": `${ADDRESS}, ${ADDRESS_6}`,
    forwarded: `for=${ADDRESS}`,
  };
  const paths = [
    `/cities/${NUMBER}?token=${QUERY}`,
    `/cities/rome?email=${QUERY}@example.com#${QUERY}`,
    `/share/${WORD}?${QUERY}`,
    `/broken?${QUERY}`,
  ];
  for (const path of paths) {
    for (const one of [key, weakKey, "tp_live_unknown", undefined]) {
      const headers = { ...forwarded, ...(one === undefined ? {} : { "x-api-key": one }) };
      const reply = await fetch(`${app.gatewayUrl}${path}`, { headers });
      await reply.arrayBuffer();
    }
    for (const dialect of ["nginx", "caddy", "traefik"]) {
      const reply = await fetch(`${app.url}/v1/authorize/${dialect}?${QUERY}`, {
        headers: {
          ...forwarded,
          "x-api-key": key,
          "x-original-uri": path,
          "x-forwarded-uri": path,
          "x-forwarded-method": "GET",
          "x-original-method": "GET",
        },
      });
      await reply.arrayBuffer();
    }
  }
  const verifier = await app.mintServiceKey(["keys:verify", "events:write"]);
  await app.call(verifier, "POST", `/v1/keys/verify?x=${QUERY}`, {
    key,
    resource: `/cities/rome?token=${QUERY}`,
  });
  for (const path of [
    `/v1/tenants?limit=${QUERY}`,
    `/nothing/${WORD}?${QUERY}`,
    `/login?next=${QUERY}`,
  ]) {
    const headers = { ...forwarded, authorization: `Bearer ${verifier}` };
    await (await fetch(`${app.url}${path}`, { headers })).arrayBuffer();
  }
  const source = `https://hooks.example/in?token=${QUERY}`;
  const event = { specversion: "1.0", source, type: "llm.call", subject: tenantId };
  const reply = await fetch(`${app.url}/v1/events?${QUERY}`, {
    method: "POST",
    headers: {
      ...forwarded,
      authorization: `Bearer ${verifier}`,
      "content-type": "application/cloudevents-batch+json",
    },
    body: JSON.stringify([
      { ...event, id: "1" },
      { ...event, id: "2", type: "unknown.type" },
      { ...event, id: "" },
    ]),
  });
  expect(await reply.json()).toMatchObject({ accepted: 1, rejected: 2 });
}

async function open(configText: string): Promise<void> {
  database = await createTestDatabase();
  app = await startTestApp(database, {
    configText: `trustedProxies: [127.0.0.1]\n${configText}`,
    upstream: {
      onRequest: (req) => {
        const isBroken = req.url?.startsWith("/broken") === true;
        if (isBroken) {
          req.socket.destroy();
        }
        return isBroken;
      },
    },
  });
  tenantId = await app.mintTenant("Planted");
  key = await app.mintKey(tenantId, ["usage:read"]);
  weakKey = await app.mintKey(tenantId, []);
  const operator = await app.mintServiceKey(["catalog:write"]);
  const meter = { meterId: "llm", name: "Calls", unit: "call", aggregation: "count" };
  await app.call(operator, "POST", "/v1/meters", { ...meter, eventType: "llm.call" });
  await plant();
  await pollUntil("the calls are in the ledger", async () => {
    const [row] = await database.sql<{ calls: number }[]>`
      select coalesce(sum(calls), 0)::int as calls from usage_by_minute
      where meter_id = 'requests' and route <> ''`;
    return (row?.calls ?? 0) >= 16;
  });
}

async function close(): Promise<void> {
  await app.close();
  await database.close();
}

describe("what is stored and logged by default", () => {
  beforeAll(() => open(""));
  afterAll(close);

  it.each([
    ["a query string", QUERY],
    ["a value in a path", NUMBER],
    ["an address", ADDRESS],
    ["an address of IPv6", ADDRESS_6],
  ])("holds nothing of %s, in no table, no file and no line", async (_, text) => {
    expect(await findTables(text)).toEqual([]);
    expect(await findFiles(text)).toEqual([]);
    expect(app.logged()).not.toContain(text);
  });

  it("holds what is looked for elsewhere, so that it would have been found", async () => {
    const tables = async () => (await findTables("/cities/{id}")).join(" ");
    expect(await tables()).toMatch(/public\.(recent_usage|usage_rollups)/);
    await rollUpUsage(app.services, "minutes");
    await rollUpUsage(app.services, "hours");
    expect(await tables()).toMatch(/public\.usage_rollups_hourly/);
    expect(await findFiles("/cities/{id}")).not.toEqual([]);
    expect(await findTables("https://hooks.example/in")).toContain("public.rejected_events");
    app.services.logger.warn({ url: `/a?${QUERY}` }, `GET https://a.example/b?${QUERY} failed`);
    expect(app.logged()).toContain('"/a?[redacted]"');
    expect(app.logged()).toContain("GET https://a.example/b?[redacted] failed");
  });

  it("holds the words of a path: they name a route that is not documented", async () => {
    expect((await findTables(WORD)).length).toBeGreaterThan(0);
  });
});

describe("what is stored when only documented paths are", () => {
  beforeAll(() => open("redaction:\n  paths: documented\n  addresses: dropped\n"));
  afterAll(close);

  it.each([
    ["a word in a path", WORD],
    ["a query string", QUERY],
    ["a value in a path", NUMBER],
    ["an address", ADDRESS],
  ])("holds nothing of %s, in no table, no file and no line", async (_, text) => {
    expect(await findTables(text)).toEqual([]);
    expect(await findFiles(text)).toEqual([]);
    expect(app.logged()).not.toContain(text);
  });

  it("counts every path that no document has as one route", async () => {
    const rows = await database.sql<{ route: string }[]>`
      select distinct route from usage_by_minute where route <> ''`;
    expect(rows.map(({ route }) => route)).toEqual(["{other}"]);
  });
});
