import { changeKeysResponse, type KeyChange, keyScopes } from "@turnpike/contract/key-bulk";
import type { CreatedKey } from "@turnpike/contract/keys";
import { ROLE_SCOPES, ROLES, TENANT_KEY_SCOPES } from "@turnpike/domain/access/scopes";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  createTestUser,
  createTwoTenants,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listAudit } from "#modules/audit/index.ts";
import { changeManyKeys } from "./change-many-keys.ts";
import { createKey } from "./create-key.ts";
import { getKey } from "./get-key.ts";
import { listKeyScopes } from "./list-key-scopes.ts";
import { revokeKey } from "./revoke-key.ts";
import { rollKey } from "./roll-key.ts";

let database: TestDatabase;
let services: TestServices;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
});
afterAll(() => database.close());

const create = (tenantId: TenantId, expiresAt?: string): Promise<CreatedKey> =>
  createKey(services, OPERATOR_CONTEXT, {
    tenantId,
    name: "Key",
    environment: "live",
    scopes: [],
    metadata: {},
    ...(expiresAt === undefined ? {} : { expiresAt }),
  });

const change = async (tenantId: TenantId, keyIds: readonly KeyId[], what: KeyChange) =>
  changeKeysResponse.parse(
    await changeManyKeys(services, OPERATOR_CONTEXT, {
      tenantId,
      keyIds: [...keyIds],
      change: what,
    }),
  );

function inSeconds(seconds: number): string {
  return new Date(services.clock.now().getTime() + seconds * 1_000).toISOString();
}

async function trailOf(tenantId: TenantId, keyId: KeyId) {
  const { items } = await listAudit(services, OPERATOR_CONTEXT, {
    tenantId,
    entityId: keyId,
    limit: 100,
  });
  return items.map(({ action, details }) => ({ action, details }));
}

async function countChanges(keyId: KeyId): Promise<number> {
  const [row] = await database.sql<{ count: number }[]>`
    select count(*)::int as count from changes where kind = 'key' and entity_id = ${keyId}`;
  return row?.count ?? 0;
}

/** The webhook events of a key, oldest first. */
async function eventsOf(tenantId: TenantId, keyId: KeyId) {
  return await database.sql<{ type: string; state: string }[]>`
    select event_type as type, payload::json #>> '{data,key,state}' as state from webhook_outbox
    where tenant_id = ${tenantId} and payload::json #>> '{data,key,keyId}' = ${keyId} order by message_id`;
}

