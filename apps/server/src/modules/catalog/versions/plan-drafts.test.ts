import { planDraftTerms } from "@turnpike/contract/catalog";
import { planDraft, planVersion } from "@turnpike/contract/plan-versions";
import { SAMPLE_CATALOG } from "@turnpike/domain/catalog/plan";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  contextOf,
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listInstallationAudit } from "#modules/audit/index.ts";
import { getTenant, updateTenant } from "#modules/tenants/index.ts";
import { seedCatalog } from "../apply-catalog.ts";
import { listPlans } from "../list-plans.ts";
import { archivePlan, restorePlan } from "./archive-plan.ts";
import { diffPlanVersions } from "./diff-plan-versions.ts";
import { getPlanVersion, listPlanVersions } from "./list-plan-versions.ts";
import { getPlanDraft, listPlanDrafts } from "./read-plan-drafts.ts";
import { deletePlanDraft, publishPlanDraft, putPlanDraft } from "./write-plan-draft.ts";

let database: TestDatabase;
let services: TestServices;
beforeEach(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  await seedCatalog(services, OPERATOR_CONTEXT, SAMPLE_CATALOG);
});
afterEach(() => database.close());

const READER = contextOf({ type: "service_key", id: "svc_1", scopes: ["catalog:read"] });

function phases(unitAmount: string, limit = "100") {
  const price = { model: "per_unit" as const, unitAmount };
  const entitlement = { kind: "soft" as const, limit };
  return [
    {
      rateCards: [{ key: "calls", meter: "requests", interval: { month: 1 }, price, entitlement }],
    },
  ];
}

function termsOf(terms: Record<string, unknown> = {}) {
  return planDraftTerms.parse({ name: "Pro", phases: phases("0.002"), ...terms });
}

const put = (terms: Record<string, unknown> = {}, expectedRevision?: string, planId = "pro") =>
  putPlanDraft(services, OPERATOR_CONTEXT, { planId, terms: termsOf(terms), expectedRevision });
const publish = (planId = "pro", expectedRevision?: string) =>
  publishPlanDraft(services, OPERATOR_CONTEXT, { planId, expectedRevision });
const get = (planId = "pro") => getPlanDraft(services, READER, { planId });

async function auditedActions(): Promise<string[]> {
  const { items } = await listInstallationAudit(services, OPERATOR_CONTEXT, { limit: 100 });
  return items
    .filter(({ entityType }) => entityType === "plan" || entityType === "coupon")
    .map(({ action, entityId }) => `${action} ${entityId}`)
    .toReversed();
}

