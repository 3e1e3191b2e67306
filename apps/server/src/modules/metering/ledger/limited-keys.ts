import type { Tx } from "@turnpike/db/client";
import type { KeyId } from "@turnpike/domain/ids/ids";
import type { Transact } from "#platform/transact.ts";
import {
  applyPendingUsage,
  holdCommits,
  holdPendingUsage,
  insertLimitedKey,
  isKeyLimited,
  type KeyLine,
  listLimitedKeys,
  shareLimitedKeys,
} from "./limited-keys.store.ts";
import type { GroupEntry } from "./usage-group.ts";

/*
 * Everything about keys with limits of their own. A line of keys is a key and those it was rolled to.
 *
 * - A limited line has a quota of its own, or had one. Each commit adds to its balance, because leases are cut from it.
 * - The usage of any other line is pending while only recent usage has it. It is added to the balance when hours are rolled
 *   up, or when the line becomes limited. `usage_of_keys` shows balances and pending usage together.
 * - Usage of a rolled key is never pending: each commit adds it to the balance of the first key.
 */

export { holdPendingUsage, isKeyLimited, type KeyLine };

/** True for usage that stays pending while its line is not limited: that of the first key of a line. */
export function mayBePending({ originKeyId }: Pick<GroupEntry, "originKeyId">): boolean {
  return originKeyId === undefined;
}

/** Reads which of the keys are limited. None becomes limited until the transaction ends. */
export async function readLimitedKeys(tx: Tx, keys: readonly KeyLine[]): Promise<Set<KeyId>> {
  await shareLimitedKeys(tx);
  return await listLimitedKeys(tx, keys);
}

/** Lines in one transaction, for each of which it searches recent usage while commits wait. */
const LINES_AT_ONCE = 8;

async function limitKeys(
  transact: Pick<Transact, "asMeter">,
  lines: readonly KeyLine[],
): Promise<void> {
  await transact.asMeter(async (tx) => {
    // Commits are held back last, so that they do not wait for hours that are being rolled up.
    await holdPendingUsage(tx);
    await holdCommits(tx);
    for (const line of lines) {
      if (await insertLimitedKey(tx, line)) {
        await applyPendingUsage(tx, line);
      }
    }
  });
}

/**
 * Makes a line of keys limited: from here on its balances hold everything that is committed. Idempotent. Waits for hours that
 * are being rolled up and for commits under way. Other commits wait while pending usage is added: milliseconds, unless the
 * tenant used some hundred thousand keys within minutes.
 *
 * @throws the error of the database, such as a timeout. Then nothing is changed.
 */
export async function limitKey(transact: Pick<Transact, "asMeter">, line: KeyLine): Promise<void> {
  if (!(await transact.asMeter((tx) => isKeyLimited(tx, line)))) {
    await limitKeys(transact, [line]);
  }
}

type Waiting = { line: KeyLine } & PromiseWithResolvers<void>;

/**
 * Makes lines limited like {@link limitKey}, for a whole process: one transaction at a time, several lines each. Otherwise many
 * first quotas at once would each hold a connection while they wait for one another.
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
