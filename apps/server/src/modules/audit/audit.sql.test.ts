import { auditEntry } from "@turnpike/contract/tenants";
import { databaseErrorCode } from "@turnpike/db/database-errors";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  contextOf,
  createTestServices,
  createTwoTenants,
  OPERATOR_CONTEXT,
  type TestServices,
  type TwoTenants,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createServiceKey } from "#modules/keys/index.ts";
import { updateTenant } from "#modules/tenants/index.ts";
import type { Transact } from "#platform/transact.ts";
import { listAudit, listInstallationAudit } from "./list-audit.ts";
import { writeAudit } from "./write-audit.ts";

let database: TestDatabase;
let services: TestServices;
let tenants: TwoTenants;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  tenants = await createTwoTenants(services);
});
afterAll(() => database.close());

const EVENT = { action: "test.done", entityType: "test", entityId: "test_1" };

describe("the audit trail", () => {
  it("records who did what to what, in which request", async () => {
    const { tenantId } = tenants.ours;
    await services.transact.asTenant(tenantId, (tx) =>
      writeAudit(services, tx, tenants.ours.context, { ...EVENT, tenantId, details: { n: 1 } }),
    );
    const { items } = await listAudit(services, OPERATOR_CONTEXT, { tenantId, limit: 1 });
    expect(auditEntry.parse(items[0])).toMatchObject({
      ...EVENT,
      actorType: "key",
      actorId: tenants.ours.context.actor.id,
      requestId: "req_test",
      occurredAt: services.clock.now().toISOString(),
      details: { n: 1 },
    });
  });

  it("fails closed: a change without an entry does not happen", async () => {
    const { tenantId } = tenants.ours;
    const taken = services.newId("audit");
    const colliding: TestServices = { ...services, newId: (() => taken) as TestServices["newId"] };
    await updateTenant(colliding, OPERATOR_CONTEXT, { tenantId, name: "First" });
    await expect(
      updateTenant(colliding, OPERATOR_CONTEXT, { tenantId, name: "Second" }),
    ).rejects.toThrow();
    const [row] = await database.sql`select name from tenants where tenant_id = ${tenantId}`;
    expect(row?.["name"]).toBe("First");
  });

  it("keeps no entry of a change that was rolled back", async () => {
    const { tenantId } = tenants.ours;
    const count = async () =>
      (await listAudit(services, OPERATOR_CONTEXT, { tenantId, limit: 100 })).items.length;
    const before = await count();
    await refusalOf(updateTenant(services, OPERATOR_CONTEXT, { tenantId, planId: "nope" }));
    expect(await count()).toBe(before);
  });

  it("of another tenant is as invisible as that of a missing tenant", async () => {
    const read = (tenantId: TwoTenants["ours"]["tenantId"]) =>
      refusalOf(listAudit(services, tenants.ours.context, { tenantId, limit: 10 }));
    const other = await read(tenants.theirs.tenantId);
    const missing = await read(services.newId("tenant"));
    expect(other).toMatchObject({ code: "RESOURCE_NOT_FOUND", message: missing.message });
    const rows = await services.transact.asTenant(
      tenants.ours.tenantId,
      (tx) => tx<{ tenant_id: string }[]>`select distinct tenant_id from audit_entries`,
    );
    expect(rows.map((row) => row.tenant_id)).toEqual([tenants.ours.tenantId]);
  });

  it("of a missing tenant is not found, not even by operators; without entries it is empty", async () => {
    const read = (tenantId: TwoTenants["ours"]["tenantId"]) =>
      listAudit(services, OPERATOR_CONTEXT, { tenantId, entityId: "key_none", limit: 10 });
    expect(await refusalOf(read(services.newId("tenant")))).toMatchObject({
      code: "RESOURCE_NOT_FOUND",
      message: "There is no such tenant.",
    });
    expect(await read(tenants.ours.tenantId)).toEqual({ items: [], nextCursor: null });
  });

  it("of the installation is in no tenant's trail", async () => {
    const key = await createServiceKey(services, OPERATOR_CONTEXT, {
      name: "Audited",
      scopes: ["tenants:read"],
    });
    for (const { tenantId } of [tenants.ours, tenants.theirs]) {
      const { items } = await listAudit(services, OPERATOR_CONTEXT, { tenantId, limit: 100 });
      expect(items.map((entry) => entry.entityId)).not.toContain(key.serviceKeyId);
    }
    const rows = await database.sql`
      select tenant_id from audit_entries where entity_id = ${key.serviceKeyId}`;
    expect([...rows]).toEqual([{ tenant_id: "operator" }]);
    const trail = await listInstallationAudit(services, OPERATOR_CONTEXT, {
      entityId: key.serviceKeyId,
      limit: 10,
    });
    expect(trail.items.map((entry) => auditEntry.parse(entry).action)).toEqual([
      "service_key.created",
    ]);
  });

  it("of the installation is only for the operator's actors, page by page, without tenants' entries", async () => {
    for (const actor of [
      tenants.ours.context.actor,
      contextOf({ type: "service_key", id: "svc_1", scopes: ["tenants:read"] }).actor,
    ]) {
      const refusal = await refusalOf(
        listInstallationAudit(services, contextOf(actor), { limit: 1 }),
      );
      expect(refusal.code).toBe("INSUFFICIENT_SCOPE");
    }
    const reader = contextOf({ type: "service_key", id: "svc_2", scopes: ["audit:read"] });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listInstallationAudit(services, reader, { cursor, limit: 2 });
      seen.push(...page.items.map((entry) => entry.auditId));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    const rows = await database.sql<{ audit_id: string }[]>`
      select audit_id from audit_entries where tenant_id = 'operator' order by audit_id desc`;
    expect(seen.length).toBeGreaterThan(2);
    expect(seen).toEqual(rows.map((row) => row.audit_id));
  });

  const rolesAndChanges = (["asTenant", "asOperator"] as const).flatMap((role) =>
    (["update", "delete", "truncate"] as const).map((change) => [role, change] as const),
  );
  it.each(rolesAndChanges)("refuses to let %s %s entries", async (role, change) => {
    const { tenantId } = tenants.ours;
    const work: Parameters<Transact["asOperator"]>[0] = (tx) =>
      change === "update"
        ? tx`update audit_entries set action = 'forged'`
        : change === "delete"
          ? tx`delete from audit_entries`
          : tx`truncate audit_entries`;
    const attempt =
      role === "asTenant"
        ? services.transact.asTenant(tenantId, work)
        : services.transact.asOperator(work);
    const code = await attempt.then(() => "done", databaseErrorCode);
    expect(code).toBe("42501");
  });

  it("accepts no entry for another tenant from a tenant's transaction", async () => {
    const attempt = services.transact.asTenant(tenants.ours.tenantId, (tx) =>
      writeAudit(services, tx, tenants.ours.context, {
        ...EVENT,
        tenantId: tenants.theirs.tenantId,
      }),
    );
    expect(await attempt.then(() => "done", databaseErrorCode)).toBe("42501");
  });

  it("is read with audit:read only, and paged", async () => {
    const { tenantId } = tenants.ours;
    const context = contextOf({ type: "service_key", id: "svc_1", scopes: ["tenants:read"] });
    const refusal = await refusalOf(listAudit(services, context, { tenantId, limit: 1 }));
    expect(refusal.code).toBe("INSUFFICIENT_SCOPE");
    const all = await listAudit(services, OPERATOR_CONTEXT, { tenantId, limit: 100 });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listAudit(services, OPERATOR_CONTEXT, { tenantId, cursor, limit: 2 });
      seen.push(...page.items.map((entry) => entry.auditId));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(all.items.map((entry) => entry.auditId));
  });

  it("of one entity contains nothing else, page by page, and nothing of other tenants", async () => {
    const { ours, theirs } = tenants;
    const write = (tenantId: typeof ours.tenantId, entityId: string) =>
      services.transact.asTenant(tenantId, (tx) =>
        writeAudit(services, tx, contextOf({ type: "system", id: "test" }), {
          ...EVENT,
          entityId,
          tenantId,
        }),
      );
    await write(ours.tenantId, "test_one");
    await write(ours.tenantId, "test_two");
    await write(ours.tenantId, "test_one");
    await write(theirs.tenantId, "test_one");
    const read = (cursor?: string) =>
      listAudit(services, OPERATOR_CONTEXT, {
        tenantId: ours.tenantId,
        entityId: "test_one",
        cursor,
        limit: 1,
      });
    const first = await read();
    const second = await read(first.nextCursor ?? undefined);
    const entries = [...first.items, ...second.items];
    expect(entries.map((entry) => entry.entityId)).toEqual(["test_one", "test_one"]);
    expect(new Set(entries.map((entry) => entry.auditId)).size).toBe(2);
    expect(second.nextCursor).toBe(null);
  });
});
