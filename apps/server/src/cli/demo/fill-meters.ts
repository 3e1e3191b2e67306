import { isDeepStrictEqual } from "node:util";
import { meterInput } from "@turnpike/contract/catalog";
import { EVENTS_MAX } from "@turnpike/contract/events";
import { createMeter, listMeters } from "#modules/catalog/index.ts";
import { openEvents, takeEvents } from "#modules/events/index.ts";
import type { CommandSession } from "../run-command.ts";
import { DEMO_EVENT_TYPE, type DemoEvent, generateEvents } from "./demo-events.ts";
import { at, type InstalledTenant } from "./demo-installation.ts";
import { DAY_MS, type DemoWindow } from "./demo-usage.ts";

/** Tenants that send events: enough to look at, and few enough to generate quickly. */
const TENANTS_MAX = 6;
/** Well within the limit of one request. */
const BATCH = Math.min(1_000, EVENTS_MAX);
/** After this the ledger no longer knows which events it has taken, so none are generated again. */
const KNOWN_DAYS = 30;

const MODEL = { name: "model", pointer: "/model" };
const METERS = [
  { meterId: "answers", name: "Answers", unit: "answer", aggregation: "count" },
  {
    meterId: "answer-tokens",
    name: "Answer tokens",
    unit: "token",
    aggregation: "sum",
    valuePointer: "/tokens",
  },
  {
    meterId: "active-users",
    name: "Active users",
    unit: "user",
    aggregation: "unique_count",
    valuePointer: "/user",
  },
].map((fields) => meterInput.parse({ ...fields, eventType: DEMO_EVENT_TYPE, dimensions: [MODEL] }));

/** The meter whose dimensions are shown in a saved view. */
export const DEMO_METER = "answer-tokens";

/** True for a meter that the demo made and that was not changed since. */
export function isDemoMeter(
  meter: Awaited<ReturnType<typeof listMeters>>["items"][number],
): boolean {
  const { version, ...definition } = meter;
  return version === 1 && METERS.some((made) => isDeepStrictEqual(made, definition));
}

/** Creates missing meters. @returns How many were missing. */
async function ensureMeters(session: CommandSession, window: DemoWindow): Promise<number> {
  const { items } = await listMeters(session.deps, session.context);
  const missing = METERS.filter(({ meterId }) => !items.some((meter) => meter.meterId === meterId));
  for (const meter of missing) {
    await createMeter(at(session, window.fromMs), session.context, meter);
  }
  return missing.length;
}

function* toBatches(tenants: readonly InstalledTenant[], input: MetersInput) {
  let batch: DemoEvent[] = [];
  for (const { tenant, reply, joinedAtMs } of tenants) {
    const { name, peakHour } = tenant;
    const { tenantId } = reply;
    for (const event of generateEvents({ ...input, tenantId, name, peakHour, joinedAtMs })) {
      batch.push(event);
      if (batch.length === BATCH) {
        yield batch;
        batch = [];
      }
    }
  }
  if (batch.length > 0) {
    yield batch;
  }
}

export type MetersInput = { seed: number; window: DemoWindow };

/**
 * Creates meters and sends events to them, as programs would. The ledger takes each event once, so another run adds nothing.
 */
export async function fillMeters(
  session: CommandSession,
  installed: readonly InstalledTenant[],
  input: MetersInput,
): Promise<{ meters: number; events: number }> {
  const { window } = input;
  if (session.deps.clock.now().getTime() > window.untilMs + KNOWN_DAYS * DAY_MS) {
    return { meters: 0, events: 0 };
  }
  const meters = await ensureMeters(session, window);
  const senders = installed
    .filter(({ tenant }) => tenant.planId !== "free" && tenant.story !== "suspended")
    .slice(0, TENANTS_MAX);
  // At the end of the window, whenever this runs, so that the same events are accepted, in the same periods.
  const taking = openEvents(at(session, window.untilMs));
  let events = 0;
  for (const batch of toBatches(senders, input)) {
    session.signal.throwIfAborted();
    const { accepted } = await takeEvents(taking, session.context, batch);
    events += accepted;
  }
  return { meters, events };
}
