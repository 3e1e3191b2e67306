import { catalogInput } from "@turnpike/contract/catalog";
import { type Catalog, SAMPLE_CATALOG } from "@turnpike/domain/catalog/plan";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  contextOf,
  createTestServices,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyCatalog } from "./apply-catalog.ts";
import { exportCatalog } from "./export-catalog.ts";
import { archivePlan } from "./versions/archive-plan.ts";

let database: TestDatabase;
let services: TestServices;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
});
afterAll(() => database.close());

const decimal = fc.constantFrom("0", "0.002", "49.90", "1000", "0.000000000001");
const interval = fc.constantFrom({ day: 1 }, { month: 1 }, { year: 1 });
const price = fc.oneof(
  decimal.map((unitAmount) => ({ model: "per_unit" as const, unitAmount })),
  decimal.map((amount) => ({ model: "package" as const, amount, size: "10", minimum: "5" })),
  decimal.map((unitAmount) => ({
    model: "graduated" as const,
    included: "5",
    tiers: [
      { upTo: "10", unitAmount },
      { upTo: null, flatAmount: "1" },
    ],
  })),
);
const rateCards = fc
  .record({ price, every: interval, kind: fc.constantFrom("hard", "soft"), amount: decimal })
  .map(({ price: of, every, kind, amount }) => [
    {
      key: "calls",
      name: "Calls",
      meter: "requests",
      price: of,
      interval: every,
      entitlement: { kind, limit: "100" },
    },
    {
      key: "base",
      price: { model: "flat", amount },
      interval: every,
      timing: "advance",
      quantity: "2",
      taxClass: "reduced",
    },
    { key: "region", entitlement: { kind: "static", limit: "eu" } },
  ]);
const plans = fc
  .uniqueArray(
    fc.record(
      {
        planId: fc.constantFrom("a", "b", "c", "d"),
        name: fc.constantFrom("One", "Two"),
        description: fc.constantFrom("", "Text."),
        visibility: fc.constantFrom("public", "private"),
        scopes: fc.constantFrom([], ["maps:read"]),
        concurrency: fc.constantFrom(null, 5),
        cards: rateCards,
        isSimple: fc.boolean(),
        isAddOn: fc.boolean(),
      },
      { requiredKeys: ["planId", "name", "cards", "isSimple"] },
    ),
    { minLength: 1, selector: ({ planId }) => planId },
  )
  .map((list) =>
    list.map(({ cards, isSimple, isAddOn, ...plan }) => ({
      ...plan,
      // What a plan was published as, it stays.
      planId: isAddOn === true ? `${plan.planId}-extra` : plan.planId,
      isAddOn,
      ...(isSimple
        ? { pricePerMonth: "49.90", quotas: [{ meter: "requests", limit: 5, kind: "soft" }] }
        : {
            phases: [
              { key: "trial", name: "Trial", duration: { days: 14 }, rateCards: [] },
              { minimum: "10", taxClass: "reduced", rateCards: cards },
            ],
          }),
    })),
  );

describe("exportCatalog", () => {
  it("changes nothing when it is applied, after anything that was applied before, and reads the same again", async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (list) => {
        const input = catalogInput.parse({ meters: SAMPLE_CATALOG.meters, plans: list });
        await applyCatalog(services, OPERATOR_CONTEXT, input);
        const exported = await exportCatalog(services, OPERATOR_CONTEXT);
        const text = JSON.stringify(exported);
        const again = catalogInput.parse(JSON.parse(text));
        expect(await applyCatalog(services, OPERATOR_CONTEXT, again)).toEqual({
          published: [],
          publishedMeters: [],
          changedCoupons: [],
          newDefaultPlanId: null,
        });
        expect(JSON.stringify(await exportCatalog(services, OPERATOR_CONTEXT))).toBe(text);
      }),
      { numRuns: 25 },
    );
  });

  it("leaves out what is derived from phases, and archived plans", async () => {
    const catalog: Catalog = { ...SAMPLE_CATALOG, defaultPlanId: "free" };
    await applyCatalog(services, OPERATOR_CONTEXT, catalogInput.parse(structuredClone(catalog)));
    const phased = { planId: "phased", name: "Phased", phases: [{ rateCards: [] }] };
    await applyCatalog(services, OPERATOR_CONTEXT, catalogInput.parse({ plans: [phased] }));
    await archivePlan(services, OPERATOR_CONTEXT, { planId: "pro" });
    const exported = await exportCatalog(services, OPERATOR_CONTEXT);
    const ids = exported.plans.map(({ planId }) => planId);
    expect(ids).toContain("scale");
    expect(ids).not.toContain("pro");
    const plan = exported.plans.find(({ planId }) => planId === "phased");
    expect(Object.keys(plan ?? {})).toEqual([
      "planId",
      "name",
      "description",
      "currency",
      "visibility",
      "rateLimits",
      "phases",
    ]);
  });

  it("needs catalog:read", async () => {
    const context = contextOf({ type: "service_key", id: "svc_1", scopes: ["usage:read"] });
    expect((await refusalOf(exportCatalog(services, context))).code).toBe("INSUFFICIENT_SCOPE");
  });
});
