import { keySummaries, usageReport } from "@turnpike/contract/usage";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commitGroups } from "#modules/metering/index.ts";
import { inventCalls, toGroup } from "../testing/invented-calls.fixture.ts";

let database: TestDatabase;
let app: TestApp;
let ours: TenantId;
let theirs: TenantId;
let ourKey: string;
let operator: string;
beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database);
  ours = await app.mintTenant("Ours");
  theirs = await app.mintTenant("Theirs");
  ourKey = await app.mintKey(ours, ["usage:read"]);
  operator = await app.mintServiceKey(["usage:read"]);
  const { newId } = app.services;
  const owners = [ours, theirs].map((tenantId) => ({
    tenantId,
    plan: "free",
    keys: [newId("key")] as const,
  }));
  const [first, second] = owners;
  if (first !== undefined && second !== undefined) {
    await commitGroups(app.services, [toGroup(inventCalls([first, second], 200), newId)]);
  }
});
afterAll(async () => {
  await app.close();
  await database.close();
});

const YEAR = "from=2026-01-01T00:00:00Z&to=2027-01-01T00:00:00Z";

describe("usage over HTTP", () => {
  it("answers in the shape of the contract, by tenant and over all", async () => {
    const query = `${YEAR}&measures=requests,latency_p95&dimensions=status_class&compare=previous`;
    const own = await app.call(ourKey, "GET", `/v1/tenants/${ours}/usage?${query}`);
    expect(own.status).toBe(200);
    const report = usageReport.parse(own.json);
    expect(report.rows.length).toBeGreaterThan(1);
    const byKey = await app.call(ourKey, "GET", `/v1/usage?${query}`);
    expect(usageReport.parse(byKey.json)).toEqual(report);
    const all = await app.call(operator, "GET", `/v1/usage?${YEAR}&dimensions=tenant`);
    const tenants = usageReport.parse(all.json).rows.map(({ group }) => group.tenant);
    expect(tenants.toSorted()).toEqual([ours, theirs].toSorted());
  });

  it("summarises keys", async () => {
    const keyId = app.services.newId("key");
    const path = `/v1/tenants/${ours}/usage/keys?keys=${keyId}&timeZone=Asia/Kolkata`;
    const reply = await app.call(ourKey, "GET", path);
    expect(keySummaries.parse(reply.json).items).toMatchObject([{ keyId, lastUsedAt: null }]);
  });

  it("answers CSV as a file, with the same permissions as JSON", async () => {
    const query = `${YEAR}&dimensions=route&order=route`;
    const reply = await app.call(ourKey, "GET", `/v1/tenants/${ours}/usage.csv?${query}`);
    expect(reply.status).toBe(200);
    expect(reply.headers.get("content-type")).toContain("text/csv");
    expect(reply.headers.get("content-disposition")).toContain("attachment");
    const { json } = await app.call(ourKey, "GET", `/v1/tenants/${ours}/usage?${query}`);
    const lines = reply.text.trimEnd().split("\r\n");
    expect(lines).toHaveLength(json.rows.length + 1);
    expect(lines[0]).toBe("route,requests");
    expect(reply.text).toContain(`"'=1+1",`);
    const all = await app.call(operator, "GET", `/v1/usage.csv?${YEAR}&dimensions=tenant`);
    expect(all.text.trimEnd().split("\r\n")).toHaveLength(3);
  });

  it("says whether a file has all rows", async () => {
    const cutOff = async (limit: number) => {
      const path = `/v1/usage.csv?${YEAR}&dimensions=tenant&limit=${String(limit)}`;
      return (await app.call(operator, "GET", path)).headers.get("x-turnpike-truncated");
    };
    expect([await cutOff(1), await cutOff(100)]).toEqual(["true", "false"]);
  });

  it.each(["", ".csv"])(
    "refuses usage%s to strangers, other tenants and the wrong scope",
    async (suffix) => {
      const weak = await app.mintServiceKey(["keys:read"]);
      const path = `/v1/tenants/${ours}/usage${suffix}`;
      expect((await app.call(undefined, "GET", path)).status).toBe(401);
      expect((await app.call(weak, "GET", path)).status).toBe(403);
      expect((await app.call(weak, "GET", `/v1/usage${suffix}`)).status).toBe(403);
      const other = await app.call(ourKey, "GET", `/v1/tenants/${theirs}/usage${suffix}`);
      const missing = await app.call(
        ourKey,
        "GET",
        `/v1/tenants/${app.services.newId("tenant")}/usage${suffix}`,
      );
      expect([other.status, missing.status]).toEqual([404, 404]);
      expect(other.json.detail).toBe(missing.json.detail);
    },
  );
});

