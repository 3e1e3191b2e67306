import type { TenantId } from "@turnpike/domain/ids/ids";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  createTestUser,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { putDocument } from "#modules/documents/index.ts";
import { putMember } from "./put-member.ts";
import { updateTenant } from "./update-tenant.ts";

const ROUNDS = 25;

let database: TestDatabase;
let services: TestServices;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
});
afterAll(() => database.close());

const turns =
  <Result>(work: (turn: number) => Promise<Result>) =>
  async () => {
    for (let turn = 0; turn < ROUNDS; turn += 1) {
      await work(turn);
    }
  };

describe("a tenant changed while its documents are written", () => {
  // A document writer once waited for the tenant while holding the lock of the change feed, and a change of the tenant waited
  // for that lock. PostgreSQL ended one of the two after a second in which nothing could be written.
  it.each<[string, (tenantId: TenantId, turn: number) => Promise<unknown>]>([
    [
      "plan",
      (tenantId, turn) =>
        updateTenant(services, OPERATOR_CONTEXT, {
          tenantId,
          planId: turn % 2 === 0 ? "pro" : "free",
        }),
    ],
    [
      "name and slug",
      (tenantId, turn) =>
        updateTenant(services, OPERATOR_CONTEXT, {
          tenantId,
          name: `Name ${String(turn)}`,
          slug: `${tenantId.slice(-8)}-slug-${String(turn)}`.replace(/^[^a-z]/, "t"),
        }),
    ],
    [
      "members",
      async (tenantId) => {
        const { userId } = await createTestUser(services);
        await putMember(services, OPERATOR_CONTEXT, { tenantId, userId, role: "viewer" });
      },
    ],
  ])("takes a change of its %s and every document", async (_what, change) => {
    const { tenantId, context } = await createTestTenant(services);
    const write = (writer: number) => (turn: number) =>
      putDocument(services, context, {
        tenantId,
        collection: "settings",
        documentId: `${String(writer)}-${String(turn)}`,
        body: {},
      });
    const writers = [1, 2, 3].map((writer) => turns(write(writer))());
    await Promise.all([...writers, turns((turn) => change(tenantId, turn))()]);
    const [row] = await database.sql<{ count: number }[]>`
      select count(*)::int as count from documents where tenant_id = ${tenantId}`;
    expect(row?.count).toBe(3 * ROUNDS);
  });
});
