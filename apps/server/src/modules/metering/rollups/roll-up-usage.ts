import type { Tx } from "@turnpike/db/client";
import type { AppServices } from "#platform/app-services.ts";
import { holdPendingUsage } from "../ledger/limited-keys.ts";
import { KEYS_IN_ONE_ROW } from "../ledger/pack-rows.ts";
import {
  findLastRowId,
  lockRollUp,
  type RollUpBounds,
  type RollUpGrain,
  rollUpHours,
  rollUpMinutes,
} from "./recent-usage.store.ts";

/**
 * Bounds of one transaction. The more commits of a tenant it sums, the fewer rows there are to write. This many keys take the
 * database some seconds for minutes, which nothing waits for, and a second or two for hours, which a key waits for that gets its
 * first quota.
 */
const AT_ONCE: Record<RollUpGrain, { rowsMax: number; keysMax: number }> = {
  minutes: { rowsMax: 8_192, keysMax: 131_072 },
  hours: { rowsMax: 8_192, keysMax: 32_768 },
};

const GRAINS: Record<RollUpGrain, (tx: Tx, bounds: RollUpBounds) => Promise<number>> = {
  minutes: (tx, bounds) => rollUpMinutes(tx, bounds, KEYS_IN_ONE_ROW),
  hours: async (tx, bounds) => {
    await holdPendingUsage(tx);
    return await rollUpHours(tx, bounds);
  },
};

export type RollUpOptions = {
  /** Ends it between two transactions. */
  signal?: AbortSignal | undefined;
  /** The current minute, which minutes leave to a later run with the ones after it, so that a key's row is written once. */
  running?: Date | undefined;
};

/**
 * Adds recent usage to the rollups of minutes, or from these to the rollups of hours. Takes what there was when it was called,
 * in transactions of a bounded size. A transaction that fails, for example because it takes too long, is tried again with half
 * the size. Does nothing while another process rolls up or needs the rollup tables for itself.
 *
 * Readers of rollups see each call exactly once, before and after each transaction. Idempotent: every process may run it, one
 * at a time does, and the next run takes what a killed one left.
 *
 * @returns How many rows of recent usage were added.
 * @throws What a transaction of a single row throws.
 */
export async function rollUpUsage(
  deps: Pick<AppServices, "transact">,
  grain: RollUpGrain,
  { signal, running }: RollUpOptions = {},
): Promise<number> {
  const { transact } = deps;
  const lastRowId = await transact.asMeter(findLastRowId);
  let { rowsMax, keysMax } = AT_ONCE[grain];
  let rows = 0;
  while (signal?.aborted !== true) {
    try {
      const bounds = { lastRowId, rowsMax, keysMax, running };
      const added = await transact.asMeter(async (tx) =>
        // Once it has begun, a run waits for work that needs the rollup tables for a moment, so that it does not end early.
        (await lockRollUp(tx, grain, rows > 0)) ? await GRAINS[grain](tx, bounds) : 0,
      );
      if (added === 0) {
        break;
      }
      rows += added;
    } catch (error) {
      if (rowsMax === 1) {
        throw error;
      }
      rowsMax = Math.ceil(rowsMax / 2);
      keysMax = Math.ceil(keysMax / 2);
    }
  }
  return rows;
}
