import type { Insight, InstallationInsight } from "@turnpike/contract/insights";
import type { JsonValue, Tx } from "@turnpike/db/client";

export type InsightFacts = Pick<Insight, "text" | "confidence" | "evidence" | "action">;

/** An insight as it is kept, of a tenant or of the installation. */
export type StoredInsight = {
  insight_id: string;
  fingerprint: string;
  kind: Insight["kind"];
  facts: InsightFacts;
  since: Date;
  seen_at: Date;
  ended_at: Date | null;
  dismissed_at: Date | null;
  is_useful: boolean | null;
  rated_at: Date | null;
};

/** What a later look or a person changes. */
export const CHANGING_COLUMNS = [
  "facts",
  "since",
  "seen_at",
  "ended_at",
  "dismissed_at",
  "is_useful",
  "rated_at",
] as const;
export const INSIGHT_COLUMNS = ["insight_id", "fingerprint", "kind", ...CHANGING_COLUMNS] as const;

/** The value that has only what JSON has: the contract's types say so, but the driver's do not follow them. */
export function toFactsJson(tx: Tx, facts: InsightFacts) {
  const value: JsonValue = JSON.parse(JSON.stringify(facts));
  return tx.json(value);
}

/** What a person said: null takes it back. */
export type Feedback = { isDismissed?: boolean | undefined; isUseful?: boolean | null | undefined };

export function withFeedback<Row extends StoredInsight>(
  row: Row,
  { isDismissed, isUseful }: Feedback,
  now: Date,
): Row {
  return {
    ...row,
    ...(isDismissed === undefined ? {} : { dismissed_at: isDismissed ? now : null }),
    ...(isUseful === undefined
      ? {}
      : { is_useful: isUseful, rated_at: isUseful === null ? null : now }),
  };
}

export function toInsightReply(row: StoredInsight): InstallationInsight {
  return {
    insightId: row.insight_id,
    kind: row.kind,
    ...row.facts,
    since: row.since.toISOString(),
    seenAt: row.seen_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
    dismissedAt: row.dismissed_at?.toISOString() ?? null,
    isUseful: row.is_useful,
  };
}
