import { catalogInput, plan as planShape } from "@turnpike/contract/catalog";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTenant, updateTenant } from "#modules/tenants/index.ts";
import { applyCatalog } from "./apply-catalog.ts";
import { deleteMeter } from "./delete-meter.ts";
import { listMeters } from "./list-meters.ts";
import { listPlans } from "./list-plans.ts";

let database: TestDatabase;
let services: TestServices;
beforeEach(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
});
afterEach(() => database.close());

const METERS = [
  { meterId: "calls", name: "Calls", unit: "call", aggregation: "count", eventType: "call" },
  {
    meterId: "sold",
    name: "Sold",
    unit: "dollar",
    aggregation: "sum",
    eventType: "sold",
    valuePointer: "/amount",
    valueMax: "1000.50",
  },
];
const PHASES = [
  {
    name: "Trial",
    duration: { days: 14 },
    rateCards: [{ key: "calls", meter: "calls", entitlement: { kind: "hard", limit: "100" } }],
  },
  {
    rateCards: [
      {
        key: "base",
        price: { model: "flat", amount: "120" },
        interval: { year: 1 },
        timing: "advance",
      },
      {
        key: "sold",
        meter: "sold",
        price: { model: "percentage", rate: "2.5" },
        interval: { month: 1 },
      },
    ],
  },
];
const FREE = { planId: "free", name: "Free" };
const PRO = { planId: "pro", name: "Pro", currency: "EUR", phases: PHASES };

function apply(change: Record<string, unknown> = {}) {
  const input = { meters: METERS, plans: [FREE, PRO], defaultPlanId: "free", ...change };
  return applyCatalog(services, OPERATOR_CONTEXT, catalogInput.parse(input));
}

describe("a plan with phases", () => {
  it("is published with what its phases come to, and applied again it changes nothing", async () => {
    expect((await apply()).published).toHaveLength(2);
    const { items } = await listPlans(services, OPERATOR_CONTEXT);
    expect(planShape.parse(items.find(({ planId }) => planId === "pro"))).toMatchObject({
      phases: PHASES,
      pricePerMonth: "10",
      quotas: [{ meter: "calls", limit: 100, kind: "hard" }],
      isAddOn: false,
      archivedAt: null,
    });
    expect(planShape.parse(items.find(({ planId }) => planId === "free"))).toMatchObject({
      phases: [{ rateCards: [] }],
    });
    const again = await apply();
    expect(again).toEqual({
      published: [],
      publishedMeters: [],
      changedCoupons: [],
      newDefaultPlanId: null,
    });
  });

  it("that cannot be billed is refused with a sentence for each fault, and nothing is written", async () => {
    const tiers = [{ upTo: "5" }, { upTo: "5" }];
    const price = { model: "graduated", tiers };
    const rateCards = [{ key: "calls", meter: "calls", interval: { month: 1 }, price }];
    const plans = [FREE, { ...PRO, phases: [{ rateCards }] }];
    expect(await refusalOf(apply({ plans }))).toMatchObject({
      code: "INVALID_REQUEST",
      errors: [
        {
          pointer: "/plans/1/phases/0/rateCards/0/price/tiers/1/upTo",
          message: "Give the last tier upTo null, so that every quantity is in a tier.",
        },
        { message: "Give each tier a higher bound than the one before it." },
      ],
    });
    expect(await database.sql`select from plan_versions`).toHaveLength(0);
  });

  it("keeps the meters that its cards name", async () => {
    await apply();
    const deps = { ...services, isMeterUsed: () => Promise.resolve(false) };
    const remove = (meterId: string) => deleteMeter(deps, OPERATOR_CONTEXT, { meterId });
    expect(await remove("sold")).toBe("in a plan");
    expect(await remove("requests")).toBe("deleted");
  });

  it("takes the place of a price and quotas, which cannot be given beside phases", () => {
    const quotas = [{ meter: "calls", limit: 1, kind: "hard" }];
    const plan = { ...PRO, pricePerMonth: "5", quotas };
    const parsed = catalogInput.safeParse({ meters: METERS, plans: [plan] });
    expect(parsed.error?.issues.map(({ path }) => path.join("/"))).toEqual([
      "plans/0/quotas",
      "plans/0/pricePerMonth",
    ]);
  });
});

describe("the highest value of a meter", () => {
  it("is stored as one number, however it is written, and stays", async () => {
    await apply();
    const { items } = await listMeters(services, OPERATOR_CONTEXT);
    expect(items.find(({ meterId }) => meterId === "sold")?.valueMax).toBe("1000.5");
    const sold = (valueMax?: string) => ({ meters: [METERS[0], { ...METERS[1], valueMax }] });
    expect((await apply(sold("1000.500"))).publishedMeters).toEqual([]);
    expect((await apply(sold("2000"))).publishedMeters).toEqual([{ meterId: "sold", version: 2 }]);
    expect(await refusalOf(apply(sold()))).toMatchObject({
      errors: [{ pointer: "/meters/1/valueMax" }],
    });
  });
});

describe("an add-on", () => {
  it("is no plan for a tenant, and no default", async () => {
    const extra = { planId: "extra", name: "Extra", isAddOn: true };
    await apply({ plans: [extra, FREE], defaultPlanId: undefined });
    const { items } = await listPlans(services, undefined);
    expect(items.map(({ planId, isAddOn, isDefault }) => [planId, isAddOn, isDefault])).toEqual([
      ["extra", true, false],
      ["free", false, true],
    ]);
    const { tenantId } = await createTenant(services, OPERATOR_CONTEXT, { name: "Acme" });
    const move = updateTenant(services, OPERATOR_CONTEXT, { tenantId, planId: "extra" });
    expect(await refusalOf(move)).toMatchObject({ errors: [{ pointer: "/planId" }] });
    const parsed = catalogInput.safeParse({ plans: [extra], defaultPlanId: "extra" });
    expect(parsed.error?.issues[0]?.path).toEqual(["defaultPlanId"]);
  });
});

describe("a published version", () => {
  it("never changes and never goes, not even for the owner of the table", async () => {
    await apply();
    const { sql } = database;
    const before = await sql`select * from plan_versions order by plan_id`;
    const attempts = [
      sql`update plan_versions set terms = terms || '{"name": "Other"}'`,
      sql`update plan_versions set published_at = now() where plan_id = 'pro'`,
      sql`delete from plan_versions where plan_id = 'pro'`,
      sql`truncate plan_versions cascade`,
    ];
    for (const attempt of attempts) {
      await expect(attempt).rejects.toThrow("never changes");
    }
    expect(await sql`select * from plan_versions order by plan_id`).toEqual(before);
  });
});
