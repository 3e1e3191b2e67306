import { toScaled } from "@turnpike/domain/money/decimal";
import { IS_SOAK } from "@turnpike/testkit/soak";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  type TestServices,
} from "@turnpike/testkit/test-services";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BillingDeps } from "../billing-deps.ts";
import { publishPricedPlans, toBillingDeps } from "../testing/billing.fixture.ts";
import {
  closeMonth,
  newestInvoice,
  openLine,
  subscribeTenant,
  sumOf,
} from "../testing/line-usage.fixture.ts";

let database: TestDatabase;
let deps: TestServices & BillingDeps;
beforeAll(async () => {
  database = await createTestDatabase();
  deps = toBillingDeps(createTestServices(database));
  await createTestTenant(deps);
  await publishPricedPlans(deps);
});
afterAll(() => database.close());

describe("a line of usage", () => {
  it("is the sum of its parts, by anything, for all that was used or recorded late", async () => {
    const use = fc.record({
      afterMs: fc.integer({ min: 0, max: 30 * 24 * 60 }).map((minutes) => minutes * 60_000),
      quantity: fc.integer({ min: 1, max: 90 }),
      key: fc.integer({ min: 0, max: 1 }),
      route: fc.constantFrom("/a", "/b", "/c"),
      model: fc.constantFrom("large", "small"),
    });
    const uses = fc.array(use, { minLength: 1, maxLength: 12 });
    let tenants = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("metered", "limited"),
        uses,
        uses,
        async (planId, early, late) => {
          tenants += 1;
          const tenant = await subscribeTenant(deps, `Random ${String(tenants)}`, { planId });
          for (const each of early) {
            await tenant.use(each);
          }
          await closeMonth(deps);
          const invoices = [await newestInvoice(deps, tenant)];
          for (const each of late) {
            await tenant.use(each);
          }
          await closeMonth(deps);
          invoices.push(await newestInvoice(deps, tenant));
          for (const { invoiceId, lines } of invoices) {
            for (const line of lines.filter(({ hasUsage }) => hasUsage)) {
              const asked = { invoiceId, line: line.number };
              const whole = {
                quantity: toScaled(line.quantity ?? "0"),
                amount: toScaled(line.amount),
              };
              for (const by of ["day", "key", "route", "model"] as const) {
                expect(sumOf(await openLine(deps, tenant, { ...asked, by }))).toEqual(whole);
              }
              const [day] = await openLine(deps, tenant, asked);
              const ofDay = await openLine(deps, tenant, {
                ...asked,
                by: "route",
                day: day?.day ?? "",
              });
              expect(sumOf(ofDay)).toEqual(sumOf(day === undefined ? [] : [day]));
            }
          }
        },
      ),
      { numRuns: IS_SOAK ? 200 : 3 },
    );
  });
});
