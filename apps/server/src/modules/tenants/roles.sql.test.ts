import { CUSTOM_ROLES_MAX } from "@turnpike/contract/roles";
import { databaseErrorCode } from "@turnpike/db/database-errors";
import { mayInTenant } from "@turnpike/domain/access/actor";
import { BASIC_SCOPES, CUSTOM_ROLE_SCOPES, type Scope } from "@turnpike/domain/access/scopes";
import type { CustomRoleId, TenantId, UserId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  contextOf,
  createTestServices,
  createTestTenant,
  createTestUser,
  createTwoTenants,
  OPERATOR_CONTEXT,
  type TestServices,
  type TestUser,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listAudit } from "#modules/audit/index.ts";
import { type JobQueue, openJobQueue } from "#platform/job-queue.ts";
import { acceptInvitation, previewInvitation } from "./accept-invitation.ts";
import { createInvitation } from "./create-invitation.ts";
import { deleteRole } from "./delete-role.ts";
import { listRoles } from "./list-roles.ts";
import { putMember } from "./put-member.ts";
import { removeMember } from "./remove-member.ts";
import { revokeInvitation } from "./revoke-invitation.ts";
import { roleDirectory } from "./role-directory.ts";
import { deleteCustomRole, replaceRole } from "./roles.store.ts";
import { createRole, updateRole } from "./write-role.ts";

let database: TestDatabase;
let services: TestServices;
let jobs: JobQueue & { close(): Promise<void> };
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  jobs = await openJobQueue({ target: database.target, logger: services.logger });
});
afterAll(async () => {
  await jobs.close();
  await database.close();
});

type Stage = { tenantId: TenantId; owner: TestUser };

async function createStage(): Promise<Stage> {
  const { tenantId } = await createTestTenant(services);
  return { tenantId, owner: await createTestUser(services, { roles: [[tenantId, "owner"]] }) };
}

async function make(stage: Stage, scopes: Scope[], name = "Support"): Promise<CustomRoleId> {
  const { tenantId, owner } = stage;
  const made = await createRole(services, owner.context, {
    tenantId,
    name,
    description: "",
    scopes,
  });
  return made.role as CustomRoleId;
}

const put = (stage: Stage, { userId }: TestUser, role: CustomRoleId | "viewer") =>
  putMember(services, OPERATOR_CONTEXT, { tenantId: stage.tenantId, userId, role });

/** The person as a request of theirs sees them now. */
async function actorOf(userId: UserId) {
  const roles = await services.transact.asOperator((tx) => roleDirectory.listRoles(tx, [userId]));
  const ofPerson = roles.get(userId) ?? new Map<TenantId, never>();
  return contextOf({ type: "user", id: userId, isOperator: false, roles: ofPerson });
}

const invitationDeps = () => ({
  ...{ ...services, jobs, sendsMail: false },
  ...{ consoleUrl: "https://console.test", brandName: "Turnpike" },
});

const tokenOf = (link: string | null) => link?.split("invitation=")[1] ?? expect.fail("no link");

