import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { usageQuery } from "@turnpike/contract/usage-query";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { queryUsage } from "#modules/analytics/index.ts";
import { listAudit } from "#modules/audit/index.ts";
import { createKey, getKey, historyKeyIdOf, listKeys } from "#modules/keys/index.ts";
import { getLimits, reconcile, rollUpUsage } from "#modules/metering/index.ts";
import { type ImportLogsInput, importLogs } from "./import-logs.ts";
import { readImportMap } from "./import-map.ts";
import type { ImportSummary } from "./import-tally.ts";
import { openLog } from "./read-log-lines.ts";
import { resolveRules } from "./resolve-rules.ts";

const REAL_LOG = resolve(import.meta.dirname, "../../../../../../shared/data/apache_combined.log");

let database: TestDatabase;
let services: TestServices;
let folder: TempFolder;
let files = 0;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  folder = await makeTempFolder();
});
afterAll(async () => {
  await folder[Symbol.asyncDispose]();
  await database.close();
});

type Given = Partial<Omit<ImportLogsInput, "logs" | "rules">> & {
  logs: readonly (string | Buffer)[];
  signal?: AbortSignal;
  key?: KeyId;
  map?: string;
};

let tenants = 0;
async function makeTenant() {
  tenants += 1;
  return await createTestTenant(services, `Tenant ${String(tenants)}`);
}

async function writeTemporary(content: string | Buffer): Promise<string> {
  files += 1;
  const path = join(folder.path, `file-${String(files)}`);
  await writeFile(path, content);
  return path;
}

/** Imports the content of logs for one tenant, or by a map. */
async function run(tenant: TenantId | undefined, given: Given): Promise<ImportSummary> {
  const { logs: contents, signal = new AbortController().signal, key, map, ...more } = given;
  const paths = await Promise.all(contents.map(writeTemporary));
  const logs = await Promise.all(paths.map((path, place) => openLog(path, `log-${String(place)}`)));
  const session = { deps: services, context: OPERATOR_CONTEXT, signal };
  const path = map === undefined ? undefined : await writeTemporary(map);
  const rules =
    path === undefined
      ? [{ tenant: tenant ?? "", ...(key === undefined ? {} : { key }) }]
      : await readImportMap(path);
  try {
    return await importLogs(session, {
      logs,
      rules: await resolveRules(session, { rules, path }),
      line: { format: "auto" },
      dryRun: false,
      again: false,
      errorsPath: undefined,
      consoleUrl: "http://localhost:3000",
      onProgress: () => undefined,
      ...more,
    });
  } finally {
    await Promise.all(logs.map((log) => log.close()));
  }
}

/** All that the charts of a tenant are drawn from. */
async function readRollups(tenantId: TenantId): Promise<unknown[]> {
  await rollUpUsage(services, "minutes");
  await rollUpUsage(services, "hours");
  const rows: unknown[] = [];
  for (const [table, latencies] of [
    ["usage_rollups", "latency_buckets, latency_counts"],
    ["usage_rollups_hourly", "latencies"],
  ] as const) {
    rows.push(
      ...(await database.sql`
        select occurred_at, meter_id, environment, outcome, status, method, route, calls, quantity, bytes_in, bytes_out,
          ${database.sql.unsafe(latencies)}
        from ${database.sql(table)} where tenant_id = ${tenantId} order by 1, 2, 3, 4, 5, 6, 7`),
    );
  }
  return rows;
}

async function countCalls(tenantId: TenantId): Promise<number> {
  const [row] = await database.sql<{ calls: number }[]>`
    select coalesce(sum(calls), 0)::int as calls from ledger_entries where tenant_id = ${tenantId}`;
  return row?.calls ?? 0;
}

async function expectHistoryOnly(): Promise<void> {
  expect(await reconcile(services, OPERATOR_CONTEXT)).toMatchObject({ drift: 0 });
  const [row] = await database.sql<{ billed: string; balances: number; leases: number }[]>`
    select (select coalesce(sum(quantity), 0)::text from ledger_entries) as billed,
      (select count(*)::int from balances) as balances, (select count(*)::int from leases) as leases`;
  expect(row).toEqual({ billed: "0", balances: 0, leases: 0 });
}

const at = (second: number) =>
  new Date(Date.UTC(2020, 1, 28, 23, 58, 0) + second * 1000)
    .toUTCString()
    .replace(/^\w+, (\d+) (\w+) (\d+) (\S+) GMT$/, "$1/$2/$3:$4 +0000");
const combined = (second: number, target = "/a", status = 200) =>
  `192.0.2.1 - - [${at(second)}] "GET ${target} HTTP/1.1" ${String(status)} 10 "-" "curl/8"`;
