import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  createTestUser,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listAudit } from "#modules/audit/index.ts";
import { listUntranslatedMails } from "#modules/notifications/testing/untranslated.fixture.ts";
import { type JobQueue, openJobQueue } from "#platform/job-queue.ts";
import { listMembers } from "./list-members.ts";
import { removeMember } from "./remove-member.ts";
import { type TransferDeps, transferTenant } from "./transfer-tenant.ts";

let database: TestDatabase;
let services: TestServices;
let jobs: JobQueue & { close(): Promise<void> };
let deps: TestServices & TransferDeps;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  jobs = await openJobQueue({ target: database.target, logger: services.logger });
  const notices = { sendsMail: true, brandName: "Turnpike", consoleUrl: "https://console.test" };
  deps = { ...services, jobs, notices };
});
afterAll(async () => {
  await jobs.close();
  await database.close();
});

async function createStage() {
  const { tenantId } = await createTestTenant(services, "Blue Heron");
  const owner = await createTestUser(services, { roles: [[tenantId, "owner"]] });
  const member = await createTestUser(services, { roles: [[tenantId, "developer"]] });
  await database.sql`update users set email_verified = true`;
  const roles = async () => {
    const { items } = await listMembers(services, OPERATOR_CONTEXT, { tenantId, limit: 10 });
    return new Map(items.map(({ userId, role }) => [userId, role]));
  };
  return { tenantId, owner, member, roles };
}

describe("a tenant that is passed on", () => {
  it("has the other owner and the former one as admin, who can leave then; both hear of it", async () => {
    const { tenantId, owner, member, roles } = await createStage();
    const input = { tenantId, userId: member.userId, name: "Blue Heron" };
    expect((await transferTenant(deps, owner.context, input)).role).toBe("owner");
    expect(await roles()).toEqual(
      new Map([
        [owner.userId, "admin"],
        [member.userId, "owner"],
      ]),
    );
    const mails = await database.sql<{ recipient: string }[]>`
      select recipient from mails where kind = 'tenant.transferred'`;
    expect(mails).toHaveLength(2);
    const { items } = await listAudit(services, OPERATOR_CONTEXT, { tenantId, limit: 3 });
    expect(items.map(({ action }) => action)).toEqual([
      "tenant.transferred",
      "member.role_changed",
      "member.role_changed",
    ]);
    // The session still says owner, the database does not.
    expect((await refusalOf(transferTenant(deps, owner.context, input))).code).toBe(
      "INSUFFICIENT_SCOPE",
    );
    await removeMember(services, owner.context, { tenantId, userId: owner.userId });
    expect([...(await roles()).keys()]).toEqual([member.userId]);
  });

  it("stays as it is without its name, for oneself, for a stranger and for all but owners", async () => {
    const { tenantId, owner, member, roles } = await createStage();
    const stranger = await createTestUser(services);
    const admin = await createTestUser(services, { roles: [[tenantId, "admin"]] });
    const before = await roles();
    const pass = (by: typeof owner, userId: typeof owner.userId, name = "Blue Heron") =>
      refusalOf(transferTenant(deps, by.context, { tenantId, userId, name }));
    expect(await pass(owner, member.userId, "blue heron")).toMatchObject({
      ...{ code: "INVALID_REQUEST", errors: [{ pointer: "/name" }] },
    });
    expect((await pass(owner, owner.userId)).code).toBe("INVALID_REQUEST");
    expect((await pass(owner, stranger.userId)).code).toBe("RESOURCE_NOT_FOUND");
    expect((await pass(admin, member.userId)).code).toBe("INSUFFICIENT_SCOPE");
    expect((await pass(stranger, stranger.userId)).code).toBe("RESOURCE_NOT_FOUND");
    expect(await roles()).toEqual(before);
  });

  it("has one owner when it is passed on twice at once", async () => {
    const { tenantId, owner, member, roles } = await createStage();
    const other = await createTestUser(services, { roles: [[tenantId, "viewer"]] });
    const outcomes = await Promise.allSettled(
      [member, other].map(({ userId }) =>
        transferTenant(deps, owner.context, { tenantId, userId, name: "Blue Heron" }),
      ),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect([...(await roles()).values()].filter((role) => role === "owner")).toHaveLength(1);
  });
});

it("has German for all that its mails say", async () => {
  const { count, unknown } = await listUntranslatedMails(database.sql);
  expect(count).toBeGreaterThan(0);
  expect(unknown).toEqual([]);
});
