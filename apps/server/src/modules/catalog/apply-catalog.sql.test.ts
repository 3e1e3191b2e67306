import { catalogInput, meterInput, plan as planShape } from "@turnpike/contract/catalog";
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
import { applyCatalog, seedCatalog } from "./apply-catalog.ts";
import type { CatalogChange } from "./catalog-change.ts";
import { createMeter } from "./create-meter.ts";
import { listMeters, listMeterVersions } from "./list-meters.ts";
import { listPlans } from "./list-plans.ts";
import { updateMeter } from "./update-meter.ts";

// A catalogue belongs to the whole installation, so each case has a database of its own.
let database: TestDatabase;
let services: TestServices;
beforeEach(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
});
afterEach(() => database.close());

const apply = (input: CatalogChange) => applyCatalog(services, OPERATOR_CONTEXT, input);
const sample = () => catalogInput.parse(structuredClone(SAMPLE_CATALOG));

function withPrice(planId: string, pricePerMonth: string): CatalogChange {
  const catalog = sample();
  return {
    ...catalog,
    plans: catalog.plans.map((plan) =>
      plan.planId === planId ? { ...plan, pricePerMonth } : plan,
    ),
  };
}

async function countVersions(): Promise<number> {
  const [row] = await database.sql<{ count: number }[]>`
    select count(*)::int as count from plan_versions`;
  return row?.count ?? 0;
}

