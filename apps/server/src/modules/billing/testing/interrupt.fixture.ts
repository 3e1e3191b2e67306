import type { Sql, Tx } from "@turnpike/db/client";
import { createTransact, type Transact } from "#platform/transact.ts";

/** A statement was not sent, because the process that would have sent it is gone. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

export type Interruptions = {
  transact: Transact;
  /** Statements that were about to be sent, and transactions that had ended. */
  passed(): number;
};

/**
 * Counts through what a use case asks of the database: each statement, before it is sent, and each commit, after it.
 *
 * @param onPoint - Called with the count at each of these points; what it throws ends the transaction there.
 */
export function countPoints(
  sql: Pick<Sql, "transaction">,
  onPoint: (count: number) => void,
): Interruptions {
  let count = 0;
  const reach = () => {
    count += 1;
    onPoint(count);
  };
  const watch = (tx: Tx): Tx =>
    new Proxy(tx, {
      apply(target, self, args) {
        reach();
        return Reflect.apply(target, self, args);
      },
    });
  const transaction: Sql["transaction"] = async (work, options) => {
    const result = await sql.transaction((tx) => work(watch(tx)), options);
    reach();
    return result;
  };
  return { transact: createTransact({ transaction }), passed: () => count };
}
