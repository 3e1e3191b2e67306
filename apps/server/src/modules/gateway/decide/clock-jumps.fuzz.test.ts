import { SAMPLE_CATALOG } from "@turnpike/domain/catalog/plan";
import { periodAt } from "@turnpike/domain/time/period";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { IS_SOAK } from "@turnpike/testkit/soak";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEntitlementDirectory } from "#modules/entitlements/index.ts";
import { createKey, createKeyDirectory } from "#modules/keys/index.ts";
import { type Metering, reconcile, startMetering } from "#modules/metering/index.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createCallRecorder, VERIFICATION } from "../record-call.ts";
import { createDecider } from "./decide-call.ts";
import { createRateLimiter } from "./limits/rate-limiter.ts";

const RUNS = IS_SOAK ? 500 : 10;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Of every tenant: periods begin with the month. */
const ANCHOR = new Date("2026-01-01T00:00:00.000Z");

let database: TestDatabase;
let services: TestServices;
/** How far the wall clock of the first node is off; the second one's never is. */
let offsetMs = 0;
let customers = 0;
const folders: TempFolder[] = [];
const nodes: Node[] = [];

type Node = {
  now: () => Date;
  metering: Metering;
  /** Decides and writes down a call; answers why it was refused, or the period it was admitted in. */
  call(key: string): Promise<{ code: string; periodStartMs?: number; retryAfterMs?: number }>;
};

async function makeFolder(): Promise<string> {
  const folder = await makeTempFolder();
  folders.push(folder);
  return folder.path;
}

/** What decides and meters in a process, by a wall clock of its own and the monotonic clock of both. */
async function startNode(
  now: () => Date,
  folder: string,
  isDatabaseAway = () => false,
): Promise<Node> {
  const clock = { now, monotonicMs: services.clock.monotonicMs };
  const transact: TestServices["transact"] = {
    ...services.transact,
    asMeter: async (work) => {
      if (isDatabaseAway()) {
        throw Object.assign(new Error("The database is away."), { code: "ECONNREFUSED" });
      }
      return await services.transact.asMeter(work);
    },
  };
  // Ids that tell when they were made, as those of the product do.
  const own = { ...services, clock, transact, newId: newUuidId };
  const metering = await startMetering({ ...own, folder }, { groupIntervalMs: 5 });
  const entitlements = createEntitlementDirectory({ transact, ...clock });
  const decideCall = createDecider({
    directory: createKeyDirectory({ transact, ...clock, entitlements }),
    entitlements,
    leases: metering.leases,
    rateLimiter: createRateLimiter(clock),
    clock,
    changesSilentMs: () => 0,
  });
  const callRecorder = createCallRecorder({ ...metering, clock });
  return {
    now,
    metering,
    async call(keyText) {
      const decision = await decideCall({
        keyText,
        meterId: "requests",
        cost: 1,
        findAddress: () => undefined,
      });
      if (!decision.allowed) {
        return { code: decision.code, retryAfterMs: decision.retryAfterMs ?? 0 };
      }
      callRecorder.recordAdmitted(decision, VERIFICATION, { kind: "status", status: 200 });
      return { code: "VALID", periodStartMs: decision.periodStartMs };
    },
  };
}

beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  nodes.push(
    await startNode(() => new Date(services.clock.now().getTime() + offsetMs), await makeFolder()),
    await startNode(services.clock.now, await makeFolder()),
  );
});
afterAll(async () => {
  await Promise.all(nodes.map(({ metering }) => metering.stop(5_000)));
  await Promise.all(folders.map((folder) => folder[Symbol.asyncDispose]()));
  await database.close();
});

async function listPeriods(tenantId: string): Promise<{ startsAt: Date; used: number }[]> {
  return await services.transact.asOperator(
    async (tx) =>
      await tx<{ startsAt: Date; used: number }[]>`
      select period_start as "startsAt", used::float8 as used from balances
      where tenant_id = ${tenantId} and used > 0
    `,
  );
}