const HOSTILE = [
  "'",
  "' or '1'='1",
  "'; drop table usage_rollups; --",
  "1) union select key_hash from api_keys --",
  "requests, (select 1)",
  "requests desc; select pg_sleep(10)",
  "$1",
  "{1,2}",
  "\\",
  "%00",
  "%ED%A0%80",
  "__proto__",
  "constructor",
  "d0",
  "bucket",
  "meter:",
  "meter:'; drop table meters; --",
  "event:",
  "event:d0) from meters --",
  "-",
  ",",
  "-1",
  "1e99",
  "NaN",
  "x".repeat(20_000),
  "%f0%9f%92%a9",
];
const PARAMETERS = [
  "measures",
  "dimensions",
  "meter",
  "from",
  "to",
  "grain",
  "timeZone",
  "order",
  "limit",
  "compare",
  "key",
  "route",
  "method",
  "status",
  "status_class",
  "outcome",
  "environment",
  "tenant",
  "plan",
  "event",
  "format",
];

describe("hostile parameters", () => {
  it.each(PARAMETERS)("are refused in %s, or match nothing", async (name) => {
    const before = await app.call(operator, "GET", `/v1/usage?${YEAR}`);
    for (const text of HOSTILE) {
      const value = /^%|^x{9}/.test(text) ? text.slice(0, 12_000) : encodeURIComponent(text);
      for (const suffix of ["", ".csv"]) {
        const query = `${name}=${value}${name === "grain" ? "" : "&grain=month"}`;
        const reply = await app.call(operator, "GET", `/v1/usage${suffix}?${query}`);
        expect([200, 400], `${name}=${text.slice(0, 60)}`).toContain(reply.status);
        if (reply.status === 400) {
          expect(reply.json).toMatchObject({ code: "INVALID_REQUEST" });
          expect(reply.json.errors[0].pointer).toBe(`/${name}`);
          expect(reply.text.length).toBeLessThan(2_000);
        } else {
          expect(["meter", "route", "plan"]).toContain(name);
          expect(
            suffix === "" ? reply.json.rows : reply.text.trimEnd().split("\r\n").slice(1),
          ).toEqual([]);
        }
      }
    }
    expect((await app.call(operator, "GET", `/v1/usage?${YEAR}`)).json).toEqual(before.json);
  });

  it.each([
    ["to=9999-12-31T23:59:59Z", "/to"],
    ["to=9999-12-31T23:59:59Z&from=9999-12-31T23:58:00Z&grain=minute", "/to"],
    ["from=1970-01-01T00:00:00Z&to=1970-02-01T00:00:00Z&grain=week", "/from"],
    ["from=1970-01-01T00:00:00Z&to=1970-02-01T00:00:00Z&grain=day&timeZone=Europe/Berlin", "/from"],
  ])("beyond the range of time are refused: %s", async (query, pointer) => {
    for (const path of ["/v1/usage", "/v1/usage.csv", `/v1/tenants/${ours}/usage`]) {
      const reply = await app.call(operator, "GET", `${path}?${query}`);
      expect(reply.status, path).toBe(400);
      expect(reply.json.errors[0].pointer).toBe(pointer);
    }
  });

  it("just within the range of time are answered", async () => {
    for (const query of [
      "from=1970-01-01T00:00:00Z&to=9999-12-31T23:59:00Z",
      "from=1970-01-01T00:00:00Z&to=1970-02-01T00:00:00Z&grain=day",
      "from=9999-12-31T00:00:00Z&to=9999-12-31T23:59:00Z&grain=month",
    ]) {
      expect((await app.call(operator, "GET", `/v1/usage?${query}`)).status, query).toBe(200);
    }
  });

  it("may not be given twice", async () => {
    const query = "measures=requests&measures=errors";
    for (const path of ["/v1/usage", "/v1/usage.csv"]) {
      const reply = await app.call(operator, "GET", `${path}?${query}`);
      expect(reply.status).toBe(400);
      expect(reply.json.errors[0].pointer).toBe("/measures");
    }
  });
});
