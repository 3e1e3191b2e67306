import { sentInvitation } from "@turnpike/contract/invitations";
import {
  canGrantRole,
  ROLE_SCOPES,
  ROLES,
  type Role,
  type Scope,
} from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { dumpDatabase } from "@turnpike/testkit/dump-database";
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
import { createServiceKey, revokeServiceKey } from "#modules/keys/index.ts";
import { listUntranslatedMails } from "#modules/notifications/testing/untranslated.fixture.ts";
import { type JobQueue, openJobQueue } from "#platform/job-queue.ts";
import { acceptInvitation, previewInvitation } from "./accept-invitation.ts";
import { createInvitation } from "./create-invitation.ts";
import { createInvitations } from "./create-invitations.ts";
import { listInvitations } from "./list-invitations.ts";
import { listMembers } from "./list-members.ts";
import { putMember } from "./put-member.ts";
import { removeMember } from "./remove-member.ts";
import { resendInvitation } from "./resend-invitation.ts";
import { revokeInvitation } from "./revoke-invitation.ts";
import type { InvitationsDeps } from "./send-invitation.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

let database: TestDatabase;
let services: TestServices;
let jobs: JobQueue & { close(): Promise<void> };
let deps: TestServices & InvitationsDeps;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  jobs = await openJobQueue({ target: database.target, logger: services.logger });
  deps = {
    ...{ ...services, jobs, sendsMail: true },
    ...{ consoleUrl: "https://console.test", brandName: "Turnpike" },
  };
});
afterAll(async () => {
  await jobs.close();
  await database.close();
});

type Stage = { tenantId: TenantId; owner: TestUser };

async function createStage(name = "Stage"): Promise<Stage> {
  const { tenantId } = await createTestTenant(services, name);
  return { tenantId, owner: await createTestUser(services, { roles: [[tenantId, "owner"]] }) };
}

let addresses = 0;
function newAddress(): string {
  addresses += 1;
  return `guest-${String(addresses)}@example.com`;
}

async function readMail(email: string): Promise<{ subject: string; body: string; token: string }> {
  const [row] = await database.sql<{ subject: string; body: string }[]>`
    select subject, body from mails where lower(recipient) = lower(${email}) order by mail_id desc limit 1`;
  const { subject, body } = row ?? expect.fail(`no mail to ${email}`);
  const token = /\/register#invitation=([\w-]+)/.exec(body)?.[1] ?? expect.fail(body);
  return { subject, body, token };
}

async function invite(stage: Stage, email: string, role: "viewer" | "admin" | "owner" = "viewer") {
  const { tenantId, owner } = stage;
  const invitation = await createInvitation(deps, owner.context, { tenantId, email, role });
  return { invitation, ...(await readMail(email)) };
}

/** The revoked invitations in the audit trail, with the type of the actor, oldest first. */
async function listRevoked(tenantId: TenantId): Promise<string[][]> {
  const { items } = await listAudit(services, OPERATOR_CONTEXT, { tenantId, limit: 100 });
  return items
    .filter(({ action }) => action === "invitation.revoked")
    .map(({ entityId, actorType }) => [entityId, actorType])
    .reverse();
}

const accept = (user: TestUser, token: string) =>
  acceptInvitation(services, user.context, { token });

async function memberIds(tenantId: TenantId): Promise<string[]> {
  const { items } = await listMembers(services, OPERATOR_CONTEXT, { tenantId, limit: 100 });
  return items.map((member) => member.userId);
}