async function makeCustomer() {
  customers += 1;
  const { tenantId } = await createTestTenant(services, `Customer ${String(customers)}`);
  const { key } = await createKey(services, OPERATOR_CONTEXT, {
    tenantId,
    name: "Key",
    environment: "live",
    scopes: [],
    metadata: {},
  });
  return { tenantId, key };
}

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("call" as const), ms: fc.constant(0) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("wait" as const),
      ms: fc.integer({ min: 1, max: 300 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("jump" as const),
      ms: fc.oneof(
        fc.constantFrom(0, HOUR_MS, -HOUR_MS, DAY_MS, -DAY_MS, 400 * DAY_MS, -400 * DAY_MS),
        fc.integer({ min: -800 * DAY_MS, max: 800 * DAY_MS }),
      ),
    }),
  },
);

describe("a wall clock that jumps", () => {
  it("changes no decision under rate limits, and each call is billed once, in the period that the clock said", async () => {
    const free = SAMPLE_CATALOG.plans.find(({ planId }) => planId === "free");
    expect(free?.rateLimits[0]).toMatchObject({ limit: 10, windowSeconds: 1 });
    let refused = 0;
    let jumped = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 60 }), async (steps) => {
        const [jumping, steady] = nodes as [Node, Node];
        const [mine, theirs] = [await makeCustomer(), await makeCustomer()];
        const expected = new Map<number, number>();
        offsetMs = 0;
        for (const { kind, ms } of steps) {
          if (kind === "wait") {
            services.clock.advance(ms);
          } else if (kind === "jump") {
            offsetMs = ms;
            jumped += 1;
          } else {
            const own = await jumping.call(mine.key);
            const other = await steady.call(theirs.key);
            expect([own.code, own.retryAfterMs]).toEqual([other.code, other.retryAfterMs]);
            refused += own.code === "RATE_LIMITED" ? 1 : 0;
            if (own.periodStartMs !== undefined) {
              const { start } = periodAt(ANCHOR, "month", jumping.now());
              expect(own.periodStartMs).toBe(start.getTime());
              expected.set(own.periodStartMs, (expected.get(own.periodStartMs) ?? 0) + 1);
            }
          }
        }
        await Promise.all(
          nodes.map(async ({ metering }) => {
            await metering.leases.settleRefills();
            await metering.recorder.flush();
          }),
        );
        const balances = await listPeriods(mine.tenantId);
        expect(new Map(balances.map(({ startsAt, used }) => [startsAt.getTime(), used]))).toEqual(
          expected,
        );
      }),
      { numRuns: RUNS },
    );
    expect(refused).toBeGreaterThan(RUNS);
    expect(jumped).toBeGreaterThan(RUNS);
    expect(await reconcile(services, OPERATOR_CONTEXT)).toMatchObject({ drift: 0 });
  });

  it.each([
    ["an hour back", -HOUR_MS],
    ["a day on", DAY_MS],
    ["400 days back", -400 * DAY_MS],
  ])(
    "between a crash and the next start, %s, leaves what the journal holds where it was used",
    async (_what, ms) => {
      const folder = await makeFolder();
      let isAway = false;
      const customer = await makeCustomer();
      const before = await startNode(services.clock.now, folder, () => isAway);
      expect(await before.call(customer.key)).toMatchObject({ code: "VALID" });
      await before.metering.leases.settleRefills();
      isAway = true;
      for (let call = 0; call < 5; call += 1) {
        expect(await before.call(customer.key)).toMatchObject({ code: "VALID" });
      }
      await before.metering.recorder.whenJournaled();
      await before.metering.stop(1);

      const after = await startNode(() => new Date(services.clock.now().getTime() + ms), folder);
      const balances = await pollUntil("the journal is committed", async () => {
        const found = await listPeriods(customer.tenantId);
        return found.some(({ used }) => used >= 6) && found;
      });
      expect(balances).toEqual([{ startsAt: ANCHOR, used: 6 }]);
      await after.metering.stop(5_000);
      expect(await reconcile(services, OPERATOR_CONTEXT)).toMatchObject({ drift: 0 });
    },
  );
});
