import { SAMPLE_CATALOG } from "@turnpike/domain/catalog/plan";
import type { TermsOverrides } from "@turnpike/domain/entitlements/entitlement";
import { STANDINGS } from "@turnpike/domain/entitlements/standing";
import { toId } from "@turnpike/domain/ids/ids";
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
import { applyCatalog } from "#modules/catalog/index.ts";
import { deleteTenant } from "#modules/tenants/index.ts";
import { newUuidId } from "#platform/new-id.ts";
import { changePlan } from "./change-plan.ts";
import { createEntitlementDirectory } from "./entitlement-directory.ts";
import { findEntitlement, listEntitlements } from "./entitlements.store.ts";
import { getEntitlement } from "./get-entitlement.ts";
import { setStanding } from "./set-standing.ts";

let database: TestDatabase;
let services: TestServices;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
});
afterAll(() => database.close());

async function countChanges(tenantId: string): Promise<number> {
  const [row] = await database.sql<{ count: number }[]>`
    select count(*)::int as count from changes where tenant_id = ${tenantId}`;
  return row?.count ?? 0;
}

async function lastAudit(tenantId: string) {
  const id = toId("tenant", tenantId.slice(4));
  const { items } = await listAudit(services, OPERATOR_CONTEXT, { tenantId: id, limit: 1 });
  return items[0];
}

describe("an entitlement", () => {
  it("of a new tenant is the default plan, counted by months from the start of this one, and current", async () => {
    const { tenantId } = await createTestTenant(services);
    const now = services.clock.now();
    expect(await getEntitlement(services, OPERATOR_CONTEXT, { tenantId })).toEqual({
      tenantId,
      suspended: false,
      standing: "current",
      planId: "free",
      planVersion: 1,
      terms: expect.objectContaining({ quotas: SAMPLE_CATALOG.plans[0]?.quotas }),
      periodAnchor: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)),
      periodUnit: "month",
    });
  });

  it("has the tenant's own limits instead of the plan's", async () => {
    const { tenantId } = await createTestTenant(services);
    const quotas = [{ meter: "requests", limit: 7, kind: "hard" as const }];
    const overrides: TermsOverrides = { quotas };
    await database.sql`
      update tenant_entitlements set overrides = ${database.sql.json(overrides)} where tenant_id = ${tenantId}`;
    const { terms } = await getEntitlement(services, OPERATOR_CONTEXT, { tenantId });
    expect(terms).toMatchObject({ name: "Free", quotas });
    expect(terms.rateLimits).toEqual(SAMPLE_CATALOG.plans[0]?.rateLimits);
  });

  it("counts periods of several units", async () => {
    const { tenantId } = await createTestTenant(services);
    await database.sql`
      update tenant_entitlements set period_unit = 'week', period_every = 2 where tenant_id = ${tenantId}`;
    const { periodUnit } = await getEntitlement(services, OPERATOR_CONTEXT, { tenantId });
    expect(periodUnit).toEqual({ every: 2, unit: "week" });
  });

  it("is read by its own tenant alone, and written by no tenant", async () => {
    const { ours, theirs } = await createTwoTenants(services);
    const asOurs = services.transact.asTenant;
    const seen = await asOurs(ours.tenantId, (tx) =>
      listEntitlements(tx, [ours.tenantId, theirs.tenantId]),
    );
    expect(seen.map(({ tenantId }) => tenantId)).toEqual([ours.tenantId]);
    const refusal = await refusalOf(getEntitlement(services, ours.context, theirs));
    expect(refusal.code).toBe("RESOURCE_NOT_FOUND");
    await expect(
      asOurs(ours.tenantId, (tx) => tx`update tenant_entitlements set standing = 'current'`),
    ).rejects.toThrow("permission denied");
  });

  it("of a deleted tenant is not there", async () => {
    const { tenantId } = await createTestTenant(services, "Gone");
    await deleteTenant(services, OPERATOR_CONTEXT, { tenantId, name: "Gone" });
    const found = await services.transact.asOperator((tx) => findEntitlement(tx, tenantId));
    expect(found).toBeUndefined();
    const input = { tenantId, planId: "pro" };
    expect((await refusalOf(changePlan(services, OPERATOR_CONTEXT, input))).code).toBe(
      "RESOURCE_NOT_FOUND",
    );
  });
});

