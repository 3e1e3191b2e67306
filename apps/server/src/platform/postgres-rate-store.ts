import type { ConnectionTarget } from "@turnpike/db/client";
import { openPostgresPool } from "./postgres-pool.ts";
import {
  decideRateLevels,
  deleteFullRateLevels,
  joinRateMembers,
  leaveRateMembers,
} from "./rate-levels.store.ts";
import { fromRateNumbers, toRateNumbers } from "./rate-numbers.ts";
import type { RateStore } from "./rate-store.ts";

/** One for the group under way, and one for signs of life. */
const CONNECTIONS = 2;
/** No call waits this long; a statement that is given up holds locks that others wait for. */
const STATEMENT_TIMEOUT_MS = 1_000;
/** Full buckets that a sign of life deletes; a busy node leaves fewer behind until the next. */
const DELETED_AT_ONCE = 10_000;

/** Keeps buckets and places in unlogged tables of the database: one statement for each group of requests, one group at a time. */
export function openPostgresRateStore(target: ConnectionTarget): RateStore {
  const pool = openPostgresPool(target, {
    applicationName: "turnpike-rates",
    connectionsMax: CONNECTIONS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  return {
    kind: "postgres",
    groupsMax: 1,
    async decide(group) {
      const input = { ...toRateNumbers(group), member: group.member };
      if (input.names.length + input.places.length === 0) {
        return group.requests.map(() => ({ isTaken: true, levelsMs: [], held: [] }));
      }
      const answer = await pool.transact.asOperator((tx) => decideRateLevels(tx, input));
      return fromRateNumbers(group, answer);
    },
    join: (input) =>
      pool.transact.asOperator(async (tx) => {
        const members = await joinRateMembers(tx, input);
        await deleteFullRateLevels(tx, DELETED_AT_ONCE);
        return members;
      }),
    leave: (member) => pool.transact.asOperator((tx) => leaveRateMembers(tx, member)),
    close: () => pool.close(),
  };
}
