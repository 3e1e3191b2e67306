import { createdKey, key as keyShape } from "@turnpike/contract/keys";
import { parseKey } from "@turnpike/domain/keys/key-format";
import { dumpDatabase } from "@turnpike/testkit/dump-database";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  contextOf,
  createTestServices,
  createTestTenant,
  createTwoTenants,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listAudit } from "#modules/audit/index.ts";
import { createKey } from "./create-key.ts";
import { getKey } from "./get-key.ts";
import { hashKey } from "./hash-key.ts";
import { listKeys } from "./list-keys.ts";
import { revokeKey } from "./revoke-key.ts";

let database: TestDatabase;
let services: TestServices;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
});
afterAll(() => database.close());

type Input = Parameters<typeof createKey>[2];
const create = (input: Pick<Input, "tenantId"> & Partial<Input>) =>
  createKey(services, OPERATOR_CONTEXT, {
    name: "Key",
    environment: "live",
    scopes: [],
    metadata: {},
    ...input,
  });

describe("createKey", () => {
  it("returns the key once, in the format of its environment", async () => {
    const { tenantId } = await createTestTenant(services);
    for (const environment of ["live", "test"] as const) {
      const made = createdKey.parse(await create({ tenantId, environment }));
      expect(parseKey(made.key)).toEqual({ form: "own", kind: environment });
      expect(made.key.startsWith(made.start)).toBe(true);
      expect(made.key.endsWith(made.lastFour)).toBe(true);
      const { key: _, ...shown } = made;
      expect(await getKey(services, OPERATOR_CONTEXT, made)).toEqual(shown);
    }
  });

  it("stores only the hash, start and end of a key, from which its text cannot be derived", async () => {
    const { tenantId } = await createTestTenant(services);
    const { key, start } = await create({ tenantId, metadata: { team: "a" } });
    const dump = await dumpDatabase(database.sql);
    expect(dump).toContain(hashKey(key));
    expect(dump).toContain(start);
    const secret = key.slice(start.length, -4);
    // Any six characters in a row would leak a third of the secret.
    for (let index = 0; index + 6 <= secret.length; index += 1) {
      expect(dump).not.toContain(secret.slice(index, index + 6));
    }
    expect(dump).not.toContain(Buffer.from(key).toString("hex"));
    expect(dump).not.toContain(Buffer.from(key).toString("base64"));
  });

  it("draws every key anew", async () => {
    const { tenantId } = await createTestTenant(services);
    const made = await Promise.all(Array.from({ length: 20 }, () => create({ tenantId })));
    expect(new Set(made.map((key) => key.key)).size).toBe(20);
  });

  it("refuses an expiry that is not in the future", async () => {
    const { tenantId } = await createTestTenant(services);
    const now = services.clock.now();
    for (const expiresAt of [now, new Date(now.getTime() - 1)]) {
      const refusal = await refusalOf(create({ tenantId, expiresAt: expiresAt.toISOString() }));
      expect(refusal).toMatchObject({
        code: "INVALID_REQUEST",
        errors: [{ pointer: "/expiresAt" }],
      });
    }
    const soon = new Date(now.getTime() + 1_000);
    const made = await create({ tenantId, expiresAt: soon.toISOString() });
    expect(made).toMatchObject({ state: "active", expiresAt: soon.toISOString() });
    services.clock.advance(1_000);
    expect((await getKey(services, OPERATOR_CONTEXT, made)).state).toBe("expired");
  });

  it.each(["key", "service_key"] as const)(
    "gives no scope that the caller's %s does not hold",
    async (type) => {
      const { tenantId } = await createTestTenant(services);
      const scopes = ["keys:write", "keys:read"] as const;
      const context = contextOf(
        type === "key"
          ? { type, id: services.newId("key"), tenantId, scopes }
          : { type, id: services.newId("serviceKey"), scopes },
      );
      const attempt = (wanted: Input["scopes"]) =>
        createKey(services, context, {
          tenantId,
          name: "Child",
          environment: "live",
          scopes: wanted,
          metadata: {},
        });
      const refusal = await refusalOf(attempt(["keys:read", "usage:read"]));
      expect(refusal.code).toBe("INSUFFICIENT_SCOPE");
      expect((await attempt(["keys:read", "keys:read"])).scopes).toEqual(["keys:read"]);
    },
  );

  it("audits who created the key, without its text", async () => {
    const { tenantId, context } = await createTestTenant(services);
    const made = await createKey(services, context, {
      tenantId,
      name: "Audited",
      environment: "live",
      scopes: [],
      metadata: {},
    });
    const { items } = await listAudit(services, OPERATOR_CONTEXT, { tenantId, limit: 1 });
    expect(items[0]).toMatchObject({
      action: "key.created",
      entityId: made.keyId,
      actorId: context.actor.id,
      details: { name: "Audited", start: made.start },
    });
  });

  it("refuses a missing tenant and another tenant's with the same answer", async () => {
    const { ours, theirs } = await createTwoTenants(services);
    const attempt = (tenantId: Input["tenantId"]) =>
      refusalOf(
        createKey(services, ours.context, {
          tenantId,
          name: "Nope",
          environment: "live",
          scopes: [],
          metadata: {},
        }),
      );
    const other = await attempt(theirs.tenantId);
    const missing = await attempt(services.newId("tenant"));
    expect(other).toMatchObject({ code: "RESOURCE_NOT_FOUND", message: missing.message });
    expect((await refusalOf(create({ tenantId: services.newId("tenant") }))).message).toBe(
      missing.message,
    );
    expect((await listKeys(services, theirs.context, { ...theirs, limit: 10 })).items).toEqual([]);
  });
});

