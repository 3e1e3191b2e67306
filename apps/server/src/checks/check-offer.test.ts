import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { catalogInput } from "@turnpike/contract/catalog";
import { SAMPLE_CATALOG } from "@turnpike/domain/catalog/plan";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, expect, it } from "vitest";
import { applyCatalog, archivePlan, seedCatalog } from "#modules/catalog/index.ts";
import { readConfig } from "../config.ts";
import { checkOffer } from "./check-offer.ts";

let database: TestDatabase;
let services: TestServices;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  await seedCatalog(services, OPERATOR_CONTEXT, SAMPLE_CATALOG);
});
afterAll(() => database.close());

async function check(text?: object) {
  await using folder = await makeTempFolder();
  if (text !== undefined) {
    await writeFile(join(folder.path, "turnpike.yaml"), JSON.stringify(text));
  }
  const config = readConfig({}, { isRoot: false, workingFolder: folder.path });
  return await checkOffer(services, config);
}

const planOf = (planId: string, change: object = {}) => ({
  ...SAMPLE_CATALOG.plans.find((plan) => plan.planId === planId),
  ...change,
});

it("warns while samples are for sale, until the operator edits, archives or names each of them", async () => {
  const fresh = await check();
  expect(fresh.plans).toMatchObject({
    state: "warning",
    seen: expect.stringContaining("Pro (49 USD), Scale (499 USD)"),
    advice: expect.stringContaining("page Plans"),
  });
  const named = { plans: [planOf("pro"), planOf("scale")] };
  expect((await check({ catalog: named })).plans.state).toBe("ok");
  const { plans: others } = await check({
    catalog: { plans: [planOf("pro"), planOf("scale", { pricePerMonth: "599" })] },
  });
  expect(others.seen).toMatch(/: Scale \([^,]*\)\.$/);

  const edited = catalogInput.parse({ plans: [planOf("pro", { pricePerMonth: "59" })] });
  await applyCatalog(services, OPERATOR_CONTEXT, edited);
  expect((await check()).plans.seen).toMatch(/: Scale \([^,]*\)\.$/);
  await archivePlan(services, OPERATOR_CONTEXT, { planId: "scale" });
  expect((await check()).plans).toEqual({
    state: "ok",
    seen: "The plans with a price are your own.",
  });
});

it("misses the seller of invoices only while something has a price", async () => {
  const { seller } = await check({ billing: { seller: { name: "Acme Ltd" } } });
  expect(seller).toMatchObject({
    state: "warning",
    seen: expect.stringContaining("address, country"),
    advice: expect.stringMatching(
      /billing\.seller\.address, billing\.seller\.country in .*turnpike\.yaml/,
    ),
  });
  const whole = { name: "Acme Ltd", address: ["1 Quay"], country: "IE" };
  expect((await check({ billing: { seller: whole } })).seller.state).toBe("ok");
  for (const planId of ["pro", "scale"]) {
    await archivePlan(services, OPERATOR_CONTEXT, { planId });
  }
  expect((await check()).seller.state).toBe("ok");
});
