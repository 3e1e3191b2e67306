import { meterInput } from "@turnpike/contract/catalog";
import { periodAt, startOfMonth } from "@turnpike/domain/time/period";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  contextOf,
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
  type TestTenant,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createMeter } from "#modules/catalog/create-meter.ts";
import { reconcile } from "#modules/metering/index.ts";
import type { HardLimit } from "#modules/metering/leases/lease-entry.ts";
import { LeaseHolder } from "#modules/metering/leases/lease-holder.ts";
import { createLeaseLedger } from "#modules/metering/leases/lease-ledger.ts";
import { openEvents } from "./ingest/open-events.ts";
import { takeEvents } from "./ingest/take-events.ts";

const PROGRAM = contextOf({ type: "service_key", id: "svc_1", scopes: ["events:write"] });
const LIMIT = 100;

let database: TestDatabase;
let services: TestServices;
let tenant: TestTenant;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  await createTestTenant(services);
  const meter = {
    meterId: "tokens",
    name: "Tokens",
    unit: "token",
    aggregation: "sum",
    eventType: "llm.call",
    valuePointer: "/tokens",
  };
  await createMeter(services, OPERATOR_CONTEXT, meterInput.parse(meter));
});
beforeEach(async () => {
  tenant = await createTestTenant(services);
});
afterAll(async () => {
  expect(await reconcile(services, OPERATOR_CONTEXT)).toMatchObject({ drift: 0 });
  await database.close();
});

let serial = 0;
async function report(tokens: number): Promise<void> {
  serial += 1;
  const event = {
    specversion: "1.0",
    id: String(serial),
    source: "/test",
    type: "llm.call",
    subject: tenant.tenantId,
    data: { tokens },
  };
  expect(await takeEvents(openEvents(services), PROGRAM, [event])).toMatchObject({ accepted: 1 });
}

/** A process that checks what is left, as a verification with a cost of 0 does. */
function openProcess() {
  let isDatabaseDown = false;
  const ledger = createLeaseLedger(services.transact);
  const holder = new LeaseHolder({
    ...services,
    ledger: {
      ...ledger,
      cut: (request) =>
        isDatabaseDown ? Promise.reject(new Error("the database is down")) : ledger.cut(request),
    },
    processId: services.newId("process"),
  });
  const now = services.clock.now();
  const { start, end } = periodAt(startOfMonth(now), "month", now);
  const limit: HardLimit = {
    tenantId: tenant.tenantId,
    meterId: "tokens",
    environment: "live",
    periodStartMs: start.getTime(),
    periodEndMs: end.getTime(),
    limit: LIMIT,
  };
  return {
    holder,
    cutOff: (isDown: boolean) => {
      isDatabaseDown = isDown;
    },
    /** True for VALID. */
    ask: async (): Promise<boolean> => {
      let taken = holder.spend(limit, 1);
      if (taken.status === "unknown") {
        await holder.refill(limit, 1);
        taken = holder.spend(limit, 1);
      }
      if (taken.status === "spent") {
        holder.giveBack(taken.hold);
      }
      await holder.settleRefills();
      return taken.status === "spent";
    },
    remaining: () => holder.remaining(limit),
  };
}

describe("a quota that events use up", () => {
  it("is closed on every process within a second, also by events that another recorded, and however often it is checked", async () => {
    const processes = [openProcess(), openProcess(), openProcess()];
    for (const { ask } of processes) {
      expect(await ask()).toBe(true);
    }
    await report(500);
    for (let tenths = 0; tenths < 9; tenths += 1) {
      services.clock.advance(100);
      await processes[0]?.ask();
    }
    for (const { ask, remaining } of processes) {
      expect(await ask()).toBe(false);
      expect(remaining()).toBe(0);
    }
  });

  it("stays open to the last unit, and shows how many are left", async () => {
    const process = openProcess();
    expect(await process.ask()).toBe(true);
    for (const [tokens, left] of [
      [60, 40],
      [30, 10],
      [9, 1],
    ] as const) {
      await report(tokens);
      services.clock.advance(1_000);
      expect([await process.ask(), process.remaining()]).toEqual([true, left]);
    }
    await report(1);
    services.clock.advance(1_000);
    expect([await process.ask(), process.remaining()]).toEqual([false, 0]);
    services.clock.advance(60_000);
    expect(await process.ask()).toBe(false);
  });

  it("is not used up by checks: a process that starts later sees what is left", async () => {
    const busy = openProcess();
    for (let turn = 0; turn < 40; turn += 1) {
      expect(await busy.ask()).toBe(true);
      services.clock.advance(1_000);
    }
    expect(await openProcess().ask()).toBe(true);
  });

  it("answers with its last known state while the database is down, for as long as the lease lasts", async () => {
    const process = openProcess();
    expect(await process.ask()).toBe(true);
    process.cutOff(true);
    services.clock.advance(1_000);
    await expect(process.ask()).rejects.toThrow("the database is down");
    for (let seconds = 0; seconds < 50; seconds += 10) {
      services.clock.advance(10_000);
      expect(await process.ask()).toBe(true);
    }
    services.clock.advance(10_000);
    await expect(process.ask()).rejects.toThrow("the database is down");
    process.cutOff(false);
    services.clock.advance(1_000);
    expect(await process.ask()).toBe(true);
  });
});
