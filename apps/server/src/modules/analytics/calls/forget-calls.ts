import type { AppServices } from "#platform/app-services.ts";
import { deleteOldCalls, deleteOldOmissions } from "./recent-calls.store.ts";
import { toRequestIdBound } from "./request-id-bound.ts";

const DAY_MS = 86_400_000;
/** Calls of one transaction, and transactions of one run: more in ten minutes than several machines write. */
const CALLS_AT_ONCE = 10_000;
const TIMES_MAX = 60;

/**
 * Deletes calls that are older than they are kept. Idempotent; stopped anywhere, the next run goes on.
 *
 * @returns How many calls were deleted.
 */
export async function forgetCalls(
  deps: Pick<AppServices, "transact" | "clock"> & { callsDays: number },
): Promise<number> {
  const beforeMs = deps.clock.now().getTime() - deps.callsDays * DAY_MS;
  const old = { beforeId: toRequestIdBound(beforeMs), max: CALLS_AT_ONCE };
  let deleted = 0;
  for (let time = 0; time < TIMES_MAX; time += 1) {
    const count = await deps.transact.asMeter((tx) => deleteOldCalls(tx, old));
    deleted += count;
    if (count < CALLS_AT_ONCE) {
      break;
    }
  }
  await deps.transact.asMeter((tx) => deleteOldOmissions(tx, beforeMs));
  return deleted;
}
