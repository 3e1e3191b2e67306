import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import type { TestTenant } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Transact } from "#platform/transact.ts";
import { CLAIM_MS, evaluateAlerts } from "./evaluate-alerts.ts";
import { watchQuotas } from "./quotas/watch-quotas.ts";
import {
  type AlertsWorld,
  addAlert,
  call,
  createAlertsWorld,
  createTenantWithOwner,
  evaluate,
  listMails,
  listNotices,
  listPublishedEvents,
  watch,
} from "./testing/alerts.fixture.ts";

const SIGNAL = new AbortController().signal;

let database: TestDatabase;
let world: AlertsWorld;
let tenant: TestTenant & { ownerEmail: string };
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.sql`delete from alerts`;
  await database.sql`delete from balances`;
  world = createAlertsWorld(database);
  tenant = await createTenantWithOwner(world, database);
});

class Killed extends Error {}

/** When a process is killed: before a transaction, in it after all its statements, or right after its commit. */
const MOMENTS = ["before", "within", "after"] as const;
type Moment = (typeof MOMENTS)[number];

/** The transactions of a process that is killed at its `count`th one. Nothing that it tries afterwards has an effect. */
function killAt(transact: Transact, count: number, moment: Moment) {
  let seen = 0;
  let isDead = false;
  const die = (): never => {
    isDead = true;
    throw new Killed();
  };
  async function run<Result>(begin: (last: () => void) => Promise<Result>): Promise<Result> {
    if (isDead) {
      throw new Killed();
    }
    seen += 1;
    const isLast = seen === count;
    if (isLast && moment === "before") {
      die();
    }
    const result = await begin(() => {
      if (isLast && moment === "within") {
        die();
      }
    });
    return isLast && moment === "after" ? die() : result;
  }
  const dying: Transact = {
    ...transact,
    asOperator: (work) =>
      run((last) =>
        transact.asOperator(async (tx) => {
          const result = await work(tx);
          last();
          return result;
        }),
      ),
    asAnalyst: (input, work) =>
      run((last) =>
        transact.asAnalyst(input, async (tx) => {
          const result = await work(tx);
          last();
          return result;
        }),
      ),
  };
  return { dying, isDead: () => isDead };
}

async function expectOneNotice(kind: string): Promise<void> {
  expect((await listNotices(database, tenant)).map((notified) => notified.kind)).toEqual([kind]);
  expect(await listMails(database, tenant.ownerEmail)).toHaveLength(1);
  expect(await listPublishedEvents(database, tenant)).toHaveLength(1);
}

const KILLS = [1, 2, 3, 4].flatMap((count) => MOMENTS.map((moment) => ({ count, moment })));

describe.each(KILLS)(
  "a process that is killed at transaction $count, $moment it",
  ({ count, moment }) => {
    it("sends each alert notice exactly once, together with the next process", async () => {
      await addAlert(world, tenant, { condition: { kind: "no_data" } });
      const { dying, isDead } = killAt(world.transact, count, moment);
      // Claim, question, decision, and a claim that finds no more.
      await evaluateAlerts({ ...world, transact: dying }, SIGNAL).catch((error: unknown) => {
        expect(error).toBeInstanceOf(Killed);
      });
      expect(isDead()).toBe(true);
      await evaluate(world);
      world.clock.advance(CLAIM_MS);
      await evaluate(world);
      await expectOneNotice("alert.firing");
    });
  },
);

describe.each(KILLS.filter(({ count }) => count <= 2))(
  "a process that is killed at transaction $count, $moment it",
  ({ count, moment }) => {
    it("sends each quota notice exactly once, together with the next process", async () => {
      await call(world, tenant, { calls: 40_000 });
      const { dying, isDead } = killAt(world.transact, count, moment);
      // The page, then the decision on its only quota.
      await watchQuotas({ ...world, transact: dying }, SIGNAL).catch((error: unknown) => {
        expect(error).toBeInstanceOf(Killed);
      });
      expect(isDead()).toBe(true);
      await watch(world);
      await watch(world);
      await expectOneNotice("quota.threshold_reached");
    });
  },
);
