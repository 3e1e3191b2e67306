import type { Role } from "@turnpike/domain/access/scopes";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import { createTestIssuer, type TestIssuer, type TestPerson } from "@turnpike/testkit/id-tokens";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { endTokens } from "../tokens/end-tokens.ts";
import { createPublishedKeys } from "../tokens/published-keys.ts";
import { BUILTIN_ISSUER } from "../tokens/trusted-issuers.ts";
import { createTokenVerifier } from "../tokens/verify-id-token.ts";
import { ensureUser } from "./ensure-user.ts";
import { addOperator, removeOperator } from "./manage-operators.ts";
import { createUserDirectory, type UserDirectory } from "./user-directory.ts";

let database: TestDatabase;
let services: TestServices;
let builtin: TestIssuer;
let elsewhere: TestIssuer;
let roles: Map<TenantId, Role>;
let directory: UserDirectory;

beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  const { now } = services.clock;
  builtin = await createTestIssuer({ issuer: "https://c.test/idp", clientId: "console", now });
  elsewhere = await createTestIssuer({ issuer: "https://id.test", clientId: "console", now });
});
afterAll(() => database.close());
beforeEach(() => {
  roles = new Map();
  directory = createDirectory();
});

/** A separate process, with an empty cache. */
function createDirectory(
  operators: readonly string[] = [],
  secondFactor: "optional" | "operators" | "everyone" = "optional",
): UserDirectory {
  const toTrusted = (issuer: TestIssuer, storedAs: string) => ({
    issuer: issuer.issuer,
    storedAs,
    clientId: issuer.clientId,
    findKey: createPublishedKeys(issuer.publicKeys),
  });
  return createUserDirectory({
    ...services,
    verifyToken: createTokenVerifier({
      clock: services.clock,
      issuers: [toTrusted(builtin, BUILTIN_ISSUER), toTrusted(elsewhere, elsewhere.issuer)],
    }),
    roles: {
      listRoles: (_tx, userIds) =>
        Promise.resolve(new Map(userIds.map((userId) => [userId, new Map(roles)]))),
      listActing: () => Promise.resolve(new Map()),
    },
    operators,
    secondFactor,
  });
}

const mint = (person: TestPerson) => builtin.mintIdToken(person);
const identify = async (person: TestPerson) => await directory.identify(await mint(person));

/** What the change feed publishes to a process about a user. */
function tell(userId: string, to: UserDirectory = directory): void {
  to.applyChange({ kind: "user", tenantId: null, entityId: userId, revision: 1n });
}

async function countUsers(subject: string): Promise<number> {
  const [row] = await database.sql<{ count: number }[]>`
    select count(*)::int as count from users where subject = ${subject}`;
  return row?.count ?? 0;
}

