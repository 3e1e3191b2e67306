import type { TenantId } from "@turnpike/domain/ids/ids";
import { toScaled } from "@turnpike/domain/money/decimal";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { IS_SOAK } from "@turnpike/testkit/soak";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findCreditState, findSpendState } from "#modules/metering/index.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { closeAccounts } from "../closing/close-due.ts";
import { grantCredit } from "../credits/grant-credit.ts";
import { TEST_BILLING } from "../testing/billing.fixture.ts";
import { putSpendCap } from "./change-spend-cap.ts";
import { publishCappedPlan } from "./spend-cap.fixture.ts";
import { openSpendFleet, type Spender } from "./spend-fleet.fixture.ts";

const ROUNDS = IS_SOAK ? 8 : 1;
const PROCESSES = IS_SOAK ? 3 : 2;
const KILLS = IS_SOAK ? 2 : 1;
/** How often the limit is raised, or credit added, under load. */
const RAISES = IS_SOAK ? 3 : 1;
const MONTH_MS = 32 * 24 * 3600 * 1000;

const TAX = {
  ...{ country: "GB", isRegistered: true, pricesInclude: "net" as const },
  taxRates: [
    {
      ...{ country: "GB", region: undefined, taxClass: "standard", category: "S" },
      ...{ name: undefined, rate: toScaled("19"), fromMs: undefined, toMs: undefined },
    },
  ],
};

let database: TestDatabase;
let deps: BillingDeps;

beforeAll(async () => {
  database = await createTestDatabase();
  const services = createLiveServices(database);
  deps = { ...services, billing: { ...TEST_BILLING, tax: TAX } };
  await publishCappedPlan(services);
});
afterAll(() => database.close());

const cents = (amount: number) => (amount / 100).toFixed(2);

const setCap = (tenantId: TenantId, minor: number) =>
  putSpendCap(deps, OPERATOR_CONTEXT, { tenantId, amount: cents(minor) });

async function addCredit(tenantId: TenantId, minor: number): Promise<void> {
  for (const kind of ["prepaid", "promotional"] as const) {
    await grantCredit(deps, OPERATOR_CONTEXT, {
      ...{ tenantId, environment: "live" as const, kind, amount: cents(minor) },
      ...{ priority: 50, reason: "A test" },
    });
  }
}

/** True when not one unit more fits of any meter, counting all that processes hold and can give back. */
function isSpent(capped: Spender, prepaid: Spender): Promise<boolean> {
  return deps.transact.asOperator(async (tx) => {
    const states = [
      await findSpendState(tx, capped.tenantId),
      await findCreditState(tx, prepaid.tenantId),
    ];
    return states.every(
      (state) => state?.meters.every(({ unitsLeft }) => unitsLeft === 0n) === true,
    );
  });
}

/** Closes the month. @returns Sums in cents, units, and the kinds of lines. */
async function closeMonth({ tenantId }: Spender) {
  const now = new Date(deps.clock.now().getTime() + MONTH_MS);
  const later = { ...deps, clock: { ...deps.clock, now: () => now } };
  await closeAccounts(later, [{ tenantId, environment: "live" }], now);
  const [row] = await database.sql<
    { charged: number; units: number; due: number; credit: number; kinds: string[] }[]
  >`
    select sum(l.amount) filter (where l.kind in ('base', 'usage') and l.from_at < ${deps.clock.now()})::float8 as charged,
      coalesce(sum(l.quantity) filter (where l.kind = 'usage'), 0)::float8 as units,
      array_agg(distinct l.kind order by l.kind) as kinds,
      (select sum(total - from_balance - prepaid - paid - credited)::float8 from invoices where tenant_id = ${tenantId}) as due,
      (select -sum(amount)::float8 from credit_entries where tenant_id = ${tenantId} and kind = 'burned') as credit
    from invoice_lines l where l.tenant_id = ${tenantId}`;
  if (row === undefined) {
    throw new Error("Nothing was invoiced.");
  }
  return row;
}

/** Units in the ledger: those that were answered, less what a killed process had not journaled yet. */
function expectUnits(units: number, { admitted, unknown }: Spender): void {
  expect(units).toBeLessThanOrEqual(admitted + unknown);
  expect(units).toBeGreaterThan(0);
}

async function runRound(round: number): Promise<string> {
  const fleet = await openSpendFleet(database, deps, { processes: PROCESSES });
  try {
    const capped = await fleet.makeSpender("capped");
    const prepaid = await fleet.makeSpender("prepaid");
    let cap = 1_200 + ((round * 37) % 100);
    let credit = 150 + ((round * 53) % 100);
    await setCap(capped.tenantId, cap);
    await addCredit(prepaid.tenantId, credit);

    await fleet.loadWhile([capped, prepaid], async () => {
      for (let kill = 0; kill < KILLS; kill += 1) {
        await fleet.killOne(round + kill);
      }
      for (let raise = 0; raise < RAISES; raise += 1) {
        cap += 133;
        credit += 77;
        await setCap(capped.tenantId, cap);
        await addCredit(prepaid.tenantId, 77);
      }
      await pollUntil("all is spent", () => isSpent(capped, prepaid));
    });
    await fleet.drain();

    // What is left is less than one unit more of any meter, with what a killed process held.
    expect(await isSpent(capped, prepaid)).toBe(true);
    const ofCap = await closeMonth(capped);
    expect(ofCap.charged).toBeLessThanOrEqual(cap);
    expect(ofCap.kinds).toEqual(["base", "usage"]);
    expectUnits(ofCap.units, capped);
    const ofCredit = await closeMonth(prepaid);
    expect(ofCredit).toMatchObject({ due: 0, kinds: ["promotional", "usage"] });
    expect(ofCredit.credit).toBeLessThanOrEqual(2 * credit);
    expectUnits(ofCredit.units, prepaid);
    return `cap ${cents(cap)}: ${cents(ofCap.charged)} charged; credit ${cents(2 * credit)}: ${cents(ofCredit.credit)} burned; ${String(capped.admitted + prepaid.admitted)} calls`;
  } finally {
    await fleet.close();
  }
}

describe("guarantee: a spend cap and credit are exact on several processes of the system", () => {
  it(
    "at full load, while processes are killed and their journals recovered, and limits are raised",
    async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const report = await runRound(round);
        if (IS_SOAK) {
          console.info(`spend, round ${String(round)}: ${report}`);
        }
      }
    },
    ROUNDS * 300_000,
  );
});
