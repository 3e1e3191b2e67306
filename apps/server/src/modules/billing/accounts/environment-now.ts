import type { Tx } from "@turnpike/db/client";
import type { BillingDeps } from "../billing-deps.ts";
import { type AccountKey, listAccounts } from "./accounts.store.ts";

/** What time it is for an account: in a sandbox by its own clock. */
export async function environmentNow(
  deps: Pick<BillingDeps, "clock">,
  tx: Tx,
  key: AccountKey,
): Promise<Date> {
  const [row] = await listAccounts(tx, [key]);
  return new Date(deps.clock.now().getTime() + (row?.aheadMs ?? 0));
}