describe("applyCatalog", () => {
  it("publishes every plan of an empty database as version 1, with its default", async () => {
    const { published } = await apply(sample());
    expect(published).toEqual([
      { planId: "free", version: 1 },
      { planId: "pro", version: 1 },
      { planId: "scale", version: 1 },
    ]);
    const { items } = await listPlans(services, OPERATOR_CONTEXT);
    expect(items.map((plan) => planShape.parse(plan).planId)).toEqual(["free", "pro", "scale"]);
    expect(items.filter((plan) => plan.isDefault).map((plan) => plan.planId)).toEqual(["free"]);
  });

  it("changes nothing when it is applied again", async () => {
    await apply(sample());
    expect(await apply(sample())).toEqual({
      published: [],
      publishedMeters: [],
      changedCoupons: [],
      newDefaultPlanId: null,
    });
    expect(await countVersions()).toBe(3);
  });

  it("gives a changed plan a new version, which tenants get only when they are moved", async () => {
    const { tenantId } = await createTestTenant(services);
    expect(await apply(withPrice("free", "1"))).toEqual({
      published: [{ planId: "free", version: 2 }],
      publishedMeters: [],
      changedCoupons: [],
      newDefaultPlanId: null,
    });
    const tenant = await getTenant(services, OPERATOR_CONTEXT, { tenantId });
    expect(tenant.planVersion).toBe(1);
    const moved = await updateTenant(services, OPERATOR_CONTEXT, { tenantId, planId: "free" });
    expect(moved.planVersion).toBe(2);
    const later = await createTestTenant(services, "Later");
    expect((await getTenant(services, OPERATOR_CONTEXT, later)).planVersion).toBe(2);
  });

  it("keeps plans that are not named", async () => {
    await apply(sample());
    const { plans } = sample();
    const pro = plans.filter((plan) => plan.planId === "pro");
    await apply({ meters: [], plans: pro.map((plan) => ({ ...plan, name: "Pro 2" })) });
    const { items } = await listPlans(services, OPERATOR_CONTEXT);
    expect(items.map((plan) => [plan.planId, plan.version, plan.isDefault])).toEqual([
      ["free", 1, true],
      ["pro", 2, false],
      ["scale", 1, false],
    ]);
  });

  it("changes the default plan", async () => {
    await apply(sample());
    expect(await apply({ ...sample(), defaultPlanId: "pro" })).toEqual({
      published: [],
      publishedMeters: [],
      changedCoupons: [],
      newDefaultPlanId: "pro",
    });
    const { items } = await listPlans(services, OPERATOR_CONTEXT);
    expect(items.filter((plan) => plan.isDefault).map((plan) => plan.planId)).toEqual(["pro"]);
    await apply({ ...sample(), defaultPlanId: "pro" });
    const trail = await listInstallationAudit(services, OPERATOR_CONTEXT, { limit: 100 });
    expect(
      trail.items
        .filter(({ action }) => action === "plan.made_default")
        .map(({ entityId, details }) => [entityId, details["defaultPlanId"]]),
    ).toEqual([
      ["pro", ["free", "pro"]],
      ["free", [null, "free"]],
    ]);
  });

  it("refuses a quota of an unknown meter, points at it, and writes nothing", async () => {
    const catalog = sample();
    const [free, ...rest] = catalog.plans;
    const quotas = [...(free?.quotas ?? []), { meter: "tokens", limit: 5, kind: "hard" as const }];
    const refusal = await refusalOf(apply({ ...catalog, plans: [...rest, { ...free!, quotas }] }));
    expect(refusal).toMatchObject({
      code: "INVALID_REQUEST",
      errors: [{ pointer: "/plans/2/quotas/1/meter", message: "There is no meter tokens." }],
    });
    expect(await countVersions()).toBe(0);
  });

  it("always has the meter requests, whether or not a catalogue lists it", async () => {
    const catalog = sample();
    expect(await apply({ ...catalog, meters: [] })).toMatchObject({
      published: [{ planId: "free" }, { planId: "pro" }, { planId: "scale" }],
      publishedMeters: [{ meterId: "requests", version: 1 }],
    });
    const { items } = await listMeters(services, OPERATOR_CONTEXT);
    expect(items).toEqual([{ ...catalog.meters[0], version: 1 }]);
    expect((await apply({ ...catalog, meters: [] })).publishedMeters).toEqual([]);
  });

  it("refuses an event type for the meter requests, which counts calls, even before it exists", async () => {
    const [requests] = sample().meters;
    const meters = [{ ...requests!, eventType: "api.call" }];
    expect(await refusalOf(apply({ ...sample(), meters }))).toMatchObject({
      code: "INVALID_REQUEST",
      errors: [{ pointer: "/meters/0/eventType" }],
    });
    expect(await countVersions()).toBe(0);
  });

  it("names every wrong quota and meter at once", async () => {
    await apply(sample());
    const [requests] = sample().meters;
    const [free, pro] = sample().plans;
    const hard = (meter: string) => [{ meter, limit: 5, kind: "hard" as const }];
    const plans = [
      { ...free!, quotas: hard("tokens") },
      { ...pro!, quotas: hard("images") },
    ];
    const meters = [{ ...requests!, aggregation: "sum" as const }];
    expect(await refusalOf(apply({ meters, plans }))).toMatchObject({
      errors: [
        { pointer: "/plans/0/quotas/0/meter" },
        { pointer: "/plans/1/quotas/0/meter" },
        { pointer: "/meters/0/aggregation" },
      ],
    });
  });

  it("accepts a quota of a meter that already exists", async () => {
    await apply(sample());
    expect(await apply({ ...withPrice("pro", "50"), meters: [] })).toMatchObject({
      published: [{ planId: "pro" }],
    });
  });

  it("refuses to count a meter in another way than the ledger already has", async () => {
    await apply(sample());
    const [requests] = sample().meters;
    const refusal = await refusalOf(
      apply({ ...sample(), meters: [{ ...requests!, aggregation: "sum" }] }),
    );
    expect(refusal).toMatchObject({
      code: "INVALID_REQUEST",
      errors: [{ pointer: "/meters/0/aggregation" }],
    });
    const renamed = { ...sample(), meters: [{ ...requests!, name: "Calls", unit: "call" }] };
    expect(await apply(renamed)).toEqual({
      published: [],
      publishedMeters: [{ meterId: "requests", version: 2 }],
      changedCoupons: [],
      newDefaultPlanId: null,
    });
    expect(await listMeters(services)).toEqual({
      items: [{ ...requests, name: "Calls", unit: "call" }],
    });
  });

  it("publishes one version when ten apply the same change at once", async () => {
    await apply(sample());
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => apply(withPrice("pro", "99"))),
    );
    expect(outcomes.flatMap((outcome) => outcome.published)).toEqual([
      { planId: "pro", version: 2 },
    ]);
  });

  it("numbers versions without gaps when different changes race", async () => {
    await apply(sample());
    await Promise.all(
      Array.from({ length: 10 }, (_, index) => apply(withPrice("pro", String(100 + index)))),
    );
    const rows = await database.sql<{ version: number }[]>`
      select version from plan_versions where plan_id = 'pro' order by version`;
    expect(rows.map((row) => row.version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  it("never changes a published version", async () => {
    await apply(sample());
    const before = await database.sql`select * from plan_versions order by plan_id, version`;
    await apply(withPrice("free", "1"));
    const after = await database.sql`
      select * from plan_versions where version = 1 order by plan_id, version`;
    expect([...after]).toEqual([...before]);
  });

  it("needs catalog:write", async () => {
    const context = contextOf({ type: "service_key", id: "svc_1", scopes: ["catalog:read"] });
    const refusal = await refusalOf(applyCatalog(services, context, sample()));
    expect(refusal.code).toBe("INSUFFICIENT_SCOPE");
  });
});

describe("seedCatalog", () => {
  it("fills an empty database once, even when several processes start at once", async () => {
    await Promise.all(
      Array.from({ length: 8 }, () => seedCatalog(services, OPERATOR_CONTEXT, sample())),
    );
    expect(await countVersions()).toBe(3);
  });

  it("changes nothing in a database that has plans", async () => {
    await apply(withPrice("pro", "7"));
    await seedCatalog(services, OPERATOR_CONTEXT, sample());
    const { items } = await listPlans(services, OPERATOR_CONTEXT);
    expect(items.find((plan) => plan.planId === "pro")?.pricePerMonth).toBe("7");
  });

  it("adds the meter requests to a database that lacks it", async () => {
    await apply({ ...sample(), meters: [] });
    await database.sql`delete from meter_versions`;
    await database.sql`delete from meters`;
    await seedCatalog(services, OPERATOR_CONTEXT, sample());
    const { items } = await listMeters(services, OPERATOR_CONTEXT);
    expect(items.map((meter) => meter.meterId)).toEqual(["requests"]);
  });
});

describe("listPlans", () => {
  it("shows a tenant's key the public plans, and the operator all plans", async () => {
    const catalog = sample();
    await apply({
      ...catalog,
      plans: catalog.plans.map((plan) =>
        plan.planId === "scale" ? { ...plan, visibility: "private" as const } : plan,
      ),
    });
    const { context } = await createTestTenant(services);
    const shown = await listPlans(services, context);
    expect(shown.items.map((plan) => plan.planId)).toEqual(["free", "pro"]);
    expect((await listPlans(services, OPERATOR_CONTEXT)).items).toHaveLength(3);
  });
});

describe("the bounds of meters", () => {
  const meterOf = (meterId: string) =>
    meterInput.parse({ meterId, name: "Meter", unit: "unit", aggregation: "count" });
  const create = (meterId: string) => createMeter(services, OPERATOR_CONTEXT, meterOf(meterId));
  const rename = (meterId: string, name: string) =>
    updateMeter(services, OPERATOR_CONTEXT, { meterId, name });

  it("refuse one meter too many, and still allow changes of existing ones", async () => {
    await apply(sample());
    await database.sql`
      insert into meters (meter_id, version, name, unit, aggregation, dimensions, created_at)
      select 'meter-' || place, 1, 'Meter', 'unit', 'count', '[]', now() from generate_series(2, 999) place`;
    await create("last");
    expect((await listMeters(services)).items).toHaveLength(1_000);
    expect(await refusalOf(create("beyond"))).toMatchObject({ code: "CONFLICT" });
    const catalog = { ...sample(), meters: [meterOf("beyond")] };
    expect(await refusalOf(apply(catalog))).toMatchObject({ code: "CONFLICT" });
    expect(await rename("last", "Renamed")).toMatchObject({ version: 2, name: "Renamed" });
    expect(await apply(sample())).toMatchObject({ published: [], publishedMeters: [] });
  });

  it("refuse one version too many", async () => {
    await create("busy");
    await database.sql`update meters set version = 999 where meter_id = 'busy'`;
    expect(await rename("busy", "The thousandth")).toMatchObject({ version: 1_000 });
    expect(await refusalOf(rename("busy", "Beyond"))).toMatchObject({ code: "CONFLICT" });
    expect(await rename("busy", "The thousandth")).toMatchObject({ version: 1_000 });
  });

  it("hide nothing that is beyond them already", async () => {
    await create("busy");
    await database.sql`
      insert into meter_versions (meter_id, version, name, unit, dimensions, published_at)
      select 'busy', place, 'Meter', 'unit', '[]', now() from generate_series(2, 1200) place`;
    const { items } = await listMeterVersions(services, OPERATOR_CONTEXT, { meterId: "busy" });
    expect(items).toHaveLength(1_200);
  });
});