describe("an invitation", () => {
  it("is mailed, previewed, accepted and audited", async () => {
    const stage = await createStage("Blue Heron Maps");
    const email = newAddress();
    const { invitation, subject, body, token } = await invite(stage, email, "admin");
    expect(sentInvitation.parse(invitation)).toMatchObject({
      email,
      role: "admin",
      createdBy: `user:${stage.owner.userId}`,
      expiresAt: new Date(services.clock.now().getTime() + 7 * DAY_MS).toISOString(),
    });
    expect(subject).toBe("You are invited on Turnpike");
    expect(body.split("\n")[0]).toBe(
      "You are invited to Blue Heron Maps on Turnpike, with the role admin.",
    );
    expect(body).toContain(`https://console.test/register#invitation=${token}`);
    expect(await previewInvitation(services, { token })).toEqual({
      tenantName: "Blue Heron Maps",
      email,
      role: "admin",
    });
    const guest = await createTestUser(services, { email });
    expect(await accept(guest, token)).toMatchObject({
      tenant: { tenantId: stage.tenantId, name: "Blue Heron Maps", role: "admin" },
    });
    expect(await memberIds(stage.tenantId)).toContain(guest.userId);
    const { items } = await listAudit(services, OPERATOR_CONTEXT, { ...stage, limit: 2 });
    expect(items.map((entry) => [entry.action, entry.actorId])).toEqual([
      ["invitation.accepted", guest.userId],
      ["invitation.created", stage.owner.userId],
    ]);
  });

  it("has its token in the mail alone, neither in the reply nor in a table", async () => {
    const stage = await createStage();
    const { invitation, token } = await invite(stage, newAddress());
    expect(token).toHaveLength(43);
    expect(JSON.stringify(invitation)).not.toContain(token);
    await database.sql`delete from mails`;
    const dump = await dumpDatabase(database.sql);
    expect(dump).not.toContain(token);
    expect(dump).not.toContain(Buffer.from(token, "base64url").toString("hex"));
  });

  it("works once, even when twenty accept at once", async () => {
    const stage = await createStage();
    const email = newAddress();
    const { token } = await invite(stage, email);
    const twins = await Promise.all(
      Array.from({ length: 20 }, () => createTestUser(services, { email })),
    );
    const outcomes = await Promise.allSettled(twins.map((twin) => accept(twin, token)));
    expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(1);
    expect(await memberIds(stage.tenantId)).toHaveLength(2);
    // The person who joined has the same answer again, as in a second tab; for all others the link is used up.
    for (const [index, { status }] of outcomes.entries()) {
      const again = accept(twins[index] ?? expect.fail(), token);
      await (status === "fulfilled"
        ? expect(again).resolves.toMatchObject({ tenant: { tenantId: stage.tenantId } })
        : expect(refusalOf(again)).resolves.toMatchObject({ code: "INVITATION_INVALID" }));
    }
    const joined = twins[outcomes.findIndex(({ status }) => status === "fulfilled")];
    const { userId } = joined ?? expect.fail();
    await removeMember(services, OPERATOR_CONTEXT, { tenantId: stage.tenantId, userId });
    const removed = await refusalOf(accept(joined ?? expect.fail(), token));
    expect(removed.code).toBe("INVITATION_INVALID");
  });

  it("is bound to the account of its address, compared without regard to case", async () => {
    const stage = await createStage();
    const email = newAddress();
    const { token } = await invite(stage, email.toUpperCase().replace("EXAMPLE", "Example"));
    const [name, host] = email.split("@");
    for (const other of [newAddress(), `${name}+x@${host}`, `${name}@evil.${host}`, `x${email}`]) {
      const refusal = await refusalOf(
        accept(await createTestUser(services, { email: other }), token),
      );
      expect(refusal.code).toBe("INVITATION_EMAIL_MISMATCH");
    }
    const guest = await createTestUser(services, { email: email.toUpperCase() });
    expect((await accept(guest, token)).tenant.role).toBe("viewer");
  });

  it("fails with the same answer whether it is unknown, used, replaced, revoked or expired", async () => {
    const stage = await createStage();
    const email = newAddress();
    const [guest, joined] = [
      await createTestUser(services),
      await createTestUser(services, { email }),
    ];
    const replaced = (await invite(stage, email)).token;
    const { token: revoked, invitation } = await invite(stage, email);
    await revokeInvitation(services, stage.owner.context, { ...stage, ...invitation });
    const used = (await invite(stage, email)).token;
    await accept(joined, used);
    const other = newAddress();
    const late = (await invite(stage, other)).token;
    services.clock.advance(7 * DAY_MS);
    const answers = await Promise.all(
      ["unknown", replaced, revoked, used, late].map(async (token) => ({
        accept: await refusalOf(accept(guest, token)),
        preview: await refusalOf(previewInvitation(services, { token })),
      })),
    );
    const texts = answers.flatMap((answer) => Object.values(answer).map((one) => one.message));
    expect(new Set(texts).size).toBe(1);
    expect(answers[0]?.accept.code).toBe("INVITATION_INVALID");
  });

  it("leaves a member's role as it is", async () => {
    const stage = await createStage();
    const email = newAddress();
    const { token } = await invite(stage, email, "owner");
    const guest = await createTestUser(services, { email, roles: [[stage.tenantId, "viewer"]] });
    expect((await accept(guest, token)).tenant.role).toBe("viewer");
  });

  it("gives no role above that of the inviter", async () => {
    const { tenantId } = await createStage();
    for (const own of ROLES) {
      const actor = await createTestUser(services, { roles: [[tenantId, own]] });
      for (const role of ROLES) {
        const work = createInvitation(deps, actor.context, { tenantId, email: newAddress(), role });
        const outcome = await work.then(
          () => true,
          () => false,
        );
        expect([own, role, outcome]).toEqual([own, role, canGrantRole(own, role)]);
      }
    }
  });

  it("of a program gives no role with a scope that the program lacks", async () => {
    const { tenantId } = await createStage();
    const attempt = (scopes: readonly Scope[], role: Role) => {
      const program = contextOf({ type: "service_key", id: "svc_1", scopes });
      return createInvitation(deps, program, { tenantId, email: newAddress(), role });
    };
    for (const role of ROLES) {
      expect((await refusalOf(attempt(["members:write"], role))).code).toBe("INSUFFICIENT_SCOPE");
      expect((await attempt(ROLE_SCOPES.owner, role)).role).toBe(role);
    }
    expect((await refusalOf(attempt(ROLE_SCOPES.admin, "owner"))).code).toBe("INSUFFICIENT_SCOPE");
  });

  it("of a program ends when that program's service key is revoked, in every tenant", async () => {
    const { serviceKeyId, scopes } = await createServiceKey(services, OPERATOR_CONTEXT, {
      name: "Staff list",
      scopes: [...ROLE_SCOPES.owner],
    });
    const program = contextOf({ type: "service_key", id: serviceKeyId, scopes });
    const stages = [await createStage(), await createStage()];
    const own = await invite(stages[0] ?? expect.fail(), newAddress());
    const tokens: string[] = [];
    for (const { tenantId } of stages) {
      const email = newAddress();
      await createInvitation(deps, program, { tenantId, email, role: "owner" });
      tokens.push((await readMail(email)).token);
    }
    await revokeServiceKey(services, OPERATOR_CONTEXT, { serviceKeyId });
    for (const token of tokens) {
      const code = (await refusalOf(previewInvitation(services, { token }))).code;
      expect(code).toBe("INVITATION_INVALID");
    }
    expect((await previewInvitation(services, { token: own.token })).role).toBe("viewer");
    for (const { tenantId } of stages) {
      expect((await listRevoked(tenantId)).map(([, actor]) => actor)).toEqual(["operator"]);
    }
  });

  it("is revoked by its replacement, which is audited and published unless it had expired", async () => {
    const stage = await createStage();
    const { tenantId } = stage;
    const email = newAddress();
    const first = await invite(stage, email);
    const second = await invite(stage, email);
    expect(await listRevoked(tenantId)).toEqual([[first.invitation.invitationId, "user"]]);
    const told = await database.sql<{ id: string }[]>`
      select payload::jsonb #>> '{data,invitationId}' as id from webhook_outbox
      where tenant_id = ${tenantId} and event_type = 'invitation.revoked'`;
    expect(told.map(({ id }) => id)).toEqual([first.invitation.invitationId]);
    services.clock.advance(8 * DAY_MS);
    await invite(stage, email);
    expect((await listRevoked(tenantId)).flat()).not.toContain(second.invitation.invitationId);
  });

  it("ends when its sender leaves or may no longer give that role", async () => {
    const stage = await createStage();
    const { tenantId } = stage;
    const second = await createTestUser(services, { roles: [[tenantId, "owner"]] });
    const from = { tenantId, owner: second };
    const toOwner = await invite(from, newAddress(), "owner");
    const toAdmin = await invite(from, newAddress(), "admin");
    const isOpen = (token: string) =>
      previewInvitation(services, { token }).then(
        () => true,
        () => false,
      );
    await putMember(services, OPERATOR_CONTEXT, { tenantId, userId: second.userId, role: "admin" });
    expect(await Promise.all([toOwner, toAdmin].map(({ token }) => isOpen(token)))).toEqual([
      false,
      true,
    ]);
    await removeMember(services, OPERATOR_CONTEXT, { tenantId, userId: second.userId });
    expect(await isOpen(toAdmin.token)).toBe(false);
    expect(await listRevoked(tenantId)).toEqual([
      [toOwner.invitation.invitationId, "operator"],
      [toAdmin.invitation.invitationId, "operator"],
    ]);
  });

  it("is not sent to a member", async () => {
    const { tenantId, owner } = await createStage();
    const email = newAddress();
    await createTestUser(services, { email, roles: [[tenantId, "viewer"]] });
    const input = { tenantId, email, role: "viewer" as const };
    expect(await refusalOf(createInvitation(deps, owner.context, input))).toMatchObject({
      code: "ALREADY_EXISTS",
      errors: [{ pointer: "/email" }],
    });
  });

  it("has no name in its subject, and none in its text that could pose as a link or as text of ours", async () => {
    for (const name of ["Evil\u202E\r\nhttps://evil.example/register", "evil.com", "P\u0430ypal"]) {
      const { subject, body } = await invite(await createStage(name), newAddress());
      expect(subject).toBe("You are invited on Turnpike");
      expect(body.split("\n")[0]).toBe(
        "You are invited to a tenant on Turnpike, with the role viewer.",
      );
    }
  });
});

