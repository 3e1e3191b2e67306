import type { AppServices } from "#platform/app-services.ts";
import { deleteAlertEventsBefore } from "./alert-events.store.ts";

/** Rows in one transaction. */
const BATCH = 5_000;

/** Deletes alert events from before an instant. @returns How many. */
export async function pruneAlertEvents(
  deps: Pick<AppServices, "transact">,
  before: Date,
): Promise<number> {
  let sum = 0;
  for (;;) {
    const count = await deps.transact.asOperator((tx) =>
      deleteAlertEventsBefore(tx, before, BATCH),
    );
    sum += count;
    if (count < BATCH) {
      return sum;
    }
  }
}
