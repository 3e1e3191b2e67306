import type { Tx } from "@turnpike/db/client";
import { EVENT_IDS_KEPT_DAYS } from "@turnpike/domain/events/event-time";
import type { Transact } from "#platform/transact.ts";
import {
  deleteOldEventIds,
  deleteOldRejections,
  deleteRejectionsUpTo,
  listRejectingTenants,
  maintainEventPartitions,
} from "./events.store.ts";

const PARTITIONS_AHEAD_DAYS = 7;
/** For each tenant, and for those without one. */
const REJECTIONS_KEPT_MAX = 10_000;
/** Rows in one statement: it takes a second or two, far below its time limit. */
const IDS_AT_ONCE = 500_000;
const REJECTIONS_AT_ONCE = 20_000;
/** Tenants in one page. For each of them, as many index entries are read as rejections are kept. */
const TENANTS_AT_ONCE = 20;

export type PruneEventsDeps = {
  transact: Transact;
  retention: {
    /** How long events are kept as they were sent, for trying meters. What they counted towards stays. */
    eventsDays: number;
    rejectedEventsDays: number;
  };
};

type PruneEventsBounds = {
  /** Ends the run between two statements. The next run continues. */
  signal?: AbortSignal;
  idsAtOnce?: number;
  rejectionsAtOnce?: number;
  rejectionsKeptMax?: number;
  tenantsAtOnce?: number;
};

/**
 * Creates partitions for the coming days and deletes what is old, until nothing is left or the run is over. Idempotent; every
 * process may run it.
 */
export async function pruneEvents(
  deps: PruneEventsDeps,
  {
    signal,
    idsAtOnce = IDS_AT_ONCE,
    rejectionsAtOnce = REJECTIONS_AT_ONCE,
    rejectionsKeptMax = REJECTIONS_KEPT_MAX,
    tenantsAtOnce = TENANTS_AT_ONCE,
  }: PruneEventsBounds = {},
): Promise<{
  made: number;
  dropped: number;
  ids: number;
  rejections: number;
}> {
  async function deleteAll(
    rowsMax: number,
    deleteSome: (tx: Tx, rowsMax: number) => Promise<number>,
  ): Promise<number> {
    let deleted = 0;
    let count = rowsMax;
    while (count >= rowsMax && signal?.aborted !== true) {
      count = await deps.transact.asMeter((tx) => deleteSome(tx, rowsMax));
      deleted += count;
    }
    return deleted;
  }

  // In a transaction of its own: dropping a partition waits for readers, and nothing else should wait with it.
  const partitions = await deps.transact.asMeter((tx) =>
    maintainEventPartitions(tx, {
      daysAhead: PARTITIONS_AHEAD_DAYS,
      daysKept: deps.retention.eventsDays,
    }),
  );
  const days = deps.retention.rejectedEventsDays;
  let rejections = await deleteAll(rejectionsAtOnce, (tx, rowsMax) =>
    deleteOldRejections(tx, { days, rowsMax }),
  );
  let after: string | undefined;
  let met = tenantsAtOnce;
  while (met === tenantsAtOnce && signal?.aborted !== true) {
    const page = { after, tenantsMax: tenantsAtOnce, keptMax: rejectionsKeptMax };
    const tenants = await deps.transact.asMeter((tx) => listRejectingTenants(tx, page));
    for (const { tenant_id: tenantId, surplus_id: surplusId } of tenants) {
      if (surplusId !== null) {
        rejections += await deleteAll(rejectionsAtOnce, (tx, rowsMax) =>
          deleteRejectionsUpTo(tx, { tenantId, surplusId, rowsMax }),
        );
      }
    }
    after = tenants.at(-1)?.tenant_id;
    met = tenants.length;
  }
  const ids = await deleteAll(idsAtOnce, (tx, rowsMax) =>
    deleteOldEventIds(tx, { days: EVENT_IDS_KEPT_DAYS, rowsMax }),
  );
  return { ...partitions, ids, rejections };
}
