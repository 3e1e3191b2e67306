import {
  type PaymentProvider,
  ProviderDown,
  type ProviderEvent,
  ProviderMisconfigured,
} from "../payment-provider.ts";
import { applyEventJob } from "./apply-event.ts";
import {
  deleteAppliedEvents,
  type EventSource,
  findSweptTo,
  listWaitingEvents,
  writeSweep,
} from "./provider-events.store.ts";
import { type EventsDeps, storeEvents } from "./receive-event.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How far the first sweep looks back. */
const FIRST_MS = 3 * DAY_MS;
/** Clocks differ, and providers list an event a little later than it happened. */
const OVERLAP_MS = HOUR_MS;
const WAITING_MAX = 500;
const BATCH = 100;
/** Providers keep events for a month; what is forgotten here is not found there any more. */
const KEPT_MS = 60 * DAY_MS;

async function storeMissing(
  deps: EventsDeps,
  source: EventSource,
  events: AsyncIterable<ProviderEvent>,
): Promise<void> {
  let batch: ProviderEvent[] = [];
  for await (const event of events) {
    batch.push(event);
    if (batch.length === BATCH) {
      await storeEvents(deps, source, batch);
      batch = [];
    }
  }
  await storeEvents(deps, source, batch);
}

async function sweep(
  deps: EventsDeps,
  environment: "live" | "test",
  provider: PaymentProvider,
): Promise<void> {
  const source = { provider: provider.name, environment };
  const now = deps.clock.now();
  const sweptTo = await deps.transact.asOperator((tx) => findSweptTo(tx, source));
  const sinceMs = (sweptTo?.getTime() ?? now.getTime() - FIRST_MS) - OVERLAP_MS;
  const events = provider.notices?.listEvents(sinceMs);
  if (events === undefined) {
    return;
  }
  try {
    await storeMissing(deps, source, events);
    await deps.transact.asOperator((tx) =>
      writeSweep(tx, source, { now, sweptTo: now, trouble: null }),
    );
  } catch (error) {
    const isKnown = error instanceof ProviderDown || error instanceof ProviderMisconfigured;
    // An unexpected failure of one provider must not keep events of the other one, or those that wait, from being applied.
    const message = isKnown ? error.message : "Its events could not be read; the log says why.";
    deps.logger[isKnown ? "warn" : "error"](
      { err: error, ...source },
      "A provider of payments was not swept",
    );
    await deps.transact.asOperator((tx) =>
      writeSweep(tx, source, { now, sweptTo: null, trouble: message }),
    );
  }
}

/** Finds events that never arrived, and has those applied that still wait: a lost notice only delays. */
export async function sweepEvents(deps: EventsDeps): Promise<void> {
  for (const environment of ["live", "test"] as const) {
    const provider = deps.payments?.[environment];
    if (provider !== undefined) {
      await sweep(deps, environment, provider);
    }
  }
  const nowMs = deps.clock.now().getTime();
  await deps.transact.asOperator(async (tx) => {
    const waiting = await listWaitingEvents(tx, { now: new Date(nowMs), limit: WAITING_MAX });
    for (const key of waiting) {
      await deps.jobs.enqueue(applyEventJob, key, { tx, singletonKey: key.eventId });
    }
    await deleteAppliedEvents(tx, new Date(nowMs - KEPT_MS));
  });
}
