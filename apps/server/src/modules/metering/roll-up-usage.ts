import type { Tx } from "@turnpike/db/client";
import type { AppServices } from "#platform/app-services.ts";
import { KEYS_IN_ONE_PART } from "./key-parts.ts";
import {
  findLastPart,
  lockRollUp,
  type RollUpBounds,
  type RollUpGrain,
  rollUpHours,
  rollUpMinutes,
} from "./recent-usage.store.ts";

/**
 * In one transaction. The more commits of a tenant are summed, the fewer rows there are to write. So many keys take the database
 * some seconds in minutes, for which nobody waits; in hours a second or two, for which a key waits that gets its first quota.
 */
const AT_ONCE: Record<RollUpGrain, { partsMax: number; keysMax: number }> = {
  minutes: { partsMax: 8_192, keysMax: 131_072 },
  hours: { partsMax: 8_192, keysMax: 32_768 },
};

const GRAINS: Record<RollUpGrain, (tx: Tx, bounds: RollUpBounds) => Promise<number>> = {
  minutes: (tx, bounds) => rollUpMinutes(tx, bounds, KEYS_IN_ONE_PART),
  hours: rollUpHours,
};

export type RollUpOptions = {
  /** Ends it between two transactions. */
  signal?: AbortSignal | undefined;
  /** A minute that still runs, which minutes leave to a later run with the next ones: a key's row is then written once. */
  running?: Date | undefined;
};

/**
 * Adds recent usage to the rollups of minutes, or what these have to those of hours: what there was when it was called, unless
 * another process or who needs the rollups for itself is at it, in
 * transactions of a bounded size, and of half the size each time that one fails, such as for the time it may take. Whoever reads
 * rollups sees each call exactly once, before and after each of them. Idempotent; every process may run it, one at a time does,
 * and whoever is killed leaves the rest to the next run.
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
  const lastPart = await transact.asMeter(findLastPart);
  let { partsMax, keysMax } = AT_ONCE[grain];
  let parts = 0;
  while (signal?.aborted !== true) {
    try {
      const bounds = { lastPart, partsMax, keysMax, running };
      const added = await transact.asMeter(async (tx) =>
        // Who once began waits for those who need the rollups for a moment, so that its run does not end early.
        (await lockRollUp(tx, grain, parts > 0)) ? await GRAINS[grain](tx, bounds) : 0,
      );
      if (added === 0) {
        break;
      }
      parts += added;
    } catch (error) {
      if (partsMax === 1) {
        throw error;
      }
      partsMax = Math.ceil(partsMax / 2);
      keysMax = Math.ceil(keysMax / 2);
    }
  }
  return parts;
}
