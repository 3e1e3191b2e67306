import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  createTwoTenants,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listAudit } from "#modules/audit/index.ts";
import { ensureUser } from "#modules/identity/index.ts";
import { listMembers, putMember, removeMember } from "./manage-members.ts";

let database: TestDatabase;
let services: TestServices;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
});
afterAll(() => database.close());

async function createUser(subject: string): Promise<UserId> {
  const input = { issuer: "https://id.example.com", subject, email: `${subject}@example.com` };
  return (await ensureUser(services, OPERATOR_CONTEXT, input)).userId;
}

const put = (tenantId: TenantId, userId: UserId, role: "owner" | "admin" | "viewer") =>
  putMember(services, OPERATOR_CONTEXT, { tenantId, userId, role });
const remove = (tenantId: TenantId, userId: UserId) =>
  removeMember(services, OPERATOR_CONTEXT, { tenantId, userId });

async function rolesOf(tenantId: TenantId): Promise<string[]> {
  const { items } = await listMembers(services, OPERATOR_CONTEXT, { tenantId, limit: 100 });
  return items.map((member) => member.role);
}

describe("members", () => {
  it("are added, change their role and leave, each written down", async () => {
    const { tenantId } = await createTestTenant(services);
    const owner = await createUser("owner");
    const guest = await createUser("guest");
    await put(tenantId, owner, "owner");
    expect(await put(tenantId, guest, "viewer")).toMatchObject({
      userId: guest,
      role: "viewer",
      email: "guest@example.com",
    });
    await put(tenantId, guest, "admin");
    await remove(tenantId, guest);
    expect(await rolesOf(tenantId)).toEqual(["owner"]);
    const { items } = await listAudit(services, OPERATOR_CONTEXT, { tenantId, limit: 3 });
    expect(items.map((entry) => [entry.action, entry.details["role"]])).toEqual([
      ["member.removed", ["admin", null]],
      ["member.role_changed", ["viewer", "admin"]],
      ["member.added", [null, "viewer"]],
    ]);
  });

  it("keep at least one owner: the last one can neither leave nor step down", async () => {
    const { tenantId } = await createTestTenant(services);
    const owner = await createUser("last-owner");
    await put(tenantId, owner, "owner");
    expect((await refusalOf(remove(tenantId, owner))).code).toBe("LAST_OWNER");
    expect((await refusalOf(put(tenantId, owner, "admin"))).code).toBe("LAST_OWNER");
    await put(tenantId, owner, "owner");
    expect(await rolesOf(tenantId)).toEqual(["owner"]);
  });

  it("keep an owner when two owners leave at once", async () => {
    for (let round = 0; round < 10; round += 1) {
      const { tenantId } = await createTestTenant(services);
      const one = await createUser(`race-one-${String(round)}`);
      const two = await createUser(`race-two-${String(round)}`);
      await put(tenantId, one, "owner");
      await put(tenantId, two, "owner");
      const outcomes = await Promise.allSettled([
        remove(tenantId, one),
        round % 2 === 0 ? remove(tenantId, two) : put(tenantId, two, "viewer"),
      ]);
      expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(1);
      expect(await rolesOf(tenantId)).toContain("owner");
    }
  });

  it("are only users that exist, of tenants that exist", async () => {
    const { tenantId } = await createTestTenant(services);
    const user = await createUser("real");
    const noUser = await refusalOf(put(tenantId, services.newId("user"), "viewer"));
    expect(noUser).toMatchObject({ code: "RESOURCE_NOT_FOUND", message: "There is no such user." });
    const noTenant = await refusalOf(put(services.newId("tenant"), user, "viewer"));
    expect(noTenant.message).toBe("There is no such tenant.");
    expect((await refusalOf(remove(tenantId, user))).message).toBe("There is no such member.");
  });

  it("are paged by user, each once", async () => {
    const { tenantId } = await createTestTenant(services);
    for (let index = 0; index < 5; index += 1) {
      await put(tenantId, await createUser(`paged-${String(index)}`), "viewer");
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listMembers(services, OPERATOR_CONTEXT, { tenantId, cursor, limit: 2 });
      seen.push(...page.items.map((member) => member.userId));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(new Set(seen).size).toBe(5);
  });

  it("of another tenant look like those of a tenant that does not exist", async () => {
    const { ours, theirs } = await createTwoTenants(services);
    const read = (tenantId: TenantId) =>
      refusalOf(listMembers(services, ours.context, { tenantId, limit: 10 }));
    const other = await read(theirs.tenantId);
    const missing = await read(services.newId("tenant"));
    expect(other).toMatchObject({ code: "RESOURCE_NOT_FOUND", message: missing.message });
    const user = await createUser("intruder");
    const input = { tenantId: ours.tenantId, userId: user, role: "owner" as const };
    expect((await refusalOf(putMember(services, ours.context, input))).code).toBe(
      "INSUFFICIENT_SCOPE",
    );
  });
});
