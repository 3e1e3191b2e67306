import type { AppServices } from "#platform/app-services.ts";
import { deleteHappeningsBefore } from "./alert-happenings.store.ts";

/** Rows of one transaction. */
const BATCH = 5_000;

/** Forgets what happened to alerts before an instant. @returns How many entries that were. */
export async function deleteOldHappenings(
  deps: Pick<AppServices, "transact">,
  before: Date,
): Promise<number> {
  let sum = 0;
  for (;;) {
    const count = await deps.transact.asOperator((tx) => deleteHappeningsBefore(tx, before, BATCH));
    sum += count;
    if (count < BATCH) {
      return sum;
    }
  }
}
