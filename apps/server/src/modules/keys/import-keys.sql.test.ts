import { hash } from "node:crypto";
import {
  HASH_OF_PLACEHOLDER,
  HASH_REFUSED,
  type ImportKeysResponse,
  importKeysResponse,
} from "@turnpike/contract/key-import";
import type { CallContext } from "@turnpike/domain/access/actor";
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
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listAudit } from "#modules/audit/index.ts";
import { applyCatalog } from "#modules/catalog/index.ts";
import { updateTenant } from "#modules/tenants/index.ts";
import { getKey } from "./get-key.ts";
import { importKeys } from "./import-keys.ts";
import { listKeys } from "./list-keys.ts";

let database: TestDatabase;
let services: TestServices;
let drawn = 0;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
});
afterAll(() => database.close());

const sha256 = (text: string) => hash("sha256", text, "hex");
const draw = () => {
  drawn += 1;
  return `legacy-${String(drawn)}-key`;
};
const rowOf = (key: string, more: object = {}) => ({ hash: sha256(key), name: "Old key", ...more });

async function run(
  tenantId: TenantId,
  rows: readonly unknown[],
  options: { dryRun?: boolean; context?: CallContext } = {},
): Promise<ImportKeysResponse> {
  const { dryRun = false, context = OPERATOR_CONTEXT } = options;
  return importKeysResponse.parse(
    await importKeys(services, context, { tenantId, dryRun, rows: [...rows] }),
  );
}
const statusesOf = (answer: ImportKeysResponse) => answer.items.map((item) => item.status);
const countKeys = async (tenantId: TenantId) =>
  (await listKeys(services, OPERATOR_CONTEXT, { tenantId, sort: "-createdAt", limit: 100 })).items
    .length;
const importsOf = async (tenantId: TenantId) =>
  (await listAudit(services, OPERATOR_CONTEXT, { tenantId, limit: 100 })).items.filter(
    (entry) => entry.action === "keys.imported",
  );

