import { meterInput } from "@turnpike/contract/catalog";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, expect, it } from "vitest";
import { applyCatalog } from "./apply-catalog.ts";
import { createMeter } from "./create-meter.ts";
import { deleteMeter } from "./delete-meter.ts";
import { listMeters } from "./list-meters.ts";

let database: TestDatabase;
let services: TestServices;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
});
afterAll(() => database.close());

async function makeMeter(meterId: string) {
  const fields = { meterId, name: meterId, unit: "unit", aggregation: "count", eventType: "it" };
  return await createMeter(services, OPERATOR_CONTEXT, meterInput.parse(fields));
}

const remove = (meterId: string, isUsed = false) =>
  deleteMeter({ ...services, isMeterUsed: () => Promise.resolve(isUsed) }, OPERATOR_CONTEXT, {
    meterId,
  });

it("deletes a meter that has counted nothing, once", async () => {
  await makeMeter("unused");
  expect(await remove("unused")).toBe("deleted");
  expect(await remove("unused")).toBe("not there");
  const { items } = await listMeters(services, OPERATOR_CONTEXT);
  expect(items.map(({ meterId }) => meterId)).not.toContain("unused");
  expect(await makeMeter("unused")).toMatchObject({ version: 1 });
});

it("keeps a meter that has counted something, and one that a plan has a quota of", async () => {
  await makeMeter("counted");
  expect(await remove("counted", true)).toBe("in use");
  await makeMeter("capped");
  await applyCatalog(services, OPERATOR_CONTEXT, {
    meters: [],
    plans: [
      {
        planId: "capped-plan",
        name: "Capped",
        description: "",
        currency: "EUR",
        pricePerMonth: "0",
        visibility: "public",
        rateLimits: [],
        quotas: [{ meter: "capped", limit: 5, kind: "soft" }],
      },
    ],
  });
  expect(await remove("capped")).toBe("in a plan");
});