const nginx = (second: number, seconds = 0.1) =>
  JSON.stringify({
    msec: (Date.UTC(2020, 1, 28, 23, 58, 0) / 1000 + second).toFixed(3),
    request: "POST /b/17 HTTP/1.1",
    status: 201,
    body_bytes_sent: 5,
    content_length: 3,
    request_time: seconds.toFixed(3),
  });
const lines = (...all: string[]) => `${all.join("\n")}\n`;

describe("the real log", () => {
  it.skipIf(!existsSync(REAL_LOG))(
    "imports as exactly 10,000 requests over four days, once, compressed or not, and is never billed",
    async () => {
      const { tenantId } = await makeTenant();
      const limits = await getLimits(services, OPERATOR_CONTEXT, { tenantId });
      const log = await readFile(REAL_LOG);
      const rehearsed = await run(tenantId, { logs: [log], dryRun: true });
      expect(await countCalls(tenantId)).toBe(0);
      const summary = await run(tenantId, { logs: [log] });
      expect(summary).toMatchObject({ lines: 10_000, imported: 10_000, bad: 0, known: 0 });
      expect({ ...rehearsed, dryRun: false }).toEqual(summary);
      for (const again of [log, gzipSync(log)]) {
        expect(await run(tenantId, { logs: [again] })).toMatchObject({
          known: 10_000,
          imported: 0,
        });
      }
      const ask = async (question: Record<string, string>) => {
        const range = { from: "2015-05-01T00:00:00Z", to: "2015-06-01T00:00:00Z" };
        const query = usageQuery.parse({ tenantId, measures: "requests", ...range, ...question });
        return await queryUsage(services, OPERATOR_CONTEXT, query);
      };
      const byDay = await ask({ grain: "day", timeZone: "UTC" });
      expect(byDay.rows.map(({ time, values }) => [time?.slice(0, 10), values.requests])).toEqual([
        ["2015-05-17", 1_632],
        ["2015-05-18", 2_893],
        ["2015-05-19", 2_896],
        ["2015-05-20", 2_579],
      ]);
      const byStatus = await ask({ dimensions: "status" });
      expect(byStatus.rows.map(({ group, values }) => [group.status, values.requests])).toEqual([
        ["200", 9_126],
        ["304", 445],
        ["404", 213],
        ["301", 164],
        ["206", 45],
        ["500", 3],
        ["403", 2],
        ["416", 2],
      ]);
      expect(summary.tenants[0]?.console).toContain("from=2015-05-17T00%3A00%3A00.000Z");
      expect(await getLimits(services, OPERATOR_CONTEXT, { tenantId })).toEqual(limits);
      await expectHistoryOnly();
    },
  );
});

