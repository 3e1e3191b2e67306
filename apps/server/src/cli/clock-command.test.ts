import { type CommandLine, createCommandLine } from "@turnpike/testkit/command-line";
import { createFakeClock } from "@turnpike/testkit/fake-clock";
import { makeProductHome, type ProductHome } from "@turnpike/testkit/product";
import { databaseUrlOf } from "@turnpike/testkit/product-process";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createTestServices, createTestTenant } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  act,
  publishPricedPlans,
  toBillingDeps,
} from "#modules/billing/testing/billing.fixture.ts";

const DAY_MS = 24 * 60 * 60_000;

let database: TestDatabase;
let home: ProductHome;
let turnpike: CommandLine;
beforeAll(async () => {
  database = await createTestDatabase();
  // Commands have the real clock.
  const clock = createFakeClock(new Date().toISOString());
  const services = { ...createTestServices(database), clock };
  const { tenantId } = await createTestTenant(services, "Acme");
  await createTestTenant(services, "Empty");
  await publishPricedPlans(services);
  const key = { tenantId, environment: "test" as const };
  await act(toBillingDeps(services), key, { do: "subscribe", planId: "trial" });
  home = await makeProductHome({ DATABASE_URL: databaseUrlOf(database) });
  turnpike = createCommandLine({ env: home.environment, workingFolder: home.dataFolder });
});
afterAll(async () => {
  await home[Symbol.asyncDispose]();
  await database.close();
});

async function fail(...args: string[]) {
  const { code, stdout, stderr } = await turnpike("clock", ...args);
  expect(stdout).toBe("");
  return { code, stderr };
}

describe("turnpike clock", () => {
  it("shows the time of a sandbox and lets it pass, with what happens on the way", async () => {
    const { stdout: before } = await turnpike("clock", "--tenant", "acme");
    expect(before).toMatch(/Time in the sandbox .*UTC\nReal time .*UTC\nAhead +not at all/);
    const { code, stdout } = await turnpike("clock", "--tenant", "acme", "--by", "15d", "--json");
    const clock = JSON.parse(stdout);
    expect({ code, aheadMs: clock.aheadMs }).toEqual({
      code: 0,
      aheadMs: Date.parse(clock.now) - Date.parse(clock.realNow),
    });
    expect(clock.events.map(({ kind }: { kind: string }) => kind)).toEqual(
      expect.arrayContaining(["clock.advanced", "subscription.active", "invoice.issued"]),
    );
    const to = new Date(Date.parse(clock.now) + 40 * DAY_MS).toISOString();
    const { stdout: text } = await turnpike("clock", "--tenant", "acme", "--to", to);
    expect(text).toContain(`Time in the sandbox  ${to.slice(0, 16).replace("T", " ")} UTC`);
    expect(text).toMatch(/Invoice TEST-INV-\d{4}-\d{6} was issued\./);
  });

  it("says what is wrong", async () => {
    expect(await fail("--tenant", "acme", "--by", "1y")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("such as 90m, 36h, 14d or 4w"),
    });
    expect((await fail("--tenant", "acme", "--by", "1d", "--to", "2030-01-01")).stderr).toContain(
      "exclude each other",
    );
    expect((await fail("--tenant", "acme", "--to", "2020-01-01")).stderr).toContain(
      "goes forward only",
    );
    expect((await fail("--tenant", "empty", "--by", "1d")).stderr).toContain(
      "The sandbox has no subscription",
    );
  });
});
