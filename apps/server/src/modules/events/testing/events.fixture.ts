import { meterInput } from "@turnpike/contract/catalog";
import type { EventReceipt } from "@turnpike/contract/events";
import type { UsageReport } from "@turnpike/contract/usage";
import { usageQuery } from "@turnpike/contract/usage-query";
import type { CallContext } from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { TestDatabase } from "@turnpike/testkit/test-database";
import {
  contextOf,
  createTestServices,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { expect } from "vitest";
import { queryUsage } from "#modules/analytics/index.ts";
import { createMeter } from "#modules/catalog/create-meter.ts";
import { reconcile } from "#modules/metering/index.ts";
import { openEvents } from "../ingest/open-events.ts";
import { takeEvents } from "../ingest/take-events.ts";

export const PROGRAM = contextOf({ type: "service_key", id: "svc_1", scopes: ["events:write"] });

/** A meter that sums what an event says of itself, with a dimension. */
export const TOKENS = {
  meterId: "tokens",
  aggregation: "sum",
  valuePointer: "/tokens",
  dimensions: [{ name: "model", pointer: "/model" }],
};

/** Events and meters on the test's own database. */
export type EventsWorld = TestServices & {
  /** An event of the type that meters are defined on, with an id of its own. */
  event(subject: string | undefined, fields?: Record<string, unknown>): { id: string };
  /** Takes events in, as a program of the operator unless another context is given. */
  take(values: readonly unknown[], context?: CallContext): Promise<EventReceipt>;
  defineMeter(fields: Record<string, unknown>): ReturnType<typeof createMeter>;
  /** Of {@link TOKENS}, unless the query says otherwise. */
  usage(tenantId: TenantId, query?: Record<string, string>): Promise<UsageReport>;
  /** The result of the meter, and how many events it counted. */
  countedOf(tenantId: TenantId): Promise<{ value: unknown; events: unknown }>;
  balanceOf(tenantId: TenantId, meterId?: string): Promise<number>;
  expectNoDrift(): Promise<void>;
};

export function createEventsWorld(database: TestDatabase): EventsWorld {
  const services = createTestServices(database);
  const events = openEvents(services);
  let serial = 0;

  function usage(tenantId: TenantId, query: Record<string, string> = {}): Promise<UsageReport> {
    const input = usageQuery.parse({ tenantId, measures: "meter:tokens", ...query });
    return queryUsage(services, OPERATOR_CONTEXT, input);
  }

  return {
    ...services,
    event(subject, fields = {}) {
      serial += 1;
      const id = `e${String(serial)}`;
      return { specversion: "1.0", id, source: "/test", type: "llm.call", subject, ...fields };
    },
    take: (values, context = PROGRAM) => takeEvents(events, context, values),
    defineMeter: (fields) =>
      createMeter(
        services,
        OPERATOR_CONTEXT,
        meterInput.parse({ name: "Meter", unit: "unit", eventType: "llm.call", ...fields }),
      ),
    usage,
    async countedOf(tenantId) {
      const { totals } = await usage(tenantId);
      const counted = await usage(tenantId, { measures: "requests", meter: "tokens" });
      return { value: totals["meter:tokens"], events: counted.totals.requests };
    },
    async balanceOf(tenantId, meterId = "tokens") {
      const [row] = await database.sql<{ used: number }[]>`
        select coalesce(sum(used), 0)::float8 as used from balances
        where tenant_id = ${tenantId} and meter_id = ${meterId}`;
      return row?.used ?? 0;
    },
    async expectNoDrift() {
      const { drift, findings } = await reconcile(services, OPERATOR_CONTEXT);
      expect(drift, JSON.stringify(findings)).toBe(0);
    },
  };
}
