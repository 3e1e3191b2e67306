import { meterInput } from "@turnpike/contract/catalog";
import type { EventReceipt } from "@turnpike/contract/events";
import type { CallContext } from "@turnpike/domain/access/actor";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  contextOf,
  createTestServices,
  createTestTenant,
  createTwoTenants,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMeter } from "#modules/catalog/create-meter.ts";
import { openEvents } from "./ingest/open-events.ts";
import { takeEvents } from "./ingest/take-events.ts";
import { listAllRejectedEvents, listRejectedEvents } from "./list-rejected-events.ts";

// Meters belong to the whole installation, so each case has its own database.
let database: TestDatabase;

let services: TestServices;
let events: ReturnType<typeof openEvents>;
beforeEach(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  events = openEvents(services);
});
afterEach(() => database.close());

const PROGRAM = contextOf({ type: "service_key", id: "svc_1", scopes: ["events:write"] });
const MINUTE_MS = 60_000;

let serial = 0;

function event(subject: string | undefined, fields: Record<string, unknown> = {}) {
  serial += 1;
  return {
    specversion: "1.0",
    id: `e${String(serial)}`,
    source: "/test",
    type: "llm.call",
    subject,
    ...fields,
  };
}

const take = (values: readonly unknown[], context: CallContext = PROGRAM): Promise<EventReceipt> =>
  takeEvents(events, context, values);

function defineMeter(fields: Record<string, unknown>) {
  return createMeter(
    services,
    OPERATOR_CONTEXT,
    meterInput.parse({ name: "Meter", unit: "unit", eventType: "llm.call", ...fields }),
  );
}

const TOKENS = {
  meterId: "tokens",
  aggregation: "sum",
  valuePointer: "/tokens",
  dimensions: [{ name: "model", pointer: "/model" }],
};

describe("the filters of rejected events", () => {
  it("narrow by reason and by part of the type, page by page, and show tenant and sender", async () => {
    const { tenantId } = await createTestTenant(services);
    await defineMeter(TOKENS);
    await take([
      event(tenantId, { type: "nothing.counts", data: {} }),
      event(tenantId, { type: "nothing.either", data: {} }),
      event(tenantId, { data: {} }),
    ]);
    const own = (filter: object, limit = 100) =>
      listRejectedEvents(services, OPERATOR_CONTEXT, { tenantId, limit, ...filter });
    const unknown = await own({ code: "UNKNOWN_TYPE" }, 1);
    expect(unknown.items.map(({ type }) => type)).toEqual(["nothing.either"]);
    const next = await own({ code: "UNKNOWN_TYPE", cursor: unknown.nextCursor ?? "" }, 1);
    expect(next.items.map(({ type }) => type)).toEqual(["nothing.counts"]);
    expect(next.nextCursor).toBe(null);
    expect((await own({ type: "counts" })).items).toHaveLength(1);
    expect((await own({ type: "%" })).items).toEqual([]);
    expect((await own({ type: "nothing", code: "INVALID_VALUE" })).items).toEqual([]);
    const all = await listAllRejectedEvents(services, OPERATOR_CONTEXT, {
      limit: 100,
      type: "nothing.",
    });
    expect(all.items.map(({ tenantName }) => tenantName)).toEqual(["Acme", "Acme"]);
  });

  it("show a tenant neither another tenant's rejections nor names of the operator's keys", async () => {
    const { tenantId } = await createTestTenant(services);
    const other = await createTestTenant(services);
    await defineMeter(TOKENS);
    await take([event(tenantId, { type: "nothing.counts", data: {} })]);
    const filter = { limit: 100, type: "nothing.counts" };
    const own = await listRejectedEvents(services, OPERATOR_CONTEXT, { tenantId, ...filter });
    expect(own.items).toMatchObject([{ tenantName: "Acme", senderName: null }]);
    const foreign = await listRejectedEvents(services, OPERATOR_CONTEXT, {
      tenantId: other.tenantId,
      ...filter,
    });
    expect(foreign.items).toEqual([]);
  });
});

describe("the list of rejected events", () => {
  it("accepts a bounded number per sender and minute, separately for each sender", async () => {
    const { ours, theirs } = await createTwoTenants(services);
    await defineMeter(TOKENS);
    const countKept = async () => {
      const rows = await database.sql<{ kept: number }[]>`
        select count(*)::int as kept from rejected_events group by tenant_id order by 1`;
      return rows.map(({ kept }) => kept);
    };
    const bad = (count: number) => Array.from({ length: count }, () => event(undefined, {}));
    expect(await take(bad(1_200), ours.context)).toMatchObject({ rejected: 1_200 });
    expect(await take(bad(1), ours.context)).toMatchObject({ rejected: 1 });
    await take(bad(10), theirs.context);
    expect(await countKept()).toEqual([10, 1_000]);
    services.clock.advance(MINUTE_MS);
    await take(bad(1), ours.context);
    expect(await countKept()).toEqual([10, 1_001]);
  });
});
