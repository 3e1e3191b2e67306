import { SCOPES } from "@turnpike/domain/access/scopes";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  contextOf,
  createTestServices,
  createTestUser,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  addOperator,
  getUserByName,
  listOperators,
  listOperatorUsers,
  removeOperator,
} from "../users/manage-operators.ts";
import { claimSetup } from "./claim-setup.ts";
import { offerSetupCode } from "./setup-code.ts";

const ALONE = {
  secret: "of the installation, 32 characters long",
  hasOthers: () => Promise.resolve(false),
};

let database: TestDatabase;
let services: TestServices;
beforeEach(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
});
afterEach(() => database.close());

async function offer(): Promise<string> {
  return (await offerSetupCode(services, ALONE)) ?? expect.fail("no code");
}

async function operatorIds(): Promise<string[]> {
  return (await listOperators(services, OPERATOR_CONTEXT)).map((user) => user.userId);
}

describe("claimSetup", () => {
  it("makes one operator, even when 50 people race for it", async () => {
    const code = await offer();
    const people = [];
    for (let index = 0; index < 50; index += 1) {
      people.push(await createTestUser(services));
    }
    const outcomes = await Promise.allSettled(
      people.map(({ context }) => claimSetup(services, context, { code })),
    );
    const winners = outcomes.flatMap((one) => (one.status === "fulfilled" ? [one.value.user] : []));
    expect(winners).toMatchObject([{ isOperator: true }]);
    expect(await operatorIds()).toEqual([winners[0]?.userId]);
    const codes = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : []));
    expect(new Set(codes)).toEqual(new Set(["SETUP_CODE_INVALID"]));
  });

  it("is audited, and published to every process", async () => {
    const { userId, context } = await createTestUser(services);
    await database.sql`delete from changes`;
    await claimSetup(services, context, { code: await offer() });
    const [entry] = await database.sql`
      select action, actor_id from audit_entries where tenant_id = 'operator'`;
    expect(entry).toMatchObject({ action: "operator.added", actor_id: userId });
    const changes = await database.sql`
      select 1 from changes where kind = 'user' and entity_id = ${userId}`;
    expect(changes).toHaveLength(1);
  });

  it("makes no one an operator by a wrong code, nor a program by the right one", async () => {
    const code = await offer();
    const { context } = await createTestUser(services);
    const wrong = await refusalOf(claimSetup(services, context, { code: `${code}x` }));
    expect(wrong.code).toBe("SETUP_CODE_INVALID");
    const program = contextOf({ type: "service_key", id: "svc_1", scopes: SCOPES });
    for (const other of [program, OPERATOR_CONTEXT]) {
      expect((await refusalOf(claimSetup(services, other, { code }))).code).toBe(
        "INSUFFICIENT_SCOPE",
      );
    }
    expect(await operatorIds()).toEqual([]);
    await claimSetup(services, context, { code });
  });

  it("leaves the code unclaimed if the user is gone", async () => {
    const code = await offer();
    const ghost = contextOf({
      type: "user",
      id: services.newId("user"),
      isOperator: false,
      roles: new Map(),
    });
    expect((await refusalOf(claimSetup(services, ghost, { code }))).code).toBe(
      "RESOURCE_NOT_FOUND",
    );
    await claimSetup(services, (await createTestUser(services)).context, { code });
  });
});

describe("operators", () => {
  it("are added and removed idempotently, and each change is audited once", async () => {
    const { userId } = await createTestUser(services);
    for (let index = 0; index < 2; index += 1) {
      const added = await addOperator(services, OPERATOR_CONTEXT, { userId });
      expect(added).toMatchObject({ userId, isOperator: true });
    }
    expect(await operatorIds()).toEqual([userId]);
    for (let index = 0; index < 2; index += 1) {
      await removeOperator(services, OPERATOR_CONTEXT, { userId });
    }
    expect(await operatorIds()).toEqual([]);
    const entries = await database.sql`
      select action from audit_entries
      where entity_id = ${userId} and action like 'operator.%' order by audit_id`;
    expect(entries.map((entry) => entry["action"])).toEqual(["operator.added", "operator.removed"]);
  });

  it("are found by id, or by an address that only one person has", async () => {
    const { userId } = await createTestUser(services, { email: "Ada@Example.com" });
    const find = (idOrEmail: string) => getUserByName(services, OPERATOR_CONTEXT, { idOrEmail });
    expect((await find(userId)).userId).toBe(userId);
    expect((await find("ada@example.COM")).userId).toBe(userId);
    for (const unknown of ["eve@example.com", services.newId("user"), "%", ""]) {
      expect((await refusalOf(find(unknown))).code).toBe("RESOURCE_NOT_FOUND");
    }
    const twin = await createTestUser(services, { email: "ada@example.com" });
    const refusal = await refusalOf(find("ada@example.com"));
    expect(refusal).toMatchObject({ code: "CONFLICT" });
    expect(refusal.message).toContain(twin.userId);
  });

  it("are listed once each, and by the configuration only with a confirmed address", async () => {
    const added = await createTestUser(services, { email: "ada@example.com" });
    await addOperator(services, OPERATOR_CONTEXT, { userId: added.userId });
    const named = await createTestUser(services, { email: "Bob@Example.com" });
    await createTestUser(services, { email: "eve@example.com" });
    const list = async (...configured: string[]) =>
      (await listOperatorUsers(services, OPERATOR_CONTEXT, { configured })).map(
        ({ userId }) => userId,
      );
    expect(await list("bob@EXAMPLE.com")).toEqual([added.userId]);
    await database.sql`
      update users set email_verified = true where user_id in (${added.userId}, ${named.userId})`;
    expect(await list("bob@EXAMPLE.com", "ada@example.com", "other@example.com")).toEqual([
      added.userId,
      named.userId,
    ]);
    expect(await list()).toEqual([added.userId]);
  });

  it("can only be added by operators", async () => {
    const { userId, context } = await createTestUser(services);
    const reader = contextOf({ type: "service_key", id: "svc_1", scopes: ["tenants:write"] });
    for (const other of [context, reader]) {
      const attempts = [
        addOperator(services, other, { userId }),
        removeOperator(services, other, { userId }),
        listOperators(services, other),
        listOperatorUsers(services, other, { configured: [] }),
        getUserByName(services, other, { idOrEmail: userId }),
      ];
      for (const attempt of attempts) {
        expect((await refusalOf(attempt)).code).toBe("INSUFFICIENT_SCOPE");
      }
    }
    expect(await operatorIds()).toEqual([]);
  });

  it("cannot be added by a program that holds fewer rights than an operator", async () => {
    const { userId } = await createTestUser(services);
    const most = SCOPES.filter((scope) => scope !== "outbox:read");
    const program = contextOf({ type: "service_key", id: "svc_1", scopes: most });
    for (const change of [addOperator, removeOperator]) {
      const refusal = await refusalOf(change(services, program, { userId }));
      expect(refusal.code).toBe("INSUFFICIENT_SCOPE");
    }
  });
});