describe("a draft", () => {
  it("is stored with its faults, and refused for them when it is published", async () => {
    const saved = await put({ phases: phases("0.002", "1.5"), pricePerMonth: "5" });
    expect(planDraft.parse(saved)).toEqual(saved);
    expect(saved.faults.map(({ pointer }) => pointer)).toEqual([
      "/pricePerMonth",
      "/phases/0/rateCards/0/entitlement/limit",
    ]);
    expect(await get()).toEqual(saved);
    expect(await refusalOf(publish())).toMatchObject({
      code: "INVALID_REQUEST",
      errors: saved.faults,
    });
    expect(await get()).toEqual(saved);
    expect(await listPlanVersions(services, READER, { planId: "pro", limit: 10 })).toMatchObject({
      items: [{ version: 1 }],
    });
  });

  it("becomes the next version, which subscribers get only when they are moved", async () => {
    await updateTenantTo("pro");
    await put();
    const published = await publish();
    expect(planVersion.parse(published)).toEqual(published);
    expect(published).toMatchObject({
      version: 2,
      phases: phases("0.002"),
      pricePerMonth: "0",
      quotas: [{ meter: "requests", limit: 100, kind: "soft" }],
    });
    expect((await refusalOf(get())).code).toBe("RESOURCE_NOT_FOUND");
    const versionsOf = await database.sql`
      select distinct plan_version from tenant_entitlements where plan_id = 'pro'`;
    expect([...versionsOf]).toEqual([{ plan_version: 1 }]);
  });

  async function updateTenantTo(planId: string) {
    const { tenantId } = await createTestTenant(services);
    await updateTenant(services, OPERATOR_CONTEXT, { tenantId, planId });
    return tenantId;
  }

  it("that equals the newest version publishes nothing and is deleted", async () => {
    await put();
    await publish();
    await put();
    expect(await publish()).toMatchObject({ version: 2 });
    expect((await listPlanDrafts(services, READER)).items).toEqual([]);
    expect(await auditedActions()).toEqual([
      "plan.published free",
      "plan.published pro",
      "plan.published scale",
      "plan.made_default free",
      "plan.draft_saved pro",
      "plan.published pro",
      "plan.draft_saved pro",
    ]);
  });

  it("of a plan that is not there makes it", async () => {
    await put({ name: "New" }, "0", "new");
    expect((await listPlanDrafts(services, READER)).items).toMatchObject([
      { planId: "new", name: "New", isNew: true, updatedBy: "test" },
    ]);
    expect(await publish("new")).toMatchObject({ planId: "new", version: 1 });
  });

  it("is not overwritten by who has not seen it, even when it was deleted and made again", async () => {
    const first = await put({}, "0");
    expect(await refusalOf(put({}, "0"))).toMatchObject({
      code: "CONFLICT",
      extensions: { revision: first.revision },
    });
    const second = await put({ name: "Pro 2" }, first.revision);
    expect((await refusalOf(publish("pro", first.revision))).code).toBe("CONFLICT");
    const remove = (expectedRevision: string) =>
      deletePlanDraft(services, OPERATOR_CONTEXT, { planId: "pro", expectedRevision });
    expect((await refusalOf(remove(first.revision))).code).toBe("CONFLICT");
    await remove(second.revision);
    const third = await put();
    expect([first.revision, second.revision]).not.toContain(third.revision);
    expect((await refusalOf(remove(second.revision))).code).toBe("CONFLICT");
  });

  it("has one winner when several save it at once from one revision", async () => {
    const { revision } = await put();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, (_, index) => put({ name: `Pro ${String(index)}` }, revision)),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("of a plan cannot become an add-on, which tenants have as what it is", async () => {
    const { faults } = await put({ isAddOn: true });
    expect(faults.map(({ pointer }) => pointer)).toEqual(["/isAddOn"]);
  });

  it("needs catalog:write to be changed, and catalog:read to be seen", async () => {
    const unscoped = contextOf({ type: "service_key", id: "svc_2", scopes: ["usage:read"] });
    const refusals = [
      refusalOf(putPlanDraft(services, READER, { planId: "pro", terms: termsOf() })),
      refusalOf(publishPlanDraft(services, READER, { planId: "pro" })),
      refusalOf(deletePlanDraft(services, READER, { planId: "pro" })),
      refusalOf(archivePlan(services, READER, { planId: "pro" })),
      refusalOf(getPlanDraft(services, unscoped, { planId: "pro" })),
      refusalOf(listPlanVersions(services, unscoped, { planId: "pro", limit: 1 })),
      refusalOf(diffPlanVersions(services, unscoped, { planId: "pro", from: 1, to: 1 })),
    ];
    for (const refusal of refusals) {
      expect((await refusal).code).toBe("INSUFFICIENT_SCOPE");
    }
  });
});

describe("versions", () => {
  it("are listed newest first, page by page, and got one by one", async () => {
    for (const price of ["0.1", "0.2", "0.3"]) {
      await put({ phases: phases(price) });
      await publish();
    }
    const page = await listPlanVersions(services, READER, { planId: "pro", limit: 3 });
    expect(page.items.map(({ version }) => version)).toEqual([4, 3, 2]);
    const cursor = page.nextCursor ?? expect.fail("there is a second page");
    const rest = await listPlanVersions(services, READER, { planId: "pro", limit: 3, cursor });
    expect(rest).toMatchObject({ items: [{ version: 1, pricePerMonth: "49" }], nextCursor: null });
    const third = await getPlanVersion(services, READER, { planId: "pro", version: 3 });
    expect(third).toEqual(page.items[1]);
    const missing = getPlanVersion(services, READER, { planId: "pro", version: 5 });
    expect((await refusalOf(missing)).code).toBe("RESOURCE_NOT_FOUND");
    const unknown = listPlanVersions(services, READER, { planId: "none", limit: 3 });
    expect((await refusalOf(unknown)).code).toBe("RESOURCE_NOT_FOUND");
  });

  it("differ in sentences, from each other and from the draft", async () => {
    await put();
    await publish();
    await put({ phases: phases("0.0015") });
    const diff = (from: number | "draft", to: number | "draft") =>
      diffPlanVersions(services, READER, { planId: "pro", from, to });
    expect(await diff(2, "draft")).toEqual({
      items: [
        {
          path: "/phases/0/rateCards/calls/price/unitAmount",
          kind: "changed",
          before: "0.002",
          after: "0.0015",
          text: "calls: unit price 0.002 → 0.0015",
        },
      ],
    });
    expect((await diff(1, 2)).items.map(({ text }) => text)).toContain(
      "base removed, was 49 every month",
    );
    expect((await diff(2, 2)).items).toEqual([]);
    expect((await refusalOf(diff(9, 2))).code).toBe("RESOURCE_NOT_FOUND");
  });
});

describe("an archived plan", () => {
  it("is offered to no one, and its subscribers keep it until it is offered again", async () => {
    const { tenantId } = await createTestTenant(services, "Has it");
    await updateTenant(services, OPERATOR_CONTEXT, { tenantId, planId: "pro" });
    const archived = await archivePlan(services, OPERATOR_CONTEXT, { planId: "pro" });
    expect(archived.archivedAt).not.toBeNull();
    services.clock.advance(60_000);
    expect(await archivePlan(services, OPERATOR_CONTEXT, { planId: "pro" })).toEqual(archived);

    const shown = (await listPlans(services, undefined)).items.map(({ planId }) => planId);
    expect(shown).toEqual(["free", "scale"]);
    expect((await listPlans(services, READER)).items).toHaveLength(3);
    expect((await getTenant(services, OPERATOR_CONTEXT, { tenantId })).planId).toBe("pro");
    // Its subscribers still get its versions.
    await put();
    await publish();
    const moved = await updateTenant(services, OPERATOR_CONTEXT, { tenantId, planId: "pro" });
    expect(moved.planVersion).toBe(2);

    const other = await createTestTenant(services, "Wants it");
    const wants = () =>
      updateTenant(services, OPERATOR_CONTEXT, { tenantId: other.tenantId, planId: "pro" });
    expect(await refusalOf(wants())).toMatchObject({
      code: "INVALID_REQUEST",
      errors: [{ pointer: "/planId" }],
    });
    await restorePlan(services, OPERATOR_CONTEXT, { planId: "pro" });
    expect((await wants()).planId).toBe("pro");
    const actions = await auditedActions();
    expect(actions.filter((action) => /archived|restored/.test(action))).toEqual([
      "plan.archived pro",
      "plan.restored pro",
    ]);
  });

  it("is never the default plan", async () => {
    const refusal = await refusalOf(archivePlan(services, OPERATOR_CONTEXT, { planId: "free" }));
    expect(refusal.code).toBe("CONFLICT");
    const unknown = await refusalOf(archivePlan(services, OPERATOR_CONTEXT, { planId: "none" }));
    expect(unknown.code).toBe("RESOURCE_NOT_FOUND");
  });
});