describe("importKeys", () => {
  it("imports every field of a row, in every spelling of the hash", async () => {
    const { tenantId } = await createTestTenant(services);
    const key = draw();
    const expiresAt = new Date(services.clock.now().getTime() + 60_000).toISOString();
    const row = {
      hash: hash("sha256", key, "base64"),
      name: "Old production",
      environment: "test",
      start: "legacy-",
      lastFour: "-key",
      scopes: ["usage:read", "usage:read"],
      expiresAt,
      metadata: { team: "maps" },
      externalId: "k-1",
    };
    const answer = await run(tenantId, [row, rowOf(draw())]);
    expect(answer).toMatchObject({ imported: 2, existing: 0, refused: 0 });
    const keyId = answer.items[0]?.keyId ?? expect.fail("no key");
    expect(await getKey(services, OPERATOR_CONTEXT, { tenantId, keyId })).toMatchObject({
      name: "Old production",
      environment: "test",
      start: "legacy-",
      lastFour: "-key",
      scopes: ["usage:read"],
      expiresAt,
      metadata: { team: "maps", externalId: "k-1" },
      state: "active",
      createdBy: "operator:test",
    });
  });

  it("imports the same rows once, however often and in batches of any size", async () => {
    const { tenantId } = await createTestTenant(services);
    const rows = Array.from({ length: 50 }, () => rowOf(draw()));
    const answers = await Promise.all([
      run(tenantId, rows),
      run(tenantId, rows.toReversed()),
      run(tenantId, rows),
    ]);
    expect(answers.reduce((sum, answer) => sum + answer.imported, 0)).toBe(50);
    const again = await run(tenantId, rows);
    expect(again).toMatchObject({ imported: 0, existing: 50, refused: 0 });
    expect(new Set(again.items.map((item) => item.keyId)).size).toBe(50);
    expect(await countKeys(tenantId)).toBe(50);
    // Each batch that changed something has one audit entry; the others have none.
    const changing = answers.filter((answer) => answer.imported > 0).length;
    expect(await importsOf(tenantId)).toHaveLength(changing);
  });

  it("recognizes imported keys even after their expiry passed and the plan changed", async () => {
    const { tenantId } = await createTestTenant(services);
    const plan = {
      planId: "tiles",
      name: "Tiles",
      description: "",
      currency: "EUR",
      pricePerMonth: "0",
      visibility: "public" as const,
      rateLimits: [],
      quotas: [],
      scopes: ["tiles:read"],
    };
    await applyCatalog(services, OPERATOR_CONTEXT, { meters: [], plans: [plan] });
    await updateTenant(services, OPERATOR_CONTEXT, { tenantId, planId: "tiles" });
    const expiresAt = new Date(services.clock.now().getTime() + 60_000).toISOString();
    const expiring = rowOf(draw(), { expiresAt });
    const scoped = rowOf(draw(), { scopes: ["tiles:read"] });
    const first = await run(tenantId, [expiring, scoped]);
    expect(first).toMatchObject({ imported: 2, refused: 0 });
    services.clock.advance(120_000);
    await updateTenant(services, OPERATOR_CONTEXT, { tenantId, planId: "pro" });
    for (const dryRun of [true, false]) {
      const again = await run(tenantId, [expiring, scoped], { dryRun });
      expect(statusesOf(again)).toEqual(["exists", "exists"]);
      expect(again.items.map((item) => item.keyId)).toEqual(first.items.map((item) => item.keyId));
    }
    // The same fields in a new or unreadable row are still refused.
    const others = [
      rowOf(draw(), { expiresAt }),
      rowOf(draw(), { scopes: ["tiles:read"] }),
      { ...expiring, name: "" },
    ];
    expect(statusesOf(await run(tenantId, others))).toEqual(["refused", "refused", "refused"]);
  });

  it("takes the first of two rows with one hash", async () => {
    const { tenantId } = await createTestTenant(services);
    const key = draw();
    const answer = await run(tenantId, [rowOf(key, { name: "A" }), rowOf(key, { name: "B" })]);
    expect(statusesOf(answer)).toEqual(["imported", "exists"]);
    expect(answer.items[1]?.keyId).toBe(answer.items[0]?.keyId);
  });

  it("reads a date as its start in UTC, and an instant in any time zone", async () => {
    const { tenantId } = await createTestTenant(services);
    const texts = ["2130-01-01", "2130-01-01T00:00:00+01:00", "2130-01-01T00:00:00Z"];
    const answer = await run(
      tenantId,
      texts.map((expiresAt) => rowOf(draw(), { expiresAt })),
    );
    expect(statusesOf(answer)).toEqual(["imported", "imported", "imported"]);
    const keys = await Promise.all(
      answer.items.map(({ keyId }) =>
        getKey(services, OPERATOR_CONTEXT, { tenantId, keyId: keyId ?? expect.fail() }),
      ),
    );
    expect(keys.map(({ expiresAt }) => expiresAt)).toEqual([
      "2130-01-01T00:00:00.000Z",
      "2129-12-31T23:00:00.000Z",
      "2130-01-01T00:00:00.000Z",
    ]);
  });

  it("refuses only the bad rows, with a pointer to each mistake", async () => {
    const { tenantId } = await createTestTenant(services);
    const key = draw();
    const bad: [unknown, string, RegExp][] = [
      [null, "", /./],
      [{ name: "A" }, "/hash", /SHA-256/],
      [{ hash: hash("sha512", key, "hex"), name: "A" }, "/hash", /SHA-256 \(no other algorithm\)/],
      [{ hash: "$2b$12$KIXQ8m0bq5c0v4fM8tqFUe", name: "A" }, "/hash", /SHA-256/],
      [{ hash: sha256(""), name: "A" }, "/hash", /SHA-256/],
      [rowOf("secret", { start: "sec", lastFour: "ret" }), "/hash", /SHA-256/],
      [rowOf(draw(), { name: " " }), "/name", /empty/],
      [rowOf(draw(), { name: "a\u202eb" }), "/name", /control/],
      [rowOf(draw(), { start: "x".repeat(13) }), "/start", /At most 12/],
      [rowOf(draw(), { start: "tp_abc1" }), "/start", /begin with tp_/],
      [rowOf(draw(), { start: "tp_svc_ab" }), "/start", /begin with tp_/],
      [rowOf(draw(), { environment: "prod" }), "/environment", /./],
      [rowOf(draw(), { scopes: ["tenants:write"] }), "/scopes/0", /./],
      [rowOf(draw(), { expiresAt: "2020-01-01T00:00:00Z" }), "/expiresAt", /future/],
      [rowOf(draw(), { expiresAt: "tomorrow" }), "/expiresAt", /is not a date such as/],
      [rowOf(draw(), { expiresAt: "2030-02-30" }), "/expiresAt", /no month has/],
      [rowOf(draw(), { expiresAt: "1969-12-31" }), "/expiresAt", /1970/],
      [
        rowOf(draw(), { metadata: { a: { b: 1 } } }),
        "/metadata/a",
        /^A text, a number, true or false\.$/,
      ],
      [
        rowOf(draw(), { metadata: { externalId: "a" }, externalId: "b" }),
        "/externalId",
        /different/,
      ],
      [rowOf(draw(), { key: "text of a key" }), "/key", /Unknown/],
    ];
    const answer = await run(tenantId, [...bad.map(([row]) => row), rowOf(draw())]);
    expect(answer).toMatchObject({ imported: 1, refused: bad.length });
    for (const [index, [row, pointer, message]] of bad.entries()) {
      const errors = answer.items[index]?.errors ?? [];
      expect(
        errors.some((error) => error.pointer === pointer && message.test(error.message)),
        `${JSON.stringify(row)} ${JSON.stringify(errors)}`,
      ).toBe(true);
    }
  });

  it("refuses another tenant's hash like an invalid one, and changes nothing of its key", async () => {
    const { ours, theirs } = await createTwoTenants(services);
    const key = draw();
    const first = await run(theirs.tenantId, [rowOf(key, { name: "Theirs" })]);
    for (const dryRun of [true, false]) {
      const answer = await run(ours.tenantId, [rowOf(key), { hash: "no hash", name: "A" }], {
        dryRun,
        context: ours.context,
      });
      const refusal = { status: "refused", keyId: null };
      const errors = [{ pointer: "/hash", message: HASH_REFUSED }];
      expect(answer.items).toEqual([
        { ...refusal, errors },
        { ...refusal, errors },
      ]);
    }
    const keyId = first.items[0]?.keyId ?? expect.fail("no key");
    const kept = await getKey(services, OPERATOR_CONTEXT, { tenantId: theirs.tenantId, keyId });
    expect(kept.name).toBe("Theirs");
    expect(await countKeys(ours.tenantId)).toBe(0);
  });

  it("refuses hashes of placeholders and common texts from a tenant's people and keys, in every spelling", async () => {
    const { tenantId, context } = await createTestTenant(services);
    const writer = contextOf({
      type: "key",
      id: services.newId("key"),
      tenantId,
      scopes: ["keys:write"],
    });
    const member = await createTestUser(services, { roles: [[tenantId, "owner"]] });
    const texts = ["undefined", "null", "YOUR_API_KEY", '"null"', "Bearer undefined", "password1"];
    const rows = texts.flatMap((text) => [
      rowOf(text),
      { ...rowOf(text), hash: sha256(text).toUpperCase() },
      { ...rowOf(text), hash: hash("sha256", text, "base64") },
      { ...rowOf(text), hash: hash("sha256", text, "base64url") },
    ]);
    for (const actor of [context, writer, member.context]) {
      for (const dryRun of [true, false]) {
        const answer = await run(tenantId, [...rows, rowOf(draw())], { context: actor, dryRun });
        expect(answer).toMatchObject({ refused: rows.length, imported: 1 });
        expect(answer.items[0]?.errors).toEqual([
          { pointer: "/hash", message: HASH_OF_PLACEHOLDER },
        ]);
      }
    }
    const service = contextOf({ type: "service_key", id: "svc_1", scopes: ["keys:write"] });
    expect(await run(tenantId, [rowOf("null")], { context: service })).toMatchObject({
      imported: 1,
    });
    // What the operator imported stays, and a tenant may repeat the file.
    expect(statusesOf(await run(tenantId, [rowOf("null")], { context: writer }))).toEqual([
      "exists",
    ]);
  });

  it("imports nothing into another tenant, without the scope, or with scopes that the caller lacks", async () => {
    const { ours, theirs } = await createTwoTenants(services);
    const attempt = (context: CallContext) =>
      refusalOf(run(theirs.tenantId, [rowOf(draw())], { context }));
    expect((await attempt(ours.context)).code).toBe("RESOURCE_NOT_FOUND");
    const id = services.newId("key");
    const reader = contextOf({
      type: "key",
      id,
      tenantId: theirs.tenantId,
      scopes: ["keys:read"],
    });
    expect((await attempt(reader)).code).toBe("INSUFFICIENT_SCOPE");
    const writer = contextOf({
      type: "key",
      id,
      tenantId: theirs.tenantId,
      scopes: ["keys:write"],
    });
    const answer = await run(
      theirs.tenantId,
      [rowOf(draw(), { scopes: ["usage:read"] }), rowOf(draw(), { scopes: ["keys:write"] })],
      { context: writer },
    );
    expect(statusesOf(answer)).toEqual(["refused", "imported"]);
    expect(answer.items[0]?.errors[0]?.pointer).toBe("/scopes/0");
    const missing = services.newId("tenant");
    const refusal = await refusalOf(run(missing, [rowOf(draw())]));
    expect(refusal.code).toBe("RESOURCE_NOT_FOUND");
  });

  it("answers a dry run like the import, and leaves nothing behind", async () => {
    const { tenantId } = await createTestTenant(services);
    const known = draw();
    await run(tenantId, [rowOf(known)]);
    const twice = draw();
    const rows = [rowOf(known), rowOf(twice), rowOf("x", { name: "" }), rowOf(twice)];
    const before = await dumpDatabase(database.sql);
    const rehearsal = await run(tenantId, rows, { dryRun: true });
    expect(await dumpDatabase(database.sql)).toBe(before);
    expect(rehearsal.items[1]).toEqual({ status: "imported", keyId: null, errors: [] });
    // The duplicate of the row before, whose key is gone again.
    expect(rehearsal.items[3]).toEqual({ status: "exists", keyId: null, errors: [] });
    const real = await run(tenantId, rows);
    expect(statusesOf(real)).toEqual(statusesOf(rehearsal));
  });

  it("writes no hash and no metadata into the audit trail", async () => {
    const { tenantId } = await createTestTenant(services);
    const key = draw();
    await run(tenantId, [rowOf(key, { metadata: { canary: "canary-9137" } })]);
    const trail = JSON.stringify(await importsOf(tenantId));
    expect(trail).toContain('"imported":1');
    expect(trail).not.toContain(sha256(key));
    expect(trail).not.toContain("canary-9137");
  });
});
