import { catalogInput } from "@turnpike/contract/catalog";
import { SAMPLE_CATALOG } from "@turnpike/domain/catalog/plan";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { applyCatalog } from "./apply-catalog.ts";
import { listPlans } from "./list-plans.ts";
import { createPublicCatalog } from "./public-catalog.ts";

let database: TestDatabase;
let services: TestServices;
let nowMs: number;
let reads: number;
let isAway: boolean;
let catalog: ReturnType<typeof createPublicCatalog>;

beforeEach(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  nowMs = 0;
  reads = 0;
  isAway = false;
  catalog = createPublicCatalog({
    monotonicMs: () => nowMs,
    transact: {
      ...services.transact,
      asOperator: async (work) => {
        reads += 1;
        if (isAway) {
          throw new Error("The database is away.");
        }
        return await services.transact.asOperator(work);
      },
    },
  });
  await publish("Free");
});
afterEach(() => database.close());

async function publish(name: string): Promise<void> {
  const sample = catalogInput.parse(structuredClone(SAMPLE_CATALOG));
  await applyCatalog(services, OPERATOR_CONTEXT, {
    ...sample,
    plans: sample.plans.map((plan) => {
      const visibility = plan.planId === "scale" ? ("private" as const) : ("public" as const);
      return plan.planId === "free" ? { ...plan, name } : { ...plan, visibility };
    }),
  });
}

const readNames = async () => (await catalog.get()).plans.map((plan) => plan.name);

describe("the public catalogue", () => {
  it("holds only public plans, as a visitor sees them", async () => {
    expect(await readNames()).toEqual(["Free", "Pro"]);
    const { items } = await listPlans(services, undefined);
    expect(items).toEqual((await catalog.get()).plans);
    expect((await catalog.get()).meters.map((meter) => meter.meterId)).toEqual(["requests"]);
  });

  it("is read once for simultaneous and later callers", async () => {
    await Promise.all([catalog.get(), catalog.get(), catalog.get()]);
    await catalog.get();
    expect(reads).toBe(2);
  });

  it("is read again after a plan changed, after changes were missed, and after half a minute", async () => {
    await catalog.get();
    await publish("Starter");
    expect(await readNames()).toEqual(["Free", "Pro"]);
    catalog.applyChange({ kind: "plan", tenantId: null, entityId: "free", revision: 1n });
    expect(await readNames()).toEqual(["Starter", "Pro"]);
    await publish("Basic");
    catalog.applyChange({ kind: "reset" });
    expect(await readNames()).toEqual(["Basic", "Pro"]);
    await publish("Free again");
    nowMs += 30_000;
    expect(await readNames()).toEqual(["Free again", "Pro"]);
  });

  it("stays as last known while the database is unreachable, and throws when it was never read", async () => {
    await catalog.get();
    isAway = true;
    catalog.applyChange({ kind: "reset" });
    expect(await readNames()).toEqual(["Free", "Pro"]);
    const other = createPublicCatalog({
      monotonicMs: () => nowMs,
      transact: {
        ...services.transact,
        asOperator: () => Promise.reject(new Error("The database is away.")),
      },
    });
    await expect(other.get()).rejects.toThrow("away");
  });

  it("keeps no frequent caller waiting, neither for a renewal nor for a database that hangs", async () => {
    const held: (() => void)[] = [];
    let hangs = false;
    const patient = createPublicCatalog({
      monotonicMs: () => nowMs,
      transact: {
        ...services.transact,
        asOperator: async (work) => {
          if (hangs) {
            await new Promise<void>((resolve) => held.push(resolve));
            throw new Error("The database is away.");
          }
          return await services.transact.asOperator(work);
        },
      },
    });
    await patient.get();
    hangs = true;
    nowMs += 15_000;
    // Each of these would hang if it waited for the database.
    expect((await patient.get()).plans).toHaveLength(2);
    await pollUntil("it is being renewed", async () => held.length === 2);
    held.splice(0).forEach((end) => void end());
    await pollUntil("the failure is known", async () => {
      nowMs += 60_000;
      return (await patient.get()) && held.length > 0;
    });
    hangs = false;
    held.splice(0).forEach((end) => void end());
    await publish("Basic");
    await pollUntil("it is read again", async () => {
      nowMs += 60_000;
      return (await patient.get()).plans[0]?.name === "Basic";
    });
  });
});