describe("any log", () => {
  const line = fc.oneof(
    { weight: 6, arbitrary: fc.nat(400).map((second) => combined(second)) },
    fc
      .tuple(fc.nat(400), fc.constantFrom("/a", "/b?x=1", "/c/42"))
      .map(([second, target]) => combined(second, target, 404)),
    fc
      .tuple(fc.nat(400), fc.double({ min: 0, max: 9, noNaN: true }))
      .map(([second, took]) => nginx(second, took)),
    fc.constantFrom("", "garbage", '{"half":', combined(1, "/aborted", 499)),
  );
  type Cut = { at: number; gzip: boolean; rank: number; batchLines: number };
  const cuts = fc.array(
    fc.record({
      at: fc.nat(60),
      gzip: fc.boolean(),
      rank: fc.nat(),
      batchLines: fc.integer({ min: 1, max: 9 }),
    }),
    { minLength: 1, maxLength: 5 },
  );

  /** Parts that no two logs begin with alike: a part is known by what it begins with. */
  function cutLog(all: readonly string[], at: readonly Cut[]) {
    const ends = [...new Set(at.map((cut) => Math.min(cut.at, all.length)))].sort((a, b) => a - b);
    let from = 0;
    return [...ends, all.length].map((to, place) => {
      const text = lines(combined(0, `/start-of/${String(place)}`), ...all.slice(from, to));
      from = to;
      return text;
    });
  }

  it("gives the same sums however it is cut, compressed, ordered, stopped and repeated", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 60 }),
        cuts,
        fc.nat(8),
        async (all, at, stopAfter) => {
          const whole = await makeTenant();
          const pieces = await makeTenant();
          const logs = cutLog(all, at);
          const expected = await run(whole.tenantId, { logs: [logs.join("")] });
          const ordered = logs
            .map((text, place) => ({ text, cut: at[place % at.length] }))
            .sort((one, other) => (one.cut?.rank ?? 0) - (other.cut?.rank ?? 0))
            .map(({ text, cut }) => (cut?.gzip === true ? gzipSync(text) : text));
          const stopping = new AbortController();
          let parts = 0;
          const batchLines = at[0]?.batchLines ?? 1;
          const first = run(pieces.tenantId, {
            logs: ordered,
            batchLines,
            signal: stopping.signal,
            onProgress: () => {
              parts += 1;
              if (parts > stopAfter) {
                stopping.abort(new Error("stopped"));
              }
            },
          });
          await first.catch((error: Error) => expect(error.message).toBe("stopped"));
          for (const count of [batchLines + 1, 4_000]) {
            await run(pieces.tenantId, { logs: ordered.toReversed(), batchLines: count });
          }
          expect(await countCalls(whole.tenantId)).toBe(expected.imported);
          expect(await readRollups(pieces.tenantId)).toEqual(await readRollups(whole.tenantId));
        },
      ),
      { numRuns: 12 },
    );
    await expectHistoryOnly();
  });

  it("is gone on with when it has grown, at any byte and however often, also by shorter copies", async () => {
    const text = lines(...Array.from({ length: 9 }, (_, second) => combined(second * 20)));
    const { tenantId } = await makeTenant();
    const lengths = fc.sample(fc.integer({ min: 0, max: text.length }), { numRuns: 25, seed: 7 });
    const ascending = lengths.toSorted((a, b) => a - b);
    for (const [place, length] of [...ascending, ...lengths].entries()) {
      await run(tenantId, { logs: [text.slice(0, length)], batchLines: 1 + (place % 4) });
    }
    await run(tenantId, { logs: [text] });
    expect(await countCalls(tenantId)).toBe(9);
    const other = await makeTenant();
    const lineEnds = [...text.matchAll(/\n/g)].map(({ index }) => index);
    for (const length of [text.length, ...lineEnds, ...lengths]) {
      await run(other.tenantId, { logs: [text.slice(0, length)] });
    }
    expect(await countCalls(other.tenantId)).toBe(9);
  });

  it("counts once when two import it at the same time, of different lengths", async () => {
    const all = Array.from({ length: 300 }, (_, second) => combined(second));
    const { tenantId } = await makeTenant();
    const imports = [300, 300, 200, 250].map((count, place) =>
      run(tenantId, { logs: [lines(...all.slice(0, count))], batchLines: 40 + place * 30 }),
    );
    const summaries = await Promise.all(imports);
    expect(await countCalls(tenantId)).toBe(300);
    expect(summaries.reduce((sum, { imported }) => sum + imported, 0)).toBe(300);
    const { items } = await listKeys(services, OPERATOR_CONTEXT, { tenantId, limit: 10 });
    expect(items).toHaveLength(1);
  });

  it("is another one when it goes on in another way, however alike it begins", async () => {
    const { tenantId } = await makeTenant();
    const health = combined(0, "/health");
    const logs = [
      [health, combined(1), combined(2)],
      [health, combined(3)],
      [health],
      [combined(2)],
    ];
    const expected = [3, 2, 0, 1];
    for (const [place, log] of logs.entries()) {
      expect(await run(tenantId, { logs: [lines(...log)] })).toMatchObject({
        imported: expected[place],
      });
    }
  });

  it("keeps its own time zone's instant, measures, and what clients left", async () => {
    const { tenantId } = await makeTenant();
    const left = JSON.stringify({ ...JSON.parse(nginx(1, 30)), status: 499 });
    await run(tenantId, { logs: [lines(nginx(1, 0.2), left)] });
    const query = usageQuery.parse({
      tenantId,
      measures: "requests,errors,bytes_in,bytes_out,latency_p95",
      dimensions: "outcome",
    });
    const { rows } = await queryUsage(services, OPERATOR_CONTEXT, query);
    expect(Object.fromEntries(rows.map(({ group, values }) => [group.outcome, values]))).toEqual({
      VALID: expect.objectContaining({ requests: 1, bytes_in: 3, bytes_out: 5 }),
      CLIENT_ABORTED: expect.objectContaining({ requests: 1, latency_p95: null }),
    });
    expect(rows.find(({ group }) => group.outcome === "VALID")?.values.latency_p95).toBeCloseTo(
      200,
      -1,
    );
  });
});

