import type { AppServices } from "#platform/app-services.ts";
import { countHeld } from "./held-accounts.store.ts";

/** What health says of accounts that wait for the operator; undefined when none does. */
export async function findHeldAccounts(
  deps: Pick<AppServices, "transact">,
): Promise<string | undefined> {
  const held = await deps.transact.asOperator(countHeld);
  return held === undefined
    ? undefined
    : `${held.count === 1 ? "1 account waits" : `${String(held.count)} accounts wait`} for you before invoices can be issued, the first since ${held.since.toISOString()}. ${held.reason}`;
}
