import { ALERTS_MAX } from "@turnpike/contract/alerts";
import { WEBHOOKS_MAX } from "@turnpike/contract/webhooks";
import { SCOPES } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ALERT, EXPORT } from "./good-requests.fixture.ts";

let database: TestDatabase;
let app: TestApp;
let operator: string;
beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database);
  operator = await app.mintServiceKey(SCOPES);
});
afterAll(async () => {
  await app.close();
  await database.close();
});

const RACERS = 8;

type Kind = {
  what: string;
  max: number;
  /** Makes a tenant have so many. Left out: by adding them one by one. */
  fill?(tenantId: TenantId, count: number): Promise<unknown>;
  /** @returns The status of the answer. */
  add(tenantId: TenantId, index: number): Promise<number>;
  count(tenantId: TenantId): Promise<number>;
};

const post = async (path: string, body: object) =>
  (await app.call(operator, "POST", path, body)).status;

const rowsOf = async (table: string, tenantId: TenantId): Promise<number> => {
  const [row] = await database.sql<{ count: number }[]>`
    select count(*)::int as count from ${database.sql(table)} where tenant_id = ${tenantId}`;
  return row?.count ?? 0;
};

const KINDS: Kind[] = [
  {
    what: "files",
    max: 1_000,
    fill: (tenantId, count) => database.sql`
      insert into files (tenant_id, file_id, name, media_type, bytes, sha256, created_at, created_by)
      select ${tenantId}, 'file_' || lpad(n::text, 32, '0'), 'n', 'text/plain', 1, '\\x00', now(), 'x'
      from generate_series(1, ${count}) n`,
    async add(tenantId, index) {
      const url = `${app.url}/v1/tenants/${tenantId}/files?name=n${String(index)}.txt`;
      const headers = { authorization: `Bearer ${operator}`, "content-type": "text/plain" };
      const reply = await fetch(url, { method: "PUT", headers, body: "text" });
      await reply.body?.cancel();
      return reply.status;
    },
    count: (tenantId) => rowsOf("files", tenantId),
  },
  {
    what: "documents",
    max: 2_000,
    fill: (tenantId, count) => database.sql`
      insert into documents (tenant_id, collection, document_id, revision, body, updated_at, updated_by)
      select ${tenantId}, 'full', 'd' || n, n, '{}', now(), 'x' from generate_series(1, ${count}) n`,
    async add(tenantId, index) {
      const path = `/v1/tenants/${tenantId}/documents/full/more-${String(index)}`;
      return (await app.call(operator, "PUT", path, { body: {} })).status;
    },
    count: (tenantId) => rowsOf("documents", tenantId),
  },
  {
    what: "alerts",
    max: ALERTS_MAX,
    add: (tenantId, index) =>
      post(`/v1/tenants/${tenantId}/alerts`, { ...ALERT, name: `Alert ${String(index)}` }),
    count: (tenantId) => rowsOf("alerts", tenantId),
  },
  {
    what: "webhooks",
    max: WEBHOOKS_MAX,
    add: (tenantId, index) =>
      post(`/v1/tenants/${tenantId}/webhooks`, { url: `https://1.1.1.1/${String(index)}` }),
    count: (tenantId) => rowsOf("webhook_endpoints", tenantId),
  },
  {
    what: "exports under way",
    max: 5,
    add: (tenantId) => post(`/v1/tenants/${tenantId}/exports`, EXPORT),
    count: (tenantId) => rowsOf("exports", tenantId),
  },
];

describe("the last one that a tenant may have goes to one of those that ask for it at once", () => {
  it.each(KINDS)("$what", async ({ max, fill, add, count }) => {
    const tenantId = await app.mintTenant("Crowded");
    if (fill === undefined) {
      for (let index = 0; index < max - 1; index += 1) {
        expect(await add(tenantId, index)).toBeLessThan(300);
      }
    } else {
      await fill(tenantId, max - 1);
    }
    const racers = Array.from({ length: RACERS }, (_, index) => add(tenantId, max + index));
    const statuses = (await Promise.all(racers)).sort((one, other) => one - other);
    expect(statuses[0]).toBeLessThan(300);
    expect(statuses.slice(1)).toEqual(Array.from({ length: RACERS - 1 }, () => 409));
    expect(await count(tenantId)).toBe(max);
  });
});
