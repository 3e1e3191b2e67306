import type { AppServices } from "#platform/app-services.ts";
import { findTrouble } from "./provider-events.store.ts";

/** An event is tried for about so long before it counts as trouble. */
const TRIED_MS = 15 * 60_000;

/** What health says of providers that do not answer, or refuse what they are asked for; undefined while all is well. */
export async function findPaymentTrouble(
  deps: Pick<AppServices, "transact" | "clock">,
): Promise<string | undefined> {
  const before = new Date(deps.clock.now().getTime() - TRIED_MS);
  const found = await deps.transact.asOperator((tx) => findTrouble(tx, before));
  return found === undefined
    ? undefined
    : `Payments wait since ${found.since.toISOString()}: ${found.trouble} Calls and invoices go on.`;
}