describe("an invitation's time", () => {
  it("is chosen by its sender, is in the mail, and is the same when it is sent again", async () => {
    const { tenantId, owner } = await createStage();
    const email = newAddress();
    const terms = { tenantId, email, role: "billing", expiresInDays: 1 } as const;
    const first = await createInvitation(deps, owner.context, terms);
    const before = await readMail(email);
    expect(before.body).toContain("within one day");
    services.clock.advance(DAY_MS / 2);
    const second = await resendInvitation(deps, owner.context, first);
    const after = await readMail(email);
    expect(second).toMatchObject({
      ...{ email, role: "billing" },
      expiresAt: new Date(services.clock.now().getTime() + DAY_MS).toISOString(),
    });
    const fate = (token: string) => previewInvitation(services, { token }).catch(() => "dead");
    expect(await fate(before.token)).toBe("dead");
    expect(await fate(after.token)).toMatchObject({ email });
    services.clock.advance(DAY_MS);
    expect(await fate(after.token)).toBe("dead");
    // What ended is not brought back: it expired, was replaced, revoked or accepted.
    for (const ended of [first, second]) {
      const refusal = await refusalOf(resendInvitation(deps, owner.context, ended));
      expect(refusal.code).toBe("RESOURCE_NOT_FOUND");
    }
  });

  it.each(["revoked", "sent again"] as const)(
    "is over for the link, or the link was first, when it is %s while it is accepted",
    async (what) => {
      for (let round = 0; round < 8; round += 1) {
        const stage = await createStage();
        const email = newAddress();
        const { invitation, token } = await invite(stage, email);
        const guest = await createTestUser(services, { email });
        const end = () =>
          what === "revoked"
            ? revokeInvitation(services, stage.owner.context, invitation)
            : resendInvitation(deps, stage.owner.context, invitation);
        const [joined, ended] = await Promise.allSettled([accept(guest, token), end()]);
        expect([joined.status, ended.status].sort()).toEqual(["fulfilled", "rejected"]);
        const isMember = (await memberIds(stage.tenantId)).includes(guest.userId);
        expect(isMember).toBe(joined.status === "fulfilled");
      }
    },
  );
});

