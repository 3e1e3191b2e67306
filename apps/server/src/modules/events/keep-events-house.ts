import { EVENT_IDS_KEPT_DAYS } from "@turnpike/domain/events/event-time";
import type { Transact } from "#platform/transact.ts";
import { deleteOldEventIds, deleteOldRejections, keepEventPartitions } from "./events.store.ts";

const PARTITIONS_AHEAD_DAYS = 7;
/** Of each tenant, and of none. */
const REJECTIONS_KEPT_MAX = 10_000;
const IDS_A_RUN_MAX = 500_000;

export type EventsHouseDeps = {
  transact: Transact;
  retention: {
    /** Events as they came are kept this long, for trying meters; what they were counted to stays. */
    eventsDays: number;
    rejectedEventsDays: number;
  };
};

/** Makes room for the events of the coming days and forgets what is old. Idempotent; every process may run it. */
export async function keepEventsHouse(deps: EventsHouseDeps): Promise<{
  made: number;
  dropped: number;
  ids: number;
  rejections: number;
}> {
  // Each by itself: dropping a partition waits for readers, and nothing else should wait with it.
  const partitions = await deps.transact.asMeter((tx) =>
    keepEventPartitions(tx, {
      daysAhead: PARTITIONS_AHEAD_DAYS,
      daysKept: deps.retention.eventsDays,
    }),
  );
  const ids = await deps.transact.asMeter((tx) =>
    deleteOldEventIds(tx, { days: EVENT_IDS_KEPT_DAYS, rowsMax: IDS_A_RUN_MAX }),
  );
  const rejections = await deps.transact.asMeter((tx) =>
    deleteOldRejections(tx, {
      days: deps.retention.rejectedEventsDays,
      keptMax: REJECTIONS_KEPT_MAX,
    }),
  );
  return { ...partitions, ids, rejections };
}
