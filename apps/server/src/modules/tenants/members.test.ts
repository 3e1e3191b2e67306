import { type CallContext, may } from "@turnpike/domain/access/actor";
import {
  canGrantRole,
  ROLE_SCOPES,
  ROLES,
  type Role,
  type Scope,
} from "@turnpike/domain/access/scopes";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
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
import { ensureUser } from "#modules/identity/index.ts";
import { createKey, revokeKey } from "#modules/keys/index.ts";
import { listMembers } from "./list-members.ts";
import { putMember } from "./put-member.ts";
import { removeMember } from "./remove-member.ts";

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
  it("are added, change roles and leave, each with an audit entry", async () => {
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

  it("leave no trace when they are given the role they have", async () => {
    const { tenantId } = await createTestTenant(services);
    const user = await createUser("same-role");
    const first = await put(tenantId, user, "admin");
    const heard = async () => {
      const [row] = await database.sql<{ entries: number; changes: number }[]>`
        select (select count(*)::int from audit_entries where tenant_id = ${tenantId}) as entries,
          (select count(*)::int from changes where tenant_id = ${tenantId}) as changes`;
      return row;
    };
    const before = await heard();
    expect(await put(tenantId, user, "admin")).toEqual(first);
    expect(await heard()).toEqual(before);
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

  it("must be existing users of existing tenants", async () => {
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

describe("members among themselves", () => {
  type Case = [actor: Role, target: Role, role: Role, isAllowed: boolean];
  const cases = ROLES.flatMap((actor) =>
    ROLES.flatMap((target) =>
      ROLES.map((role): Case => {
        const isAllowed = canGrantRole(actor, target) && canGrantRole(actor, role);
        return [actor, target, role, isAllowed];
      }),
    ),
  );

  it("neither give nor take a role above their own, for every combination of roles", async () => {
    const { tenantId } = await createTestTenant(services);
    await put(tenantId, await createUser("anchor"), "owner");
    for (const [actorRole, targetRole, role, isAllowed] of cases) {
      const actor = await createTestUser(services, { roles: [[tenantId, actorRole]] });
      const target = await createTestUser(services, { roles: [[tenantId, targetRole]] });
      const input = { tenantId, userId: target.userId };
      const outcome = await putMember(services, actor.context, { ...input, role }).then(
        () => true,
        () => false,
      );
      expect([actorRole, targetRole, role, outcome]).toEqual([
        actorRole,
        targetRole,
        role,
        isAllowed,
      ]);
      await put(tenantId, target.userId, targetRole as "viewer");
      const mayRemove = canGrantRole(actorRole, targetRole);
      const removed = await removeMember(services, actor.context, input).then(
        () => true,
        () => false,
      );
      expect([actorRole, "removes", targetRole, removed]).toEqual([
        actorRole,
        "removes",
        targetRole,
        mayRemove,
      ]);
    }
  });

  it("get and lose a role through a program only if it holds every scope of that role", async () => {
    const { tenantId } = await createTestTenant(services);
    await put(tenantId, await createUser("program-anchor"), "owner");
    const programOf = (scopes: readonly Scope[]) =>
      contextOf({ type: "service_key", id: "svc_1", scopes });
    const wrong: string[] = [];
    for (const scopes of [["members:write"] as const, ...Object.values(ROLE_SCOPES)]) {
      const program = programOf([...new Set<Scope>(["members:write", ...scopes])]);
      for (const role of ROLES) {
        const mayGive = ROLE_SCOPES[role].every((scope) => may(program.actor, scope));
        const added = await createTestUser(services);
        const member = await createTestUser(services, { roles: [[tenantId, role]] });
        const input = { tenantId, userId: member.userId };
        const attempts = {
          adds: () => putMember(services, program, { ...input, userId: added.userId, role }),
          removes: () => removeMember(services, program, input),
        };
        for (const [verb, attempt] of Object.entries(attempts)) {
          const outcome = await attempt().then(
            () => "done",
            (error: unknown) => (error instanceof AppError ? error.code : String(error)),
          );
          if (outcome !== (mayGive ? "done" : "INSUFFICIENT_SCOPE")) {
            wrong.push(`${scopes.join(" ")} ${verb} ${role}: ${outcome}`);
          }
        }
      }
    }
    expect(wrong).toEqual([]);
    const stranger = await createTestUser(services);
    const refused = await refusalOf(
      putMember(services, programOf(["members:write"]), {
        tenantId,
        userId: stranger.userId,
        role: "owner",
      }),
    );
    expect(refused).toMatchObject({ extensions: { requiredScope: "tenants:read" } });
  });

  it("act with their present role, not with the one in their session", async () => {
    const { tenantId } = await createTestTenant(services);
    await put(tenantId, await createUser("now-owner"), "owner");
    const actor = await createTestUser(services, { roles: [[tenantId, "owner"]] });
    const target = await createTestUser(services, { roles: [[tenantId, "viewer"]] });
    const promote = () =>
      putMember(services, actor.context, { tenantId, userId: target.userId, role: "owner" });
    await put(tenantId, actor.userId, "admin");
    expect((await refusalOf(promote())).code).toBe("INSUFFICIENT_SCOPE");
    await remove(tenantId, actor.userId);
    expect((await refusalOf(promote())).code).toBe("RESOURCE_NOT_FOUND");
  });

  it("add no one without an invitation, and learn nothing about who exists", async () => {
    const { tenantId } = await createTestTenant(services);
    const actor = await createTestUser(services, { roles: [[tenantId, "owner"]] });
    const stranger = await createUser("unasked");
    const attempt = (userId: UserId) =>
      refusalOf(putMember(services, actor.context, { tenantId, userId, role: "viewer" }));
    const real = await attempt(stranger);
    const made = await attempt(services.newId("user"));
    expect(real).toMatchObject({ code: "RESOURCE_NOT_FOUND", message: made.message });
  });

  it("may leave in any role, except as the last owner", async () => {
    const { tenantId } = await createTestTenant(services);
    const owner = await createTestUser(services, { roles: [[tenantId, "owner"]] });
    const leave = ({ context, userId }: TestUser) =>
      removeMember(services, context, { tenantId, userId });
    for (const role of ROLES.filter((other) => other !== "owner")) {
      const guest = await createTestUser(services, { roles: [[tenantId, role]] });
      expect(await leave(guest)).toEqual({ liveKeys: [], pausedWebhooks: [] });
      expect((await refusalOf(leave(guest))).code).toBe("RESOURCE_NOT_FOUND");
    }
    expect((await refusalOf(leave(owner))).code).toBe("LAST_OWNER");
  });

  it("leave their keys working; the reply and the audit trail name the live ones", async () => {
    const { tenantId } = await createTestTenant(services);
    await put(tenantId, await createUser("keeper"), "owner");
    const maker = await createTestUser(services, { roles: [[tenantId, "developer"]] });
    const other = await createTestUser(services, { roles: [[tenantId, "developer"]] });
    const make = (context: CallContext, name: string) =>
      createKey(services, context, {
        tenantId,
        name,
        environment: "live",
        scopes: [],
        metadata: {},
      });
    const kept = await make(maker.context, "Kept");
    const revoked = await make(maker.context, "Revoked");
    await make(other.context, "Another's");
    await revokeKey(services, maker.context, { tenantId, keyId: revoked.keyId });
    const { liveKeys } = await remove(tenantId, maker.userId);
    expect(liveKeys).toEqual([{ keyId: kept.keyId, name: "Kept", start: kept.start }]);
    const { items } = await listAudit(services, OPERATOR_CONTEXT, { tenantId, limit: 1 });
    expect(items[0]).toMatchObject({
      action: "member.removed",
      details: { liveKeys: [kept.keyId] },
    });
  });

  it("are published with every change, so that no process uses an old role", async () => {
    const { tenantId } = await createTestTenant(services);
    await put(tenantId, await createUser("announcer"), "owner");
    const user = await createUser("announced");
    const count = async () => {
      const [row] = await database.sql`
        select count(*)::int as count from changes where kind = 'user' and entity_id = ${user}`;
      return row?.["count"];
    };
    const before = await count();
    await put(tenantId, user, "viewer");
    expect(await count()).toBe(before + 1);
    await put(tenantId, user, "admin");
    expect(await count()).toBe(before + 2);
    await remove(tenantId, user);
    expect(await count()).toBe(before + 3);
  });
});
