import type { BillingDeps } from "../billing-deps.ts";
import { applyAttempt, nextCheck } from "./apply-attempt.ts";
import {
  type AttemptRow,
  insertAttempts,
  listDueAttempts,
  listUntried,
  putOffCheck,
} from "./attempts.store.ts";
import { findProvider } from "./find-provider.ts";
import { type PaymentProvider, ProviderDown, ProviderMisconfigured } from "./payment-provider.ts";
import { endOutdated, notMade, sendAttempt, toRequest } from "./send-attempt.ts";

const BATCH = 50;
/** Attempts under way at once. Each holds no connection of the database while the provider is asked. */
const AT_ONCE = 8;
const HOUR_MS = 60 * 60_000;

/** How many attempts a run looked at. */
export type Collected = { looked: number };

/** Looks up an attempt that was sent. One that its invoice does not need any more, or not so, is ended at the provider. */
async function lookUp(
  deps: BillingDeps,
  provider: PaymentProvider,
  attempt: AttemptRow,
): Promise<void> {
  const { attemptId, reference, sentAt, due } = attempt;
  if (await endOutdated(deps, provider, attempt)) {
    return;
  }
  const isNeeded = BigInt(due) > 0n;
  const found =
    !isNeeded && reference !== null
      ? await provider.cancel(reference)
      : await provider.lookUp(toRequest(attempt, null));
  const sentMs = sentAt?.getTime() ?? 0;
  // What was sent may still be on its way: that it never came is believed after an hour.
  const isLost = found === undefined && deps.clock.now().getTime() - sentMs >= HOUR_MS;
  const payment = found ?? (isLost ? notMade("not_received") : { state: "unknown" as const });
  await applyAttempt(deps, { attemptId, payment });
}

/** Puts off what cannot be asked now. It is no failed attempt, and uses up none. */
async function putOff(deps: BillingDeps, { attemptId, checks }: AttemptRow): Promise<void> {
  const checkAt = nextCheck(deps.clock.now(), checks);
  await deps.transact.asOperator((tx) => putOffCheck(tx, { attemptId, checkAt }));
}

async function lookAfter(deps: BillingDeps, attempt: AttemptRow): Promise<void> {
  const { environment, attemptId, state, sentAt } = attempt;
  const provider = findProvider(deps, { environment, provider: attempt.provider });
  if (provider === undefined) {
    await putOff(deps, attempt);
    return;
  }
  try {
    if (state === "pending" && sentAt === null) {
      await sendAttempt(deps, provider, { attemptId, onSession: null });
    } else {
      await lookUp(deps, provider, attempt);
    }
  } catch (error) {
    if (error instanceof ProviderDown || error instanceof ProviderMisconfigured) {
      deps.logger.warn(
        { reason: error.message, attemptId },
        "An attempt to collect waits for its provider",
      );
    } else {
      deps.logger.error({ err: error, attemptId }, "An attempt to collect could not be finished");
    }
    await putOff(deps, attempt);
  }
}

/** Begins the first attempts of open invoices whose customers have a way to pay. Two at once begin one of each. */
async function beginAttempts(deps: BillingDeps): Promise<void> {
  await deps.transact.asOperator(async (tx) => {
    const untried = await listUntried(tx, BATCH);
    const rows = untried.map((each) => ({ ...each, attemptId: deps.newId("attempt") }));
    await insertAttempts(tx, rows, { now: deps.clock.now() });
  });
}

/**
 * Collects what is due: begins attempts, sends those whose time has come, and looks up those of which the outcome is not known.
 * Killed at any point, run twice or on two processes, no invoice is paid twice.
 *
 * @param input.signal - Ends the run after the attempts under way; the next run goes on.
 */
export async function collectDue(
  deps: BillingDeps,
  { signal }: { signal?: AbortSignal } = {},
): Promise<Collected> {
  await beginAttempts(deps);
  const total: Collected = { looked: 0 };
  const seen = new Set<string>();
  while (signal?.aborted !== true) {
    const now = deps.clock.now();
    const due = await deps.transact.asOperator((tx) =>
      listDueAttempts(tx, { now, limit: BATCH + seen.size }),
    );
    const fresh = due.filter(({ attemptId }) => !seen.has(attemptId)).slice(0, BATCH);
    if (fresh.length === 0) {
      return total;
    }
    const waiting = [...fresh];
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        seen.add(next.attemptId);
        total.looked += 1;
        await lookAfter(deps, next);
        if (signal?.aborted === true) {
          return;
        }
      }
    };
    // A provider that is slow to answer one request must not keep all customers waiting.
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }
  return total;
}