describe("changeManyKeys", () => {
  it("changes each key as a single change would: state, audit entry, webhook event, published change", async () => {
    const { tenantId } = await createTestTenant(services);
    const keys = [await create(tenantId), await create(tenantId)];
    const keyIds = keys.map((key) => key.keyId);
    const expiresAt = inSeconds(3_600);
    for (const [what, state] of [
      [{ action: "disable" }, "disabled"],
      [{ action: "enable" }, "active"],
      [{ action: "set_expiry", expiresAt }, "active"],
      [{ action: "revoke" }, "revoked"],
    ] as const) {
      const answer = await change(tenantId, keyIds, what);
      expect(answer).toMatchObject({ changed: 2, unchanged: 0, refused: 0 });
      expect(answer.items.map(({ keyId, status, key }) => [keyId, status, key?.state])).toEqual(
        keyIds.map((keyId) => [keyId, "changed", state]),
      );
      for (const { keyId, key } of answer.items) {
        expect(await getKey(services, OPERATOR_CONTEXT, { tenantId, keyId })).toEqual(key);
      }
    }
    for (const { keyId, name, start } of keys) {
      expect(await trailOf(tenantId, keyId)).toEqual([
        { action: "key.revoked", details: { name, start } },
        { action: "key.updated", details: { name, expiresAt: [null, expiresAt] } },
        { action: "key.enabled", details: { name } },
        { action: "key.disabled", details: { name } },
        { action: "key.created", details: expect.anything() },
      ]);
      expect(await countChanges(keyId)).toBe(5);
      expect(await eventsOf(tenantId, keyId)).toEqual([
        { type: "key.created", state: "active" },
        { type: "key.disabled", state: "disabled" },
        { type: "key.enabled", state: "active" },
        { type: "key.updated", state: "active" },
        { type: "key.revoked", state: "revoked" },
      ]);
    }
  });

  it("skips a key that already has the state, so that a repeated request changes nothing", async () => {
    const { tenantId } = await createTestTenant(services);
    const { keyId } = await create(tenantId);
    const changes: KeyChange[] = [
      { action: "disable" },
      { action: "enable" },
      { action: "set_expiry", expiresAt: inSeconds(60) },
      { action: "set_expiry", expiresAt: null },
      { action: "revoke" },
    ];
    for (const what of changes) {
      const first = await change(tenantId, [keyId], what);
      expect(first.items[0]?.status).toBe("changed");
      const recall = async () => [
        await trailOf(tenantId, keyId),
        await countChanges(keyId),
        await eventsOf(tenantId, keyId),
      ];
      const recorded = await recall();
      const again = await change(tenantId, [keyId], what);
      expect(again).toMatchObject({ changed: 0, unchanged: 1, refused: 0 });
      expect(again.items[0]?.key).toEqual(first.items[0]?.key);
      expect(await recall()).toEqual(recorded);
    }
  });

  it("refuses each key on its own and answers in the order of the request", async () => {
    const { ours, theirs } = await createTwoTenants(services);
    const foreign = await create(theirs.tenantId);
    const good = await create(ours.tenantId);
    const revoked = await create(ours.tenantId);
    await revokeKey(services, OPERATOR_CONTEXT, revoked);
    const missing = services.newId("key");
    const before = await getKey(services, OPERATOR_CONTEXT, foreign);

    const answer = await change(
      ours.tenantId,
      [foreign.keyId, good.keyId, missing, revoked.keyId],
      { action: "disable" },
    );
    expect(answer).toMatchObject({ changed: 1, unchanged: 0, refused: 3 });
    expect(answer.items.map((item) => [item.status, item.error?.code])).toEqual([
      ["refused", "RESOURCE_NOT_FOUND"],
      ["changed", undefined],
      ["refused", "RESOURCE_NOT_FOUND"],
      ["refused", "CONFLICT"],
    ]);
    // A key of another tenant and one that never existed get the same answer.
    expect(answer.items[0]?.error).toEqual(answer.items[2]?.error);
    expect(await getKey(services, OPERATOR_CONTEXT, foreign)).toEqual(before);
    expect(await trailOf(theirs.tenantId, foreign.keyId)).toHaveLength(1);
  });

  it("changes no expiry of a rolled key, which would revive its text", async () => {
    const { tenantId } = await createTestTenant(services);
    const [rolled, other] = [await create(tenantId), await create(tenantId)];
    await rollKey(services, OPERATOR_CONTEXT, { ...rolled, graceSeconds: 60 });
    const before = await getKey(services, OPERATOR_CONTEXT, rolled);
    for (const expiresAt of [null, inSeconds(30), inSeconds(3_600)]) {
      const answer = await change(tenantId, [rolled.keyId, other.keyId], {
        action: "set_expiry",
        expiresAt,
      });
      expect(answer.items[0]).toMatchObject({
        status: "refused",
        error: { code: "CONFLICT", message: expect.stringContaining("was rolled") },
      });
      expect(answer.items[1]?.key?.expiresAt).toBe(expiresAt);
      expect(await getKey(services, OPERATOR_CONTEXT, rolled)).toEqual(before);
    }
    expect((await change(tenantId, [rolled.keyId], { action: "disable" })).changed).toBe(1);
    expect((await change(tenantId, [rolled.keyId], { action: "revoke" })).changed).toBe(1);
  });

  it("is refused as a whole, before anything changes, without keys:write", async () => {
    const { ours, theirs } = await createTwoTenants(services);
    const made = await create(ours.tenantId);
    const input = {
      tenantId: ours.tenantId,
      keyIds: [made.keyId],
      change: { action: "revoke" as const },
    };
    const foreign = await refusalOf(changeManyKeys(services, theirs.context, input));
    expect(foreign.code).toBe("RESOURCE_NOT_FOUND");
    for (const role of ROLES) {
      const { context } = await createTestUser(services, { roles: [[ours.tenantId, role]] });
      const attempt = changeManyKeys(services, context, { ...input, change: { action: "enable" } });
      if (ROLE_SCOPES[role].includes("keys:write")) {
        expect((await attempt).unchanged).toBe(1);
      } else {
        expect((await refusalOf(attempt)).code).toBe("INSUFFICIENT_SCOPE");
      }
    }
    expect((await getKey(services, OPERATOR_CONTEXT, made)).state).toBe("active");
  });

  it("refuses an expiry in the past with its pointer, and a tenant that does not exist", async () => {
    const { tenantId } = await createTestTenant(services);
    const { keyId } = await create(tenantId);
    const past = await refusalOf(
      change(tenantId, [keyId], { action: "set_expiry", expiresAt: inSeconds(0) }),
    );
    expect(past).toMatchObject({
      code: "INVALID_REQUEST",
      errors: [{ pointer: "/change/expiresAt" }],
    });
    const nowhere = await refusalOf(
      change(services.newId("tenant"), [keyId], { action: "disable" }),
    );
    expect(nowhere.code).toBe("RESOURCE_NOT_FOUND");
  });

  it("serializes two opposite changes of the same keys, so that one of them applies to all", async () => {
    const { tenantId } = await createTestTenant(services);
    const keyIds: KeyId[] = [];
    for (let count = 0; count < 10; count += 1) {
      keyIds.push((await create(tenantId)).keyId);
    }
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, turn) =>
        change(tenantId, turn % 2 === 0 ? keyIds : keyIds.toReversed(), {
          action: turn % 2 === 0 ? "disable" : "enable",
        }),
      ),
    );
    expect(answers.every(({ refused }) => refused === 0)).toBe(true);
    const states = await Promise.all(
      keyIds.map(
        async (keyId) => (await getKey(services, OPERATOR_CONTEXT, { tenantId, keyId })).state,
      ),
    );
    expect(new Set(states).size).toBe(1);
  });
});

describe("listKeyScopes", () => {
  it("returns the scopes that the tenant's plan allows, to its members alone", async () => {
    const { ours, theirs } = await createTwoTenants(services);
    const scopes = keyScopes.parse(await listKeyScopes(services, ours.context, ours));
    expect(scopes.management).toEqual([...TENANT_KEY_SCOPES]);
    const [row] = await database.sql<{ terms: { scopes?: string[] } }[]>`
      select terms from entitlements where tenant_id = ${ours.tenantId}`;
    expect(scopes.custom).toEqual(row?.terms.scopes ?? []);
    const refusal = await refusalOf(listKeyScopes(services, ours.context, theirs));
    expect(refusal.code).toBe("RESOURCE_NOT_FOUND");
  });
});