describe("invitations in one request", () => {
  it("succeed or fail each on its own, in the order of the request", async () => {
    const stage = await createStage();
    const { tenantId } = stage;
    const [member, good, other] = [newAddress(), newAddress(), newAddress()];
    await createTestUser(services, { email: member, roles: [[tenantId, "viewer"]] });
    const emails = [good, "no address", member, ` ${good.toUpperCase()} `, other];
    const answer = await createInvitations(deps, stage.owner.context, {
      ...{ tenantId, emails, role: "viewer", expiresInDays: 30 },
    });
    expect(answer).toMatchObject({ sent: 2, refused: 3 });
    expect(answer.items.map(({ email, error }) => [email, error?.code ?? "sent"])).toEqual([
      [good, "sent"],
      ["no address", "INVALID_REQUEST"],
      [member, "ALREADY_EXISTS"],
      [` ${good.toUpperCase()} `, "ALREADY_EXISTS"],
      [other, "sent"],
    ]);
    for (const email of [good, other]) {
      expect((await readMail(email)).body).toContain("within 30 days");
    }
    const admin = await createTestUser(services, { roles: [[tenantId, "admin"]] });
    const tooHigh = await createInvitations(deps, admin.context, {
      ...{ tenantId, emails: [newAddress()], role: "owner" },
    });
    expect(tooHigh.items[0]?.error?.code).toBe("INSUFFICIENT_SCOPE");
    const developer = await createTestUser(services, { roles: [[tenantId, "developer"]] });
    const refusal = await refusalOf(
      createInvitations(deps, developer.context, { tenantId, emails: [good], role: "viewer" }),
    );
    expect(refusal.code).toBe("INSUFFICIENT_SCOPE");
  });

  it("give their sender the links to pass on where no mail is delivered, and only there", async () => {
    const { tenantId, owner } = await createStage();
    const email = newAddress();
    const terms = { tenantId, emails: [email], role: "viewer" as const };
    const delivered = await createInvitations(deps, owner.context, terms);
    expect(delivered.items[0]?.invitation?.link).toBe(null);
    const kept = await createInvitations({ ...deps, sendsMail: false }, owner.context, terms);
    const link = kept.items[0]?.invitation?.link ?? expect.fail("no link");
    const { token } = await readMail(email);
    expect(link).toBe(`https://console.test/register#invitation=${token}`);
    const guest = await createTestUser(services, { email });
    expect((await accept(guest, token)).tenant.tenantId).toBe(tenantId);
  });
});