describe("a valid token", () => {
  it("creates its user, with any address of the built-in provider", async () => {
    const { user, actor } = await identify({ subject: "new", email: "new@example.com" });
    expect(user).toEqual({
      userId: actor.id,
      email: "new@example.com",
      emailVerified: true,
      name: "new",
      isOperator: false,
    });
    const [row] = await database.sql`select issuer from users where user_id = ${actor.id}`;
    expect(row?.["issuer"]).toBe("builtin");
  });

  it("creates one user, even when 50 arrive at once at two processes", async () => {
    const token = await mint({ subject: "crowd" });
    const other = createDirectory();
    const people = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        (index % 2 === 0 ? directory : other).identify(token),
      ),
    );
    expect(new Set(people.map(({ user }) => user.userId)).size).toBe(1);
    expect(await countUsers("crowd")).toBe(1);
  });

  it("says that its issuer still vouches for the person, which is stored once a day", async () => {
    const { actor } = await identify({ subject: "vouched", email: "v@example.com" });
    const vouchedAgoMs = async () => {
      const [row] = await database.sql<{ at: Date }[]>`
        select claims_issued_at as at from users where user_id = ${actor.id}`;
      return services.clock.now().getTime() - (row?.at.getTime() ?? 0);
    };
    const setBack = async (hours: number) => {
      const at = new Date(services.clock.now().getTime() - hours * 3_600_000);
      await database.sql`update users set claims_issued_at = ${at} where user_id = ${actor.id}`;
      tell(actor.id);
    };
    await setBack(23);
    await identify({ subject: "vouched", email: "v@example.com" });
    expect(await vouchedAgoMs()).toBeGreaterThan(22 * 3_600_000);
    await setBack(25);
    await identify({ subject: "vouched", email: "v@example.com" });
    expect(await vouchedAgoMs()).toBeLessThan(3_600_000);
  });

  it("updates address and name, and an older token does not revert them", async () => {
    const older = await mint({ subject: "moved", email: "old@example.com", issuedAgoMs: 60_000 });
    await directory.identify(older);
    const newer = await mint({ subject: "moved", email: "new@example.com", name: "New" });
    expect((await directory.identify(newer)).user).toMatchObject({
      email: "new@example.com",
      name: "New",
    });
    expect((await directory.identify(older)).user.email).toBe("new@example.com");
    expect((await createDirectory().identify(older)).user.email).toBe("new@example.com");
    const nameless = await mint({ subject: "moved", email: null, name: null });
    expect((await directory.identify(nameless)).user).toMatchObject({
      email: null,
      emailVerified: false,
      name: null,
    });
  });

  it("writes once, and only when something is new", async () => {
    const token = await mint({ subject: "steady" });
    const { user } = await directory.identify(token);
    const countChanges = async () =>
      (await database.sql`select 1 from changes where entity_id = ${user.userId}`).length;
    expect(await countChanges()).toBe(1);
    for (let index = 0; index < 5; index += 1) {
      await directory.identify(token);
      await createDirectory().identify(token);
    }
    expect(await countChanges()).toBe(1);
  });

  it("belongs to the same person as the user that an operator created before", async () => {
    const made = await ensureUser(services, OPERATOR_CONTEXT, {
      issuer: elsewhere.issuer,
      subject: "known-before",
      email: "unverified@example.com",
    });
    const token = await elsewhere.mintIdToken({ subject: "known-before" });
    expect((await directory.identify(token)).user.userId).toBe(made.userId);
  });

  it("does not confuse people by address, subject or a subject with a line break", async () => {
    const victim = await identify({ subject: "victim", email: "victim@example.com" });
    const others = [
      await elsewhere.mintIdToken({ subject: "victim", email: "victim@example.com" }),
      await mint({ subject: "victim\nx", email: "victim@example.com" }),
      await mint({ subject: "x\nvictim", email: "victim@example.com" }),
      await mint({ subject: "builtin\nvictim", email: "victim@example.com" }),
    ];
    const ids = await Promise.all(
      others.map(async (token) => (await directory.identify(token)).user.userId),
    );
    expect(new Set([victim.user.userId, ...ids]).size).toBe(5);
  });
});

describe("an invalid token", () => {
  it("is refused with a reason by identify, and without one by findActor", async () => {
    const expired = await mint({ issuedAgoMs: 60 * 60_000 });
    expect(await refusalOf(directory.identify(expired))).toMatchObject({
      code: "UNAUTHENTICATED",
      message: "The sign-in has expired: sign in again.",
      headers: { "www-authenticate": 'Bearer error="invalid_token"' },
    });
    expect((await refusalOf(directory.identify("a.b.c"))).message).toMatch(/not valid/);
    for (const token of [expired, "a.b.c"]) {
      expect(await directory.findActor(token)).toBeUndefined();
    }
  });

  it("creates no user", async () => {
    const stranger = await createTestIssuer({ ...builtin, now: services.clock.now });
    const token = await stranger.mintIdToken({ subject: "forged" });
    expect(await directory.findActor(token)).toBeUndefined();
    expect(await countUsers("forged")).toBe(0);
  });
});

describe("where a second factor is required", () => {
  it("tokens of people without one let no one in, nor do their command lines, but providers elsewhere ask themselves", async () => {
    const email = "strict@example.com";
    await database.sql`
      insert into accounts (account_id, email, password_hash, password_changed_at, mail_window_started_at, created_at, updated_at)
      values ('strict', ${email}, '', now(), now(), now(), now())`;
    const token = await mint({ subject: "strict", email, emailVerified: true });
    const everyone = createDirectory([], "everyone");
    const ofOperators = createDirectory([email], "operators");
    expect(await everyone.findActor(token)).toBeUndefined();
    expect(await ofOperators.findActor(token)).toBeUndefined();
    expect(await createDirectory([], "operators").findActor(token)).toBeDefined();
    const identity = { issuer: BUILTIN_ISSUER, subject: "strict" };
    expect(await everyone.findPerson(identity)).toBeUndefined();
    expect(
      await everyone.findActor(await elsewhere.mintIdToken({ subject: "strict" })),
    ).toBeDefined();
    await database.sql`update accounts set password_hash = null where account_id = 'strict'`;
    expect(await everyone.findActor(token), "by single sign-on alone").toBeDefined();
    await database.sql`update accounts set password_hash = '' where account_id = 'strict'`;
    tell((await directory.identify(token)).user.userId, everyone);
    expect(await everyone.findActor(token)).toBeUndefined();
    // At once, also before the change feed has named the person.
    await database.sql`update accounts set second_factor_since = now() where account_id = 'strict'`;
    expect(await everyone.findActor(token)).toBeDefined();
    expect(await everyone.findPerson(identity)).toBeDefined();
    expect(await ofOperators.findActor(token)).toMatchObject({ isOperator: true });
  });
});

