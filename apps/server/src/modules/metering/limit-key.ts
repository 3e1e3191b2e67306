import type { Transact } from "#platform/transact.ts";
import {
  holdLimitedKeys,
  holdPayments,
  insertLimitedKey,
  isKeyLimited,
  type KeyLine,
  payRecentUsage,
} from "./limited-keys.store.ts";

/** What a transaction looks for among recent usage, while commits wait for its end. */
const LINES_AT_ONCE = 8;

async function limitKeys(
  transact: Pick<Transact, "asMeter">,
  lines: readonly KeyLine[],
): Promise<void> {
  await transact.asMeter(async (tx) => {
    // Commits are held last: they need not wait for whoever rolls up hours.
    await holdPayments(tx);
    await holdLimitedKeys(tx);
    for (const line of lines) {
      if (await insertLimitedKey(tx, line)) {
        await payRecentUsage(tx, line);
      }
    }
  });
}

/**
 * Makes a line of keys limited: from here on its balances hold all that is committed, as a quota that is cut from them must
 * know. Idempotent. Waits for hours that are being rolled up and for the ends of commits under way; other commits wait for as
 * long as it takes to add what is owed, milliseconds unless some hundred thousand keys of the tenant were used within minutes.
 *
 * @throws whatever the database throws, such as for the time it may take. Then nothing is changed.
 */
export async function limitKey(transact: Pick<Transact, "asMeter">, line: KeyLine): Promise<void> {
  if (!(await transact.asMeter((tx) => isKeyLimited(tx, line)))) {
    await limitKeys(transact, [line]);
  }
}

type Waiting = { line: KeyLine } & PromiseWithResolvers<void>;

/**
 * Makes the same of `limitKey` for all of a process: one transaction at a time, with several lines in it. Many first quotas at
 * once would each take a connection to wait for the others.
 */
export function createKeyLimiter(
  transact: Pick<Transact, "asMeter">,
): (line: KeyLine) => Promise<void> {
  const waiting: Waiting[] = [];
  let isLimiting = false;

  async function limitAll(): Promise<void> {
    isLimiting = true;
    while (waiting.length > 0) {
      const taken = waiting.splice(0, LINES_AT_ONCE);
      try {
        await limitKeys(
          transact,
          taken.map(({ line }) => line),
        );
        for (const { resolve } of taken) {
          resolve();
        }
      } catch (error) {
        for (const { reject } of taken) {
          reject(error);
        }
      }
    }
    isLimiting = false;
  }

  return (line) => {
    const entry = { line, ...Promise.withResolvers<void>() };
    waiting.push(entry);
    if (!isLimiting) {
      void limitAll();
    }
    return entry.promise;
  };
}