describe("bad lines", () => {
  it("are named with their numbers, keep no other out, and are tried again", async () => {
    const { tenantId } = await makeTenant();
    const errorsPath = join(folder.path, "errors.ndjson");
    const future = combined(0).replace("2020", "2120");
    const log = lines(combined(1), "garbage", "", `${combined(2)}\r`, "x".repeat(70_000), future);
    const bad = [
      { file: "log-0", line: 2, reason: "not a line of the common or combined log format" },
      { file: "log-0", line: 3, reason: "empty" },
      { file: "log-0", line: 5, reason: "longer than 64 KiB" },
      { file: "log-0", line: 6, reason: "its time is in the future" },
    ];
    const summary = await run(tenantId, { logs: [log], errorsPath });
    expect(summary).toMatchObject({ imported: 2, bad: 4, badLines: bad, badLinesOmitted: 0 });
    const written = (await readFile(errorsPath, "utf8")).trim().split("\n");
    expect(written.map((text) => JSON.parse(text))).toEqual(bad);
  });

  it("are counted beyond the first hundred, and a log of nothing else is read again", async () => {
    const { tenantId } = await makeTenant();
    const log = lines(...Array.from({ length: 250 }, (_, second) => combined(second)));
    const wrong = await run(tenantId, { logs: [log], line: { format: "caddy" } });
    expect(wrong).toMatchObject({ imported: 0, bad: 250, badLinesOmitted: 150 });
    expect(wrong.badLines).toHaveLength(100);
    expect(await run(tenantId, { logs: [log] })).toMatchObject({ imported: 250, known: 0 });
    expect(await run(tenantId, { logs: [log] })).toMatchObject({ imported: 0, known: 250 });
    expect(await countCalls(tenantId)).toBe(250);
  });

  it("do not stand for a file that is broken: what came before it and the next log are imported", async () => {
    const { tenantId } = await makeTenant();
    const noise = Array.from({ length: 3_000 }, (_, second) =>
      combined(second % 300, `/x${String(second * 7919)}y`),
    );
    const zipped = gzipSync(lines(...noise));
    const summary = await run(tenantId, {
      logs: [zipped.subarray(0, zipped.length - 2_000), lines(combined(7))],
      batchLines: 100,
    });
    const [broken, whole] = summary.files;
    expect(broken).toMatchObject({ failure: expect.stringContaining("broken, or cut off") });
    expect(whole).toMatchObject({ imported: 1, failure: null });
    expect(await run(tenantId, { logs: [zipped] })).toMatchObject({ lines: 3_000 });
    expect(await countCalls(tenantId)).toBe(3_001);
  });
});

