import { ROLES } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
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
import { getTenant } from "./get-tenant.ts";
import { updateTenant } from "./update-tenant.ts";

let database: TestDatabase;
let services: TestServices;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
});
afterAll(() => database.close());

const update = (input: Parameters<typeof updateTenant>[2]) =>
  updateTenant(services, OPERATOR_CONTEXT, input);

async function countChanges(tenantId: string): Promise<number> {
  const [row] = await database.sql<{ count: number }[]>`
    select count(*)::int as count from changes where kind = 'tenant' and tenant_id = ${tenantId}`;
  return row?.count ?? 0;
}

async function listNotices(tenantId: TenantId) {
  return await database.sql<{ kind: string; body: string }[]>`
    select kind, body from notifications where tenant_id = ${tenantId} order by notification_id`;
}

describe("updateTenant", () => {
  it("changes the given fields and keeps the rest", async () => {
    const { tenantId } = await createTestTenant(services, "Before");
    const before = await getTenant(services, OPERATOR_CONTEXT, { tenantId });
    const after = await update({ tenantId, name: "After" });
    expect(after).toEqual({ ...before, name: "After" });
    expect(await getTenant(services, OPERATOR_CONTEXT, { tenantId })).toEqual(after);
  });

  it("moves a tenant to another plan, audits both plans, and publishes the change", async () => {
    const { tenantId } = await createTestTenant(services, "Growing");
    const heard = await countChanges(tenantId);
    const after = await update({ tenantId, planId: "pro" });
    expect(after).toMatchObject({ planId: "pro", planVersion: 1 });
    const { items } = await listAudit(services, OPERATOR_CONTEXT, { tenantId, limit: 1 });
    expect(items[0]).toMatchObject({
      action: "tenant.updated",
      details: { plan_id: ["free", "pro"] },
    });
    expect(await countChanges(tenantId)).toBe(heard + 1);
  });

  it("refuses a plan that does not exist", async () => {
    const { tenantId } = await createTestTenant(services);
    const refusal = await refusalOf(update({ tenantId, planId: "nope" }));
    expect(refusal).toMatchObject({ code: "INVALID_REQUEST", errors: [{ pointer: "/planId" }] });
  });

  it("keeps the instant of a suspension through a second one, and lifts it", async () => {
    const { tenantId } = await createTestTenant(services);
    const first = await update({ tenantId, suspended: true });
    expect(first.suspendedAt).toBe(services.clock.now().toISOString());
    services.clock.advance(60_000);
    expect((await update({ tenantId, suspended: true })).suspendedAt).toBe(first.suspendedAt);
    expect((await update({ tenantId, name: "Still" })).suspendedAt).toBe(first.suspendedAt);
    expect((await update({ tenantId, suspended: false })).suspendedAt).toBeNull();
  });

  it("tells members why they are suspended, of a new reason once, and of the end", async () => {
    const { tenantId } = await createTestTenant(services);
    const reason = "Invoice of May unpaid.";
    const suspended = await update({ tenantId, suspended: true, suspensionReason: reason });
    expect(suspended.suspensionReason).toBe(reason);
    await update({ tenantId, suspended: true, suspensionReason: reason });
    await update({ tenantId, suspensionReason: "A leaked key." });
    const resumed = await update({ tenantId, suspended: false });
    expect(resumed.suspensionReason).toBeUndefined();
    await update({ tenantId, suspended: false });
    const notices = await listNotices(tenantId);
    expect(notices.map(({ kind }) => kind)).toEqual([
      "tenant.suspended",
      "tenant.suspended",
      "tenant.resumed",
    ]);
    expect(notices[0]?.body).toContain(`“${reason}”`);
    expect(notices[1]?.body).toContain("“A leaked key.”");
    const { items } = await listAudit(services, OPERATOR_CONTEXT, { tenantId, limit: 5 });
    expect(items.map(({ details }) => details)).toEqual([
      {},
      { suspended: [true, false] },
      { reason: "A leaked key." },
      {},
      { suspended: [false, true], reason },
    ]);
    const refusal = await refusalOf(update({ tenantId, suspensionReason: reason }));
    expect(refusal).toMatchObject({ errors: [{ pointer: "/suspensionReason" }] });
  });

  it("tells members of a plan that the operator changed, by its name, and not of the plan they have", async () => {
    const { tenantId } = await createTestTenant(services);
    await update({ tenantId, planId: "free" });
    await update({ tenantId, planId: "pro" });
    await update({ tenantId, planId: "pro" });
    expect([...(await listNotices(tenantId))]).toEqual([
      {
        kind: "tenant.plan_changed",
        body: "The operator moved your tenant from Free to Pro. Its limits hold already, and what was used in this period still counts.",
      },
    ]);
  });

  it("refuses another tenant's slug without naming that tenant", async () => {
    const { ours, theirs } = await createTwoTenants(services);
    const { slug } = await getTenant(services, OPERATOR_CONTEXT, theirs);
    const refusal = await refusalOf(update({ tenantId: ours.tenantId, slug }));
    expect(refusal).toMatchObject({ code: "ALREADY_EXISTS", errors: [{ pointer: "/slug" }] });
    expect(JSON.stringify(refusal)).not.toContain(theirs.tenantId);
  });

  it("refuses a tenant that does not exist", async () => {
    const refusal = await refusalOf(update({ tenantId: services.newId("tenant"), name: "X" }));
    expect(refusal.code).toBe("RESOURCE_NOT_FOUND");
  });

  it("loses neither of two simultaneous changes of different fields", async () => {
    const { tenantId } = await createTestTenant(services, "Both");
    await Promise.all([
      update({ tenantId, name: "Renamed" }),
      update({ tenantId, planId: "scale" }),
    ]);
    expect(await getTenant(services, OPERATOR_CONTEXT, { tenantId })).toMatchObject({
      name: "Renamed",
      planId: "scale",
    });
  });

  it("is refused to the tenant's own keys", async () => {
    const { ours, theirs } = await createTwoTenants(services);
    const attempt = (tenantId: TenantId) =>
      refusalOf(updateTenant(services, ours.context, { tenantId, suspended: false }));
    expect((await attempt(ours.tenantId)).code).toBe("INSUFFICIENT_SCOPE");
    const other = await attempt(theirs.tenantId);
    const missing = await attempt(services.newId("tenant"));
    expect(other).toMatchObject({ code: "RESOURCE_NOT_FOUND", message: missing.message });
  });

  it("lets only owners and admins change name and slug", async () => {
    const { tenantId } = await createTestTenant(services, "Roles");
    for (const role of ROLES) {
      const { context } = await createTestUser(services, { roles: [[tenantId, role]] });
      const work = updateTenant(services, context, { tenantId, name: role, slug: `s-${role}` });
      if (role === "owner" || role === "admin") {
        expect(await work).toMatchObject({ name: role, slug: `s-${role}`, role });
      } else {
        expect((await refusalOf(work)).code).toBe("INSUFFICIENT_SCOPE");
      }
    }
  });

  it("lets no owner lift a suspension or change the plan", async () => {
    const { tenantId } = await createTestTenant(services, "Eager");
    const { context } = await createTestUser(services, { roles: [[tenantId, "owner"]] });
    for (const change of [
      { suspended: false },
      { suspensionReason: "None" },
      { planId: "scale" },
    ]) {
      const refusal = await refusalOf(updateTenant(services, context, { tenantId, ...change }));
      expect(refusal.code).toBe("INSUFFICIENT_SCOPE");
    }
    const operator = await createTestUser(services, { isOperator: true });
    const updated = await updateTenant(services, operator.context, { tenantId, planId: "scale" });
    expect(updated).toMatchObject({ planId: "scale", role: null });
  });
});