describe("a role that a tenant made", () => {
  it("gives its members its scopes and the basic ones, in that tenant alone, and new ones at once", async () => {
    const stage = await createStage();
    const { tenantId, owner } = stage;
    const roleId = await make(stage, ["keys:read", "usage:read"]);
    const person = await createTestUser(services);
    await put(stage, person, roleId);
    const held = async () => {
      const { actor } = await actorOf(person.userId);
      return CUSTOM_ROLE_SCOPES.filter((scope) => mayInTenant(actor, scope, tenantId));
    };
    expect(new Set(await held())).toEqual(new Set([...BASIC_SCOPES, "keys:read", "usage:read"]));
    const countChanges = async () => {
      const [row] = await database.sql`
        select count(*)::int as count from changes where kind = 'user' and entity_id = ${person.userId}`;
      return Number(row?.["count"]);
    };
    const before = await countChanges();
    await updateRole(services, owner.context, { tenantId, roleId, scopes: ["audit:read"] });
    // Every process learns of it.
    expect(await countChanges()).toBe(before + 1);
    expect(new Set(await held())).toEqual(new Set([...BASIC_SCOPES, "audit:read"]));
    const { actor } = await actorOf(person.userId);
    expect(mayInTenant(actor, "audit:read", (await createStage()).tenantId)).toBe(false);
    const { items } = await listRoles(services, owner.context, { tenantId });
    expect(items.at(-1)).toMatchObject({
      role: roleId,
      isCustom: true,
      members: 1,
      invitations: 0,
    });
    const trail = await listAudit(services, owner.context, {
      tenantId,
      entityId: roleId,
      limit: 9,
    });
    expect(trail.items.map(({ action, details }) => [action, details["added"]])).toEqual([
      ["role.updated", ["audit:read"]],
      ["role.created", undefined],
    ]);
  });

  it("has no scope that its maker lacks, before or after a change, by a person or a program", async () => {
    const stage = await createStage();
    const { tenantId } = stage;
    const roleId = await make(stage, ["members:read", "members:write"], "People");
    const strong = await make(stage, ["billing:write"], "Money");
    const person = await createTestUser(services);
    await put(stage, person, roleId);
    const context = await actorOf(person.userId);
    const draft = { tenantId, description: "" };
    const make2 = (scopes: Scope[], name: string) =>
      createRole(services, context, { ...draft, name, scopes });
    expect((await make2(["members:read"], "Fewer")).scopes).not.toContain("members:write");
    const attempts = [
      make2(["keys:write"], "More"),
      updateRole(services, context, { tenantId, roleId, scopes: ["members:write", "audit:read"] }),
      updateRole(services, context, { tenantId, roleId: strong, scopes: [] }),
      deleteRole(services, context, { tenantId, roleId: strong }),
      putMember(services, context, { tenantId, userId: person.userId, role: strong }),
      createInvitation(invitationDeps(), context, {
        tenantId,
        email: "x@example.com",
        role: strong,
      }),
      make2([], "No program").then(() =>
        createRole(
          services,
          contextOf({ type: "service_key", id: "svc_1", scopes: ["members:write"] }),
          {
            ...{ ...draft, name: "By program", scopes: [] },
          },
        ),
      ),
    ];
    const codes = await Promise.all(attempts.map(async (one) => (await refusalOf(one)).code));
    expect(new Set(codes)).toEqual(new Set(["INSUFFICIENT_SCOPE"]));
  });

  it("that is in use is deleted only with a replacement, which members and invitations get", async () => {
    const stage = await createStage();
    const { tenantId, owner } = stage;
    const roleId = await make(stage, ["keys:write", "keys:read"]);
    const person = await createTestUser(services);
    await put(stage, person, roleId);
    const guest = await createTestUser(services, { email: "guest@example.com" });
    const invitation = await createInvitation(invitationDeps(), owner.context, {
      ...{ tenantId, email: "guest@example.com", role: roleId },
    });
    const token = tokenOf(invitation.link);
    expect((await previewInvitation(services, { token })).role).toBe("Support");
    const remove = (replacement?: "viewer" | CustomRoleId) =>
      deleteRole(services, owner.context, { tenantId, roleId, replacement });
    expect(await refusalOf(remove())).toMatchObject({
      code: "CONFLICT",
      message:
        "The role is in use (members: 1, open invitations: 1): choose the role that takes its place.",
    });
    expect((await refusalOf(remove(roleId))).code).toBe("CONFLICT");
    const foreign = await make(await createStage(), ["keys:read"]);
    expect(await refusalOf(remove(foreign))).toMatchObject({
      ...{ code: "INVALID_REQUEST", errors: [{ pointer: "/replacement" }] },
    });
    await remove("viewer");
    expect((await actorOf(person.userId)).actor).toMatchObject({
      roles: new Map([[tenantId, "viewer"]]),
    });
    expect((await acceptInvitation(services, guest.context, { token })).tenant.role).toBe("viewer");
    expect((await refusalOf(remove("viewer"))).code).toBe("RESOURCE_NOT_FOUND");
    // An invitation that has expired holds no role back.
    const idle = await make(stage, [], "Idle");
    await createInvitation(invitationDeps(), owner.context, {
      ...{ tenantId, email: "late@example.com", role: idle, expiresInDays: 1 },
    });
    services.clock.advance(2 * 24 * 60 * 60_000);
    await deleteRole(services, owner.context, { tenantId, roleId: idle });
  });

  it("that shrinks or grows ends the invitations that its members, or their senders, may no longer give", async () => {
    const stage = await createStage();
    const { tenantId, owner } = stage;
    const people = await make(stage, ["members:read", "members:write"], "People");
    const small = await make(stage, [], "Small");
    const person = await createTestUser(services);
    await put(stage, person, people);
    const invite = async (email: string) => {
      const context = await actorOf(person.userId);
      const input = { tenantId, email, role: small };
      return tokenOf((await createInvitation(invitationDeps(), context, input)).link);
    };
    const isOpen = (token: string) =>
      previewInvitation(services, { token }).then(
        () => true,
        () => false,
      );
    const first = await invite("a@example.com");
    await updateRole(services, owner.context, { tenantId, roleId: small, scopes: ["keys:write"] });
    expect(await isOpen(first)).toBe(false);
    await updateRole(services, owner.context, { tenantId, roleId: small, scopes: [] });
    const second = await invite("b@example.com");
    await updateRole(services, owner.context, { tenantId, roleId: people, name: "Staff" });
    expect(await isOpen(second)).toBe(true);
    await updateRole(services, owner.context, { tenantId, roleId: people, scopes: [] });
    expect(await isOpen(second)).toBe(false);
  });

  it("has a name of its own, and a tenant has a bounded number, also when many are made at once", async () => {
    const stage = await createStage();
    const outcomes = await Promise.allSettled(
      Array.from({ length: CUSTOM_ROLES_MAX + 4 }, (_, index) =>
        make(stage, [], index === 1 ? "ROLE 0" : `Role ${String(index)}`),
      ),
    );
    const made = outcomes.filter(({ status }) => status === "fulfilled");
    expect(made).toHaveLength(CUSTOM_ROLES_MAX);
    const [role] = (await listRoles(services, stage.owner.context, stage)).items.slice(-1);
    const { tenantId, owner } = stage;
    const taken = { tenantId, roleId: (role?.role ?? "") as CustomRoleId, name: "role 5" };
    expect(await refusalOf(updateRole(services, owner.context, taken))).toMatchObject({
      ...{ code: "ALREADY_EXISTS", errors: [{ pointer: "/name" }] },
    });
  });

  it("is not given while it is deleted: one of the two waits and is refused", async () => {
    const stage = await createStage();
    for (let round = 0; round < 6; round += 1) {
      const roleId = await make(stage, [], `Round ${String(round)}`);
      const person = await createTestUser(services);
      const [given, deleted] = await Promise.allSettled([
        put(stage, person, roleId),
        deleteRole(services, stage.owner.context, { tenantId: stage.tenantId, roleId }),
      ]);
      expect([given.status, deleted.status].sort()).toEqual(["fulfilled", "rejected"]);
    }
  });

  it("that is deleted while an invitation to it is accepted gives its replacement, and the trail names each", async () => {
    const stage = await createStage();
    const { tenantId, owner } = stage;
    const roleId = await make(stage, ["keys:read"], "Short lived");
    const person = await createTestUser(services, { email: "late@example.com" });
    const invite = (email: string) =>
      createInvitation(invitationDeps(), owner.context, { tenantId, email, role: roleId });
    const { link } = await invite("late@example.com");
    const { invitationId } = await invite("revoked@example.com");
    await revokeInvitation(services, owner.context, { tenantId, invitationId });
    const of = { tenantId, entityId: invitationId, limit: 1 };
    const [revoked] = (await listAudit(services, owner.context, of)).items;
    expect(revoked?.details).toMatchObject({ role: "Short lived" });

    // The invitation is read before the tenant is locked: here the role is deleted in between.
    let held = (): void => undefined;
    const isHeld = new Promise<void>((resolve) => {
      held = resolve;
    });
    const deleted = services.transact.asOperator(async (tx) => {
      await tx`select 1 from tenants where tenant_id = ${tenantId} for update`;
      held();
      await pollUntil("the acceptance waits", async () => {
        const rows = await database.sql`
          select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`;
        return rows.length > 0;
      });
      await replaceRole(tx, tenantId, { from: roleId, to: "viewer" });
      await deleteCustomRole(tx, tenantId, roleId);
    });
    await isHeld;
    const input = { token: tokenOf(link) };
    const accepted = await acceptInvitation(services, person.context, input);
    await deleted;
    expect(accepted.tenant).toMatchObject({ tenantId, role: "viewer" });
  });

  it("is nothing to another tenant: not to see, to give or to change, nor for the database", async () => {
    const { ours, theirs } = await createTwoTenants(services);
    const owner = await createTestUser(services, { roles: [[ours.tenantId, "owner"]] });
    const roleId = await make({ tenantId: ours.tenantId, owner }, ["keys:read"]);
    const rival = await createTestUser(services, { roles: [[theirs.tenantId, "owner"]] });
    const { tenantId } = theirs;
    const attempts = (id: CustomRoleId) => [
      updateRole(services, rival.context, { tenantId, roleId: id, scopes: [] }),
      deleteRole(services, rival.context, { tenantId, roleId: id }),
      putMember(services, rival.context, { tenantId, userId: rival.userId, role: id }),
      updateRole(services, rival.context, { tenantId: ours.tenantId, roleId: id, scopes: [] }),
    ];
    const texts = async (id: CustomRoleId) =>
      (await Promise.all(attempts(id).map(refusalOf))).map(({ code, message }) => code + message);
    expect(await texts(roleId)).toEqual(await texts(services.newId("role")));
    const seen = await services.transact.asTenant(
      tenantId,
      async (tx) => (await tx`select 1 from custom_roles`).length,
    );
    expect(seen).toBe(0);
    const crossed = await database.sql`
      update members set role = ${roleId} where tenant_id = ${tenantId} and user_id = ${rival.userId}`.then(
      () => "done",
      databaseErrorCode,
    );
    expect(crossed).toBe("23503");
  });

  it("is left like any other, and its members' role is named in the trail", async () => {
    const stage = await createStage();
    const { tenantId } = stage;
    const roleId = await make(stage, ["keys:read"]);
    const person = await createTestUser(services);
    await put(stage, person, roleId);
    await removeMember(
      { ...services, memberKeys: { listLiveKeysOf: async () => [] } },
      await actorOf(person.userId),
      { tenantId, userId: person.userId },
    );
    const trail = { tenantId, entityId: person.userId, limit: 9 };
    const { items } = await listAudit(services, stage.owner.context, trail);
    expect(items.map(({ details }) => details["role"])).toEqual([
      ["Support", null],
      [null, "Support"],
    ]);
  });
});