describe("revokeKey", () => {
  it("revokes for good; repeating it changes and audits nothing", async () => {
    const { tenantId } = await createTestTenant(services);
    const made = await create({ tenantId });
    const first = await revokeKey(services, OPERATOR_CONTEXT, made);
    expect(keyShape.parse(first)).toMatchObject({
      state: "revoked",
      revokedAt: services.clock.now().toISOString(),
    });
    services.clock.advance(5_000);
    expect(await revokeKey(services, OPERATOR_CONTEXT, made)).toEqual(first);
    const { items } = await listAudit(services, OPERATOR_CONTEXT, { tenantId, limit: 100 });
    expect(items.filter((entry) => entry.action === "key.revoked")).toHaveLength(1);
  });

  it("happens once when ten revoke at once", async () => {
    const { tenantId } = await createTestTenant(services);
    const made = await create({ tenantId });
    await Promise.all(
      Array.from({ length: 10 }, () => revokeKey(services, OPERATOR_CONTEXT, made)),
    );
    const { items } = await listAudit(services, OPERATOR_CONTEXT, { tenantId, limit: 100 });
    expect(items.filter((entry) => entry.action === "key.revoked")).toHaveLength(1);
  });

  it("touches no other tenant's key, even under a path of the caller's own tenant", async () => {
    const { ours, theirs } = await createTwoTenants(services);
    const made = await create({ tenantId: theirs.tenantId });
    for (const tenantId of [ours.tenantId, theirs.tenantId]) {
      const refusal = await refusalOf(
        revokeKey(services, ours.context, { tenantId, keyId: made.keyId }),
      );
      expect(refusal.code).toBe("RESOURCE_NOT_FOUND");
    }
    expect((await getKey(services, theirs.context, made)).state).toBe("active");
  });

  it("needs keys:write", async () => {
    const { tenantId } = await createTestTenant(services);
    const made = await create({ tenantId });
    const id = services.newId("key");
    const context = contextOf({ type: "key", id, tenantId, scopes: ["keys:read"] });
    expect((await refusalOf(revokeKey(services, context, made))).code).toBe("INSUFFICIENT_SCOPE");
  });
});

describe("listKeys", () => {
  it("pages through a tenant's keys, newest first, revoked ones included, and shows no secret", async () => {
    const { tenantId } = await createTestTenant(services);
    const made = [];
    for (let index = 0; index < 5; index += 1) {
      made.push(await create({ tenantId, name: `Key ${String(index)}` }));
    }
    await revokeKey(services, OPERATOR_CONTEXT, made[0]!);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listKeys(services, OPERATOR_CONTEXT, { tenantId, cursor, limit: 2 });
      for (const item of page.items) {
        seen.push(keyShape.parse(item).keyId);
      }
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(made.map((key) => key.keyId).reverse());
  });
});
