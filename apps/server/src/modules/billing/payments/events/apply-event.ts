import { AppError } from "@turnpike/domain/errors/app-error";
import { z } from "zod";
import { defineJob } from "#platform/define-job.ts";
import type { BillingDeps } from "../../billing-deps.ts";
import {
  PAYMENT_PROVIDERS,
  type PaymentProviderName,
  ProviderDown,
  ProviderMisconfigured,
  type ProviderObject,
} from "../payment-provider.ts";
import { isGivenUp, nextTry } from "./next-try.ts";
import {
  type EventKey,
  findWaitingEvent,
  markApplied,
  noteFailure,
  putOffEvent,
} from "./provider-events.store.ts";

/** Applies the present state of an object, in any order and any number of times. @returns False for one that is none of ours. */
type ApplyProviderObject = (applied: {
  provider: PaymentProviderName;
  object: ProviderObject;
}) => Promise<boolean>;

export type ApplyEventDeps = Omit<BillingDeps, "billing"> & {
  applyProviderObject: ApplyProviderObject;
};

/** What still waits after these tries is tried again by the sweep. */
export const applyEventJob = defineJob({
  name: "payments.apply-event",
  schema: z.object({
    provider: z.enum(PAYMENT_PROVIDERS),
    environment: z.enum(["live", "test"]),
    eventId: z.string(),
  }),
  retryLimit: 3,
  retryDelaySeconds: 5,
  retryDelaySecondsMax: 60,
  expireInSeconds: 300,
});

const FAILURE_LENGTH_MAX = 500;

/** True for what says nothing against an event: its provider is down, or is refused by its set-up. */
export function isOfProvider(error: unknown): error is ProviderDown | ProviderMisconfigured {
  return error instanceof ProviderDown || error instanceof ProviderMisconfigured;
}

/** What an operator may read of a failure: our own words, and of anything else only its kind. */
function describeFailure(error: unknown): string {
  const text =
    isOfProvider(error) || error instanceof AppError
      ? error.message
      : "A payment could not be applied; the log says why.";
  return text.slice(0, FAILURE_LENGTH_MAX);
}

/**
 * Fetches what an event is about and applies it. Events are hints: they come late, twice, in any order or not at all, so that
 * only the object counts.
 *
 * @returns What it was about; `undefined` when there was nothing to do.
 * @throws {ProviderDown} To be tried again, like everything else that goes wrong.
 */
export async function applyEvent(
  deps: ApplyEventDeps,
  key: EventKey,
): Promise<ProviderObject["kind"] | undefined> {
  const event = await deps.transact.asOperator((tx) => findWaitingEvent(tx, key));
  const provider = deps.payments?.[key.environment];
  const notices = provider?.name === key.provider ? provider.notices : undefined;
  if (event === undefined) {
    return;
  }
  if (notices === undefined) {
    // Its provider may be set up again. Until then it keeps none of another one waiting.
    const tryAt = nextTry(deps.clock.now(), event.tries);
    await deps.transact.asOperator((tx) => putOffEvent(tx, key, tryAt));
    return;
  }
  const fetchedAt = deps.clock.now();
  let object: ProviderObject;
  try {
    object = await notices.fetch(event);
    await deps.applyProviderObject({ provider: key.provider, object });
  } catch (error) {
    const now = deps.clock.now();
    const isOfEvent = !isOfProvider(error);
    const tries = event.tries + (isOfEvent ? 1 : 0);
    const failure = describeFailure(error);
    const givenUpAt = isGivenUp(tries) ? now : null;
    const tryAt = nextTry(now, tries);
    await deps.transact.asOperator((tx) =>
      noteFailure(tx, key, { failure, tries, tryAt, givenUpAt }),
    );
    throw error;
  }
  const { eventId } = key;
  await deps.transact.asOperator((tx) =>
    markApplied(tx, key, { ...event, eventId, fetchedAt, now: deps.clock.now() }),
  );
  return object.kind;
}
