import { isRetryableError } from "@turnpike/db/database-errors";
import { cutOffUsage } from "#modules/metering/index.ts";
import type { BillingDeps } from "../billing-deps.ts";

/** Commits of usage that hold a cut-off up take well under a second each. */
const ATTEMPTS_MAX = 10;

/**
 * Takes a cut-off: usage recorded up to the returned instant is in the ledger, and nothing is recorded before it from now on.
 *
 * @throws The database's `lock_not_available` when commits hold it up ten times, a second each.
 */
export async function takeCutOff(deps: Pick<BillingDeps, "transact" | "cutOff">): Promise<Date> {
  if (deps.cutOff !== undefined) {
    return deps.cutOff();
  }
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await deps.transact.asMeter(cutOffUsage);
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !isRetryableError(error)) {
        throw error;
      }
    }
  }
}
