import type { JobQueue } from "#platform/job-queue.ts";
import type { BillingDeps } from "../../billing-deps.ts";
import { EventRefused, type PaymentProviderName, type ProviderEvent } from "../payment-provider.ts";
import { applyEventJob } from "./apply-event.ts";
import { nextTry } from "./next-try.ts";
import { type EventSource, insertEvents } from "./provider-events.store.ts";

export type EventsDeps = Omit<BillingDeps, "billing"> & { jobs: JobQueue };

/** Keeps events that are not here yet, and has each applied by a job: both, or neither. */
export async function storeEvents(
  deps: EventsDeps,
  source: EventSource,
  events: readonly ProviderEvent[],
): Promise<void> {
  await deps.transact.asOperator(async (tx) => {
    const now = deps.clock.now();
    const tryAt = nextTry(now, 0);
    const isNew = await insertEvents(tx, source, { events, now, tryAt });
    for (const eventId of isNew) {
      await deps.jobs.enqueue(applyEventJob, { ...source, eventId }, { tx });
    }
  });
}

/**
 * Takes what was sent to a provider's webhook. The environment is the one whose secret it is signed with.
 *
 * @throws {EventRefused} When no environment has such a provider, or a secret with which it is signed.
 */
export async function receiveEvent(
  deps: EventsDeps,
  provider: PaymentProviderName,
  input: { rawBody: Uint8Array; headers: Headers },
): Promise<void> {
  let refusal = new EventRefused(`Payments by ${provider} are not set up`);
  for (const environment of ["live", "test"] as const) {
    const candidate = deps.payments?.[environment];
    if (candidate?.name !== provider || candidate.notices === undefined) {
      continue;
    }
    try {
      const event = candidate.notices.parseEvent({ ...input, nowMs: deps.clock.now().getTime() });
      await storeEvents(deps, { provider, environment }, [event]);
      return;
    } catch (error) {
      if (!(error instanceof EventRefused)) {
        throw error;
      }
      refusal = error;
    }
  }
  throw refusal;
}
