import type { Transact } from "#platform/transact.ts";
import {
  holdLimitedKeys,
  insertLimitedKey,
  isKeyLimited,
  type KeyLine,
  payRecentUsage,
} from "./limited-keys.store.ts";
import { holdHours } from "./recent-usage.store.ts";

/**
 * Makes a line of keys limited: from here on its balances hold all that is committed, as a quota that is cut from them must
 * know. Idempotent. Nobody rolls up hours meanwhile, and commits wait for as long as it takes to add what is owed, milliseconds
 * unless some hundred thousand keys of the tenant were used within minutes.
 *
 * @throws whatever the database throws, such as for the time it may take. Then nothing is changed.
 */
export async function limitKey(transact: Pick<Transact, "asMeter">, line: KeyLine): Promise<void> {
  if (await transact.asMeter((tx) => isKeyLimited(tx, line))) {
    return;
  }
  await transact.asMeter(async (tx) => {
    // Commits are held last: they need not wait for whoever rolls up.
    await holdHours(tx);
    await holdLimitedKeys(tx);
    if (await insertLimitedKey(tx, line)) {
      await payRecentUsage(tx, line);
    }
  });
}