describe("limits of invitations", () => {
  it("allow five mails a day to one address from a tenant, from all its members together, and tell and take nothing of another's", async () => {
    const email = newAddress();
    const stage = await createStage();
    const { tenantId } = stage;
    const second = await createTestUser(services, { roles: [[tenantId, "owner"]] });
    for (const owner of [stage.owner, second, stage.owner, second, stage.owner]) {
      await invite({ tenantId, owner }, email);
    }
    expect((await refusalOf(invite({ tenantId, owner: second }, email))).code).toBe(
      "TOO_MANY_INVITATIONS",
    );
    expect((await invite(await createStage(), email)).token).toHaveLength(43);
    const refusal = await refusalOf(invite(stage, email));
    expect(refusal).toMatchObject({ code: "TOO_MANY_INVITATIONS" });
    expect(Number(refusal.headers["retry-after"])).toBeGreaterThan(0);
    services.clock.advance(DAY_MS + 1);
    expect((await invite(stage, email)).token).toHaveLength(43);
  });

  it("allow five mails a day to one address from a person, over all their tenants", async () => {
    const email = newAddress();
    const { tenantId, owner } = await createStage();
    const tenants = [tenantId];
    for (let index = 0; index < 5; index += 1) {
      const other = await createTestTenant(services, `Other ${String(index)}`);
      const input = { tenantId: other.tenantId, userId: owner.userId, role: "owner" } as const;
      await putMember(services, OPERATOR_CONTEXT, input);
      tenants.push(other.tenantId);
    }
    const roles = new Map(tenants.map((id) => [id, "owner" as const]));
    const actor = { type: "user", id: owner.userId, isOperator: false, roles } as const;
    const person = { ...owner, context: contextOf(actor) };
    for (const id of tenants.slice(0, 5)) {
      await invite({ tenantId: id, owner: person }, email);
    }
    const last = { tenantId: tenants[5] ?? tenantId, owner: person };
    expect((await refusalOf(invite(last, email))).code).toBe("TOO_MANY_INVITATIONS");
    expect((await invite(last, newAddress())).token).toHaveLength(43);
  });

  it("allow a hundred open invitations of a tenant, even when more are sent at once", async () => {
    const stage = await createStage();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 104 }, () =>
        createInvitation(deps, OPERATOR_CONTEXT, {
          tenantId: stage.tenantId,
          email: newAddress(),
          role: "viewer",
        }),
      ),
    );
    expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(100);
  });

  it("count revoked invitations: a tenant sends at most a hundred a day", async () => {
    const stage = await createStage();
    for (let index = 0; index < 100; index += 1) {
      const { invitation } = await invite(stage, newAddress());
      await revokeInvitation(services, stage.owner.context, { ...stage, ...invitation });
    }
    expect((await refusalOf(invite(stage, newAddress()))).code).toBe("TOO_MANY_INVITATIONS");
  });
});

