import { createdServiceKey, serviceKey } from "@turnpike/contract/keys";
import { parseKey } from "@turnpike/domain/keys/key-format";
import { dumpDatabase } from "@turnpike/testkit/dump-database";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  contextOf,
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createServiceKey } from "./create-service-key.ts";
import { hashKey } from "./hash-key.ts";
import { listServiceKeys } from "./list-service-keys.ts";
import { revokeServiceKey } from "./revoke-service-key.ts";

let database: TestDatabase;
let services: TestServices;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
});
afterAll(() => database.close());

const create = (scopes: Parameters<typeof createServiceKey>[2]["scopes"]) =>
  createServiceKey(services, OPERATOR_CONTEXT, { name: "Backend", scopes });

describe("service keys", () => {
  it("are returned once and stored as a hash", async () => {
    const made = createdServiceKey.parse(await create(["keys:verify", "keys:verify"]));
    expect(parseKey(made.key)).toEqual({ form: "own", kind: "svc" });
    expect(made.scopes).toEqual(["keys:verify"]);
    const dump = await dumpDatabase(database.sql);
    expect(dump).toContain(hashKey(made.key));
    expect(dump).not.toContain(made.key.slice(made.start.length));
    const { items } = await listServiceKeys(services, OPERATOR_CONTEXT, { limit: 1 });
    const { key: _, ...shown } = made;
    expect(items.map((item) => serviceKey.parse(item))).toEqual([shown]);
  });

  it("cannot give a scope that they lack", async () => {
    const context = contextOf({
      type: "service_key",
      id: "svc_1",
      scopes: ["service_keys:write", "keys:read"],
    });
    const attempt = (scopes: Parameters<typeof create>[0]) =>
      createServiceKey(services, context, { name: "Child", scopes });
    expect((await refusalOf(attempt(["keys:read", "catalog:write"]))).code).toBe(
      "INSUFFICIENT_SCOPE",
    );
    expect((await attempt(["keys:read"])).scopes).toEqual(["keys:read"]);
  });

  it("cannot be created, seen or revoked by a tenant's key", async () => {
    const { context } = await createTestTenant(services);
    const made = await create(["keys:read"]);
    const attempts = [
      createServiceKey(services, context, { name: "Nope", scopes: ["keys:read"] }),
      listServiceKeys(services, context, { limit: 10 }),
      revokeServiceKey(services, context, made),
    ];
    for (const attempt of attempts) {
      expect((await refusalOf(attempt)).code).toBe("INSUFFICIENT_SCOPE");
    }
  });

  it("are revoked once, with one audit entry, however often it is requested", async () => {
    const made = await create(["keys:read"]);
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, () => revokeServiceKey(services, OPERATOR_CONTEXT, made)),
    );
    expect(new Set(outcomes.map((outcome) => outcome.revokedAt)).size).toBe(1);
    expect(outcomes[0]?.revokedAt).not.toBeNull();
    const [row] = await database.sql`
      select count(*)::int as count from audit_entries
      where entity_id = ${made.serviceKeyId} and action = 'service_key.revoked'`;
    expect(row?.["count"]).toBe(1);
    const missing = revokeServiceKey(services, OPERATOR_CONTEXT, {
      serviceKeyId: services.newId("serviceKey"),
    });
    expect((await refusalOf(missing)).code).toBe("RESOURCE_NOT_FOUND");
  });
});
