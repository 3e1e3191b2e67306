import { meterInput } from "@turnpike/contract/catalog";
import { EVENTS_MAX } from "@turnpike/contract/events";
import { createMeter, listMeters } from "#modules/catalog/index.ts";
import { openEvents, takeEvents } from "#modules/events/index.ts";
import type { CommandSession } from "../run-command.ts";
import { DEMO_EVENT_TYPE, type DemoEvent, generateEvents } from "./demo-events.ts";
import { at, type InstalledTenant } from "./demo-installation.ts";
import { DAY_MS, type DemoWindow } from "./demo-usage.ts";

/** So many tenants send events: enough to look at, and few enough to be made at once. */
const TENANTS_MAX = 6;
/** Well within what one request may hold. */
const BATCH = Math.min(1_000, EVENTS_MAX);
/** After it the ledger of events has forgotten which ones it took: none are made again then. */
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

/** The meter whose parts are worth a look. */
export const DEMO_METER = "answer-tokens";

/** Adds the meters that are missing. @returns How many were. */
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
 * Makes meters and events behind them, as programs would send them. The ledger takes each event once, so that a run after
 * another one adds nothing.
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
  // At the end of what is shown, whenever this runs: which event is too old, and which period it is in, stays as it was.
  const taking = openEvents(at(session, window.untilMs));
  let events = 0;
  for (const batch of toBatches(senders, input)) {
    session.signal.throwIfAborted();
    const { accepted } = await takeEvents(taking, session.context, batch);
    events += accepted;
  }
  return { meters, events };
}