describe("owners", () => {
  it("are found by rules in order; nothing of a query or an address is kept", async () => {
    const [maps, rest] = [await makeTenant(), await makeTenant()];
    const key = await createKey(services, OPERATOR_CONTEXT, {
      tenantId: maps.tenantId,
      name: "Old",
      environment: "test",
      scopes: [],
      metadata: {},
    });
    const map = `
rules:
  - path: /health
    ignore: true
  - path: /maps/*
    client: [192.0.2.0/24]
    tenant: ${maps.tenantId}
    key: ${key.keyId}
  - path: /rest/*
    tenant: ${rest.tenantId}
`;
    const log = lines(
      combined(1, "/health"),
      combined(2, "/maps/7?secret=canary"),
      combined(3, "/rest/canary%40example.com"),
      combined(4, "/elsewhere"),
    );
    const summary = await run(undefined, { logs: [log], map });
    expect(summary).toMatchObject({ imported: 2, ignored: 1, unmatched: 1, bad: 0 });
    const stored = await database.sql<
      { tenant_id: string; key_id: string; environment: string; route: string }[]
    >`
      select tenant_id, key_id, environment, route from usage_by_minute
      where tenant_id in (${maps.tenantId}, ${rest.tenantId}) order by route`;
    const historyKeyId = historyKeyIdOf(rest.tenantId);
    expect([...stored]).toEqual([
      { tenant_id: maps.tenantId, key_id: key.keyId, environment: "test", route: "/maps/{id}" },
      { tenant_id: rest.tenantId, key_id: historyKeyId, environment: "live", route: "/rest/{id}" },
    ]);
    const made = await getKey(services, OPERATOR_CONTEXT, {
      tenantId: rest.tenantId,
      keyId: historyKeyId,
    });
    expect(made).toMatchObject({ name: "Imported history", state: "revoked", scopes: [] });
    const { items } = await listKeys(services, OPERATOR_CONTEXT, {
      tenantId: maps.tenantId,
      limit: 10,
    });
    expect(items.map(({ name }) => name)).toEqual(["Old"]);
    const trail = await listAudit(services, OPERATOR_CONTEXT, {
      tenantId: rest.tenantId,
      limit: 10,
    });
    expect(trail.items).toContainEqual(
      expect.objectContaining({ action: "usage.imported", details: { files: ["log-0"] } }),
    );
  });

  it("are the tenants of the virtual host, client and user; unreadable fields make bad lines", async () => {
    const [byHost, byClient, byUser, rest] = [
      await makeTenant(),
      await makeTenant(),
      await makeTenant(),
      await makeTenant(),
    ];
    const map = `
rules:
  - { host: api.example.com, tenant: ${byHost.tenantId} }
  - { client: [192.0.2.0/24, 2001:db8::/32], tenant: ${byClient.tenantId} }
  - { user: ann, tenant: ${byUser.tenantId} }
  - { tenant: ${rest.tenantId} }
`;
    const end = `[${at(1)}] "GET / HTTP/1.1" 200 5`;
    const log = lines(
      `api.example.com 192.0.2.7 - ann ${end}`,
      `api.example.com:443 198.51.100.1 - - ${end}`,
      `[2001:db8::1] - - ${end}`,
      `[::1]:443 192.0.2.9 - - ${end}`,
      `192.0.2.1 - a[b ${end}`,
      `www.example.com 198.51.100.7 - ann ${end}`,
      `198.51.100.7 - - ${end}`,
      `api.example.com 198.51.100.777 - ann ${end}`,
      `198.51.100.7 192.0.2.7 - ann ${end}`,
      `192.0.2.777 - - ${end}`,
      `198.51.100.7 - - ann ${end}`,
    );
    const summary = await run(undefined, { logs: [log], map });
    expect(summary).toMatchObject({ imported: 7, bad: 4, unmatched: 0 });
    expect(summary.badLines.map(({ line }) => line)).toEqual([8, 9, 10, 11]);
    const owners = [byHost, byClient, byUser, rest];
    const calls = await Promise.all(owners.map(({ tenantId }) => countCalls(tenantId)));
    expect(calls).toEqual([2, 3, 1, 1]);
  });

  it("that are not there, or have no such key, are all named before anything is written", async () => {
    const [ours, theirs] = [await makeTenant(), await makeTenant()];
    const { keyId } = await createKey(services, OPERATOR_CONTEXT, {
      tenantId: theirs.tenantId,
      name: "Theirs",
      environment: "live",
      scopes: [],
      metadata: {},
    });
    const log = lines(combined(1));
    const map = `rules: [{ tenant: ${ours.tenantId}, path: /a }, { tenant: no-such-tenant }, { tenant: ${ours.tenantId}, key: ${keyId} }]`;
    await expect(run(undefined, { logs: [log], map })).rejects.toThrow(
      /2 mistakes:\n {2}\/rules\/1 {2}There is no such tenant\.\n {2}\/rules\/2 {2}There is no such key\./,
    );
    await expect(run(ours.tenantId, { logs: [log], key: keyId })).rejects.toThrow("no such key");
    expect(await countCalls(ours.tenantId)).toBe(0);
  });

  it.each([
    ["{ rules: [] }", "/rules"],
    ["rules: [{ tenant: a, ignore: true }]", "/rules/0"],
    ["rules: [{ tenant: a, client: 10.0.0.0/40 }]", "/rules/0/client"],
    ["rules: [{ tenant: a, path: v1 }]", "/rules/0/path"],
    ["rules: [{ tenant: a, host: https://api.example.com }]", "/rules/0/host"],
    ["rules: [{ tenant: a, paht: /v1 }]", "paht"],
    ["rules: [", "neither YAML nor JSON"],
  ])("of the map %s are refused with the place", async (map, place) => {
    await expect(readImportMap(await writeTemporary(map))).rejects.toThrow(place);
  });

  it("that other rules gave the same log to are protected from counting it twice", async () => {
    const [one, other] = [await makeTenant(), await makeTenant()];
    const log = lines(combined(1), combined(2));
    await run(one.tenantId, { logs: [log] });
    const map = `rules: [{ tenant: ${one.tenantId}, path: /a }, { tenant: ${other.tenantId} }]`;
    for (const dryRun of [true, false]) {
      await expect(run(undefined, { logs: [log], map, dryRun })).rejects.toThrow(
        /count twice.*--again/,
      );
    }
    expect(await countCalls(one.tenantId)).toBe(2);
    expect(await run(other.tenantId, { logs: [log] })).toMatchObject({ imported: 2 });
    expect(await run(undefined, { logs: [log], map, again: true })).toMatchObject({ imported: 2 });
    expect(await run(one.tenantId, { logs: [log] })).toMatchObject({ known: 2, imported: 0 });
  });
});