describe("changePlan", () => {
  it("moves a tenant to the newest version of a plan, and records and publishes the change", async () => {
    const { tenantId } = await createTestTenant(services);
    const published = await countChanges(tenantId);
    await changePlan(services, OPERATOR_CONTEXT, { tenantId, planId: "pro" });
    expect(await getEntitlement(services, OPERATOR_CONTEXT, { tenantId })).toMatchObject({
      planId: "pro",
      terms: { name: "Pro" },
    });
    expect(await lastAudit(tenantId)).toMatchObject({
      action: "tenant.updated",
      details: { plan_id: ["free", "pro"] },
    });
    expect(await countChanges(tenantId)).toBe(published + 1);
  });

  it("changes, records and publishes nothing for the version that the tenant has", async () => {
    const { tenantId } = await createTestTenant(services);
    await changePlan(services, OPERATOR_CONTEXT, { tenantId, planId: "pro" });
    const [published, entry] = [await countChanges(tenantId), await lastAudit(tenantId)];
    await changePlan(services, OPERATOR_CONTEXT, { tenantId, planId: "pro" });
    expect(await countChanges(tenantId)).toBe(published);
    expect(await lastAudit(tenantId)).toEqual(entry);
  });

  it("takes up a version published since", async () => {
    const { tenantId } = await createTestTenant(services);
    await changePlan(services, OPERATOR_CONTEXT, { tenantId, planId: "scale" });
    const [scale] = SAMPLE_CATALOG.plans.filter(({ planId }) => planId === "scale");
    const plan = { ...(scale ?? expect.fail()), pricePerMonth: "599" };
    await applyCatalog(services, OPERATOR_CONTEXT, { meters: [], plans: [plan] });
    const read = () => getEntitlement(services, OPERATOR_CONTEXT, { tenantId });
    expect(await read()).toMatchObject({ planVersion: 1, terms: { pricePerMonth: "499" } });
    await changePlan(services, OPERATOR_CONTEXT, { tenantId, planId: "scale" });
    expect(await read()).toMatchObject({ planVersion: 2, terms: { pricePerMonth: "599" } });
    expect((await lastAudit(tenantId))?.details).toEqual({ plan_version: [1, 2] });
  });

  it("is refused to the tenant itself, for an unknown plan, and for an unknown tenant", async () => {
    const { tenantId, context } = await createTestTenant(services);
    const codeOf = async (...call: [typeof context, Parameters<typeof changePlan>[2]]) =>
      (await refusalOf(changePlan(services, ...call))).code;
    expect(await codeOf(context, { tenantId, planId: "pro" })).toBe("INSUFFICIENT_SCOPE");
    expect(await codeOf(OPERATOR_CONTEXT, { tenantId, planId: "nope" })).toBe("INVALID_REQUEST");
    const unknown = { tenantId: newUuidId("tenant"), planId: "pro" };
    expect(await codeOf(OPERATOR_CONTEXT, unknown)).toBe("RESOURCE_NOT_FOUND");
  });
});

describe("setStanding", () => {
  it.each(STANDINGS)("stores %s", async (standing) => {
    const { tenantId } = await createTestTenant(services);
    await setStanding(services, OPERATOR_CONTEXT, { tenantId, standing });
    const entitlement = await getEntitlement(services, OPERATOR_CONTEXT, { tenantId });
    expect(entitlement.standing).toBe(standing);
  });

  it("records and publishes a change, and nothing when the standing stays", async () => {
    const { tenantId } = await createTestTenant(services);
    const published = await countChanges(tenantId);
    const system = contextOf({ type: "system", id: "billing.dunning" });
    await setStanding(services, system, { tenantId, standing: "blocked" });
    const entry = await lastAudit(tenantId);
    expect(entry).toMatchObject({
      actorType: "system",
      action: "tenant.standing_changed",
      details: { standing: ["current", "blocked"] },
    });
    await setStanding(services, system, { tenantId, standing: "blocked" });
    expect(await lastAudit(tenantId)).toEqual(entry);
    expect(await countChanges(tenantId)).toBe(published + 1);
  });

  it("is refused to the tenant itself and for an unknown tenant", async () => {
    const { tenantId, context } = await createTestTenant(services);
    const own = { tenantId, standing: "current" } as const;
    expect((await refusalOf(setStanding(services, context, own))).code).toBe("INSUFFICIENT_SCOPE");
    const unknown = { tenantId: newUuidId("tenant"), standing: "blocked" } as const;
    expect((await refusalOf(setStanding(services, OPERATOR_CONTEXT, unknown))).code).toBe(
      "RESOURCE_NOT_FOUND",
    );
  });
});

describe("the entitlement directory", () => {
  const { monotonicMs } = { monotonicMs: () => 0 };

  it("answers from memory after the first load, until the tenant changes", async () => {
    const { tenantId } = await createTestTenant(services);
    const directory = createEntitlementDirectory({ transact: services.transact, monotonicMs });
    expect(directory.peek(tenantId)).toBeUndefined();
    const loaded = await directory.load(tenantId);
    expect(directory.peek(tenantId)).toBe(loaded);
    await setStanding(services, OPERATOR_CONTEXT, { tenantId, standing: "capped" });
    directory.applyChange({ kind: "tenant", tenantId, entityId: tenantId, revision: 1n });
    expect(directory.peek(tenantId)).toBeUndefined();
    expect(await directory.load(tenantId)).toMatchObject({ standing: "capped" });
  });

  it("drops every record when changes were missed, and remembers unknown tenants", async () => {
    const { tenantId } = await createTestTenant(services);
    const directory = createEntitlementDirectory({ transact: services.transact, monotonicMs });
    await directory.load(tenantId);
    directory.applyChange({ kind: "reset" });
    expect(directory.peek(tenantId)).toBeUndefined();
    const unknown = newUuidId("tenant");
    expect(await directory.load(unknown)).toBeNull();
    expect(directory.peek(unknown)).toBeNull();
  });
});
