import type { Tx } from "@turnpike/db/client";
import { advanceInsight, type InsightState } from "@turnpike/domain/insights/advance-insight";
import type { AppServices } from "#platform/app-services.ts";
import type { FoundInsight } from "./found-insight.ts";
import type { StoredInsight } from "./stored-insight.ts";

/** Where insights of a tenant, or of the installation, are kept. */
export type InsightBook = {
  /** All rows, locked until the end of the transaction, by their fingerprints. */
  lock(tx: Tx): Promise<Map<string, StoredInsight>>;
  save(tx: Tx, row: StoredInsight): Promise<void>;
  deleteEnded(tx: Tx, before: Date): Promise<number>;
};

const DAY_MS = 24 * 60 * 60_000;
const KEPT_DAYS = 90;

function toState(row: StoredInsight): InsightState {
  return {
    sinceMs: row.since.getTime(),
    seenAtMs: row.seen_at.getTime(),
    endedAtMs: row.ended_at?.getTime() ?? null,
    dismissedAtMs: row.dismissed_at?.getTime() ?? null,
    isUseful: row.is_useful,
    ratedAtMs: row.rated_at?.getTime() ?? null,
  };
}

function toDate(epochMs: number | null): Date | null {
  return epochMs === null ? null : new Date(epochMs);
}

/** A fact that has been true for a while keeps the time at which it was first found. */
function sinceOf({ kind, sinceMs }: FoundInsight, row: StoredInsight | undefined): number {
  const isKept = kind !== "anomaly" && row !== undefined && row.ended_at === null;
  return isKept ? row.since.getTime() : sinceMs;
}

/** Stores what was found: a cause that was known goes on, one that is gone has ended. */
export async function saveFound(
  deps: AppServices,
  tx: Tx,
  { book, found }: { book: InsightBook; found: readonly FoundInsight[] },
): Promise<void> {
  const now = deps.clock.now();
  const known = await book.lock(tx);
  for (const insight of found) {
    const { kind, fingerprint, facts, isOver } = insight;
    const row = known.get(fingerprint);
    const state = advanceInsight(
      row && toState(row),
      { sinceMs: sinceOf(insight, row), isOver },
      now.getTime(),
    );
    known.delete(fingerprint);
    await book.save(tx, {
      insight_id: row?.insight_id ?? deps.newId("insight"),
      fingerprint,
      kind,
      facts,
      since: new Date(state.sinceMs),
      seen_at: new Date(state.seenAtMs),
      ended_at: toDate(state.endedAtMs),
      dismissed_at: toDate(state.dismissedAtMs),
      is_useful: state.isUseful,
      rated_at: toDate(state.ratedAtMs),
    });
  }
  for (const row of known.values()) {
    if (row.ended_at === null) {
      await book.save(tx, { ...row, ended_at: now });
    }
  }
  await book.deleteEnded(tx, new Date(now.getTime() - KEPT_DAYS * DAY_MS));
}