describe("endTokens", () => {
  const withoutAgents: string[] = [];
  const agents = {
    endAgentsOf: (_tx: unknown, userId: string) => {
      withoutAgents.push(userId);
      return Promise.resolve();
    },
  };
  const end = (subject: string) =>
    services.transact.asOperator((tx) =>
      endTokens({ ...services, agents }, tx, { subject, why: "password_changed" }),
    );

  it("refuses earlier tokens on every process that hears of it, and no newer ones", async () => {
    const old = await mint({ subject: "changed", issuedAgoMs: 5_000 });
    const other = createDirectory();
    const { user } = await directory.identify(old);
    await other.identify(old);
    await end("changed");
    for (const process of [directory, other]) {
      tell(user.userId, process);
      expect(await process.findActor(old)).toBeUndefined();
    }
    expect(await directory.findActor(await mint({ subject: "changed" }))).toBeDefined();
    services.clock.advance(1_500);
    expect(await directory.findActor(await mint({ subject: "changed" }))).toBeDefined();
  });

  it("signs command lines and agents out, and gives none that was allowed before a credential", async () => {
    const [own, others] = await Promise.all(
      ["with-devices", "with-others"].map(async (subject) => {
        const { user } = await directory.identify(await mint({ subject }));
        await database.sql`
          insert into person_tokens
          values (${user.userId}, ${user.userId}::bytea, ${user.userId}, 'a', 'a', now(), now())`;
        await database.sql`
          insert into device_sign_ins values (${user.userId}::bytea, ${user.userId}::bytea, 'a', 'a',
            'allowed', ${user.userId}, 5, null, now(), now())`;
        return user.userId;
      }),
    );
    withoutAgents.length = 0;
    await end("with-devices");
    expect(withoutAgents).toEqual([own]);
    const count = async (userId: string | undefined) => {
      const [row] = await database.sql`
        select (select count(*)::int from person_tokens where user_id = ${userId ?? ""}) as tokens,
          (select count(*)::int from device_sign_ins where user_id = ${userId ?? ""}) as allowed`;
      return { ...row };
    };
    expect(await count(own)).toEqual({ tokens: 0, allowed: 0 });
    expect(await count(others)).toEqual({ tokens: 1, allowed: 1 });
  });

  it("applies to a person who has not appeared yet", async () => {
    const old = await mint({ subject: "not-yet", issuedAgoMs: 5_000 });
    await end("not-yet");
    expect(await directory.findActor(old)).toBeUndefined();
    expect(await countUsers("not-yet")).toBe(1);
  });

  it("applies to the built-in provider only", async () => {
    const token = await elsewhere.mintIdToken({ subject: "same-name", issuedAgoMs: 5_000 });
    await directory.identify(token);
    await end("same-name");
    expect(await createDirectory().findActor(token)).toBeDefined();
  });
});

describe("what a person may do", () => {
  it("follows the tenants, and is read again after a change", async () => {
    const tenantId = services.newId("tenant");
    const token = await mint({ subject: "member" });
    const before = await directory.identify(token);
    expect(before.actor.roles.size).toBe(0);
    roles = new Map([[tenantId, "admin"]]);
    expect((await directory.identify(token)).actor.roles.size).toBe(0);
    tell(before.user.userId);
    expect((await directory.identify(token)).actor.roles).toEqual(roles);
    roles = new Map();
    directory.applyChange({ kind: "reset" });
    expect((await directory.identify(token)).actor.roles.size).toBe(0);
  });

  it("is everything for an operator, until the right is revoked", async () => {
    const token = await mint({ subject: "chief" });
    const { user } = await directory.identify(token);
    const userId: UserId = user.userId;
    await addOperator(services, OPERATOR_CONTEXT, { userId });
    tell(userId);
    expect((await directory.identify(token)).actor.isOperator).toBe(true);
    await removeOperator(services, OPERATOR_CONTEXT, { userId });
    tell(userId);
    expect((await directory.identify(token)).actor.isOperator).toBe(false);
  });

  it("is everything for an address in the configuration, if it is verified", async () => {
    const process = createDirectory(["Boss@Example.com"]);
    const read = async (person: TestPerson) =>
      (await process.identify(await mint(person))).user.isOperator;
    expect(await read({ subject: "boss", email: "boss@example.com" })).toBe(true);
    expect(await read({ subject: "boss-2", email: "BOSS@example.COM" })).toBe(true);
    expect(await read({ subject: "liar", email: "boss@example.com", emailVerified: false })).toBe(
      false,
    );
    expect(await read({ subject: "other", email: "boss@example.com.evil.test" })).toBe(false);
    expect(await read({ subject: "none", email: null })).toBe(false);
  });
});