describe("limits of invitations of one person", () => {
  it("allow a hundred a day in all their tenants together, without limiting another person or the operator", async () => {
    const stage = await createStage();
    const { userId } = stage.owner;
    const first = stage.tenantId;
    const { tenantId: second } = await createStage();
    const { tenantId: third } = await createStage();
    for (const tenantId of [second, third]) {
      await putMember(services, OPERATOR_CONTEXT, { tenantId, userId, role: "owner" });
    }
    const roles = new Map([first, second, third].map((tenantId) => [tenantId, "owner" as const]));
    const context = contextOf({ type: "user", id: userId, isOperator: false, roles });
    const send = (tenantId: TenantId, sender = context) =>
      createInvitation(deps, sender, { tenantId, email: newAddress(), role: "viewer" });
    for (let index = 0; index < 49; index += 1) {
      await send(first);
      await send(second);
    }
    // Two of the five sent at once in two tenants are within the limit.
    const outcomes = await Promise.allSettled(
      [second, third, third, third, third].map((tenantId) => send(tenantId)),
    );
    expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(2);
    expect((await refusalOf(send(third))).code).toBe("TOO_MANY_INVITATIONS");
    await send(third, OPERATOR_CONTEXT);
    const colleague = await createTestUser(services, { roles: [[third, "owner"]] });
    await send(third, colleague.context);
    services.clock.advance(DAY_MS + 1);
    await send(third);
  });
});

describe("invitations of a tenant", () => {
  it("are listed while they can be accepted, newest first, page by page", async () => {
    const stage = await createStage();
    const sent: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      sent.push((await invite(stage, newAddress())).invitation.invitationId);
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listInvitations(services, stage.owner.context, {
        ...stage,
        cursor,
        limit: 2,
      });
      seen.push(...page.items.map((one) => one.invitationId));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual([...sent].reverse());
    services.clock.advance(8 * DAY_MS);
    const later = await listInvitations(services, stage.owner.context, { ...stage, limit: 10 });
    expect(later.items).toEqual([]);
  });

  it("look to another tenant as if the tenant did not exist", async () => {
    const { theirs } = await createTwoTenants(services);
    const stage = await createStage();
    const guest = await createTestUser(services, { roles: [[theirs.tenantId, "owner"]] });
    const { invitation } = await invite(stage, newAddress());
    const attempts = (tenantId: TenantId) => [
      listInvitations(services, guest.context, { tenantId, limit: 10 }),
      revokeInvitation(services, guest.context, { ...invitation, tenantId }),
      createInvitation(deps, guest.context, { tenantId, email: newAddress(), role: "viewer" }),
    ];
    const other = await Promise.all(attempts(stage.tenantId).map(refusalOf));
    const missing = await Promise.all(attempts(services.newId("tenant")).map(refusalOf));
    expect(other.map((one) => one.message)).toEqual(missing.map((one) => one.message));
    expect(new Set(other.map((one) => one.code))).toEqual(new Set(["RESOURCE_NOT_FOUND"]));
    const mixed = { ...invitation, tenantId: theirs.tenantId };
    expect((await refusalOf(revokeInvitation(services, guest.context, mixed))).code).toBe(
      "RESOURCE_NOT_FOUND",
    );
  });

  it("are kept apart by the database itself", async () => {
    const stage = await createStage();
    const { theirs } = await createTwoTenants(services);
    await invite(stage, newAddress());
    const count = (tenantId: TenantId) =>
      services.transact.asTenant(
        tenantId,
        async (tx) => (await tx`select 1 from invitations`).length,
      );
    expect(await count(stage.tenantId)).toBe(1);
    expect(await count(theirs.tenantId)).toBe(0);
  });
});

it("has German for all that its mails say", async () => {
  const { count, unknown } = await listUntranslatedMails(database.sql);
  expect(count).toBeGreaterThan(0);
  expect(unknown).toEqual([]);
});
