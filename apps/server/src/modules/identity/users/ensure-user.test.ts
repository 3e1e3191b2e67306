import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  contextOf,
  createTestServices,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listInstallationAudit } from "#modules/audit/index.ts";
import { ensureUser } from "./ensure-user.ts";

let database: TestDatabase;
let services: TestServices;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
});
afterAll(() => database.close());

const ISSUER = "https://id.example.com";

describe("ensureUser", () => {
  it("creates one user for an issuer and a subject, even when 20 callers ask at once", async () => {
    const input = { issuer: ISSUER, subject: "race", email: "race@example.com" };
    const users = await Promise.all(
      Array.from({ length: 20 }, () => ensureUser(services, OPERATOR_CONTEXT, input)),
    );
    expect(new Set(users.map((user) => user.userId)).size).toBe(1);
  });

  it("updates e-mail and name, and keeps what is left out", async () => {
    const subject = "changing";
    const first = await ensureUser(services, OPERATOR_CONTEXT, {
      issuer: ISSUER,
      subject,
      email: "old@example.com",
      name: "Ada",
    });
    const second = await ensureUser(services, OPERATOR_CONTEXT, {
      issuer: ISSUER,
      subject,
      email: "new@example.com",
    });
    expect(second).toEqual({ ...first, email: "new@example.com" });
  });

  it("leaves out a name that could pose as an address or another's name, and keeps the one before", async () => {
    const ensure = (subject: string, name: string) =>
      ensureUser(services, OPERATOR_CONTEXT, { issuer: ISSUER, subject, name });
    expect(await ensure("renamed", "山田\u3000太郎")).toMatchObject({ name: "山田 太郎" });
    for (const name of ["ada@evil.com", "P\u0430ypal", "Ac\u200bme", ""]) {
      expect(await ensure("renamed", name)).toMatchObject({ name: "山田 太郎" });
    }
    expect(await ensure("nameless", "Win at evil.com")).toMatchObject({ name: null });
  });

  it("audits new users and changes, without names and addresses", async () => {
    const ensure = (input: { email?: string; name?: string }) =>
      ensureUser(services, OPERATOR_CONTEXT, { issuer: ISSUER, subject: "traced", ...input });
    const { userId } = await ensure({ email: "traced@example.com" });
    await Promise.all([ensure({ name: "Ada" }), ensure({ name: "Ada" })]);
    await ensure({ email: "other@example.com" });
    await ensure({});
    const { items } = await listInstallationAudit(services, OPERATOR_CONTEXT, {
      entityId: userId,
      limit: 10,
    });
    expect(items.map(({ action, details }) => [action, details])).toEqual([
      ["user.updated", { changed: ["email"] }],
      ["user.updated", { changed: ["name"] }],
      ["user.created", {}],
    ]);
  });

  it("never identifies a user by the e-mail address", async () => {
    const email = "victim@example.com";
    const victim = await ensureUser(services, OPERATOR_CONTEXT, {
      issuer: ISSUER,
      subject: "victim",
      email,
    });
    const attacker = await ensureUser(services, OPERATOR_CONTEXT, {
      issuer: "https://evil.example.com",
      subject: "victim",
      email,
    });
    expect(attacker.userId).not.toBe(victim.userId);
  });

  it("needs the scope users:write", async () => {
    const context = contextOf({ type: "service_key", id: "svc_1", scopes: ["members:write"] });
    const refusal = await refusalOf(
      ensureUser(services, context, { issuer: ISSUER, subject: "unknown" }),
    );
    expect(refusal.code).toBe("INSUFFICIENT_SCOPE");
  });
});
