import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { requiredConfidence, type Vote } from "@turnpike/domain/insights/required-confidence";
import type { FoundInsight } from "../found-insight.ts";
import { type Likeness, listRunningFingerprints, listVoteRows } from "./feedback.store.ts";

/** What was said of anomalies alike. */
export type VotesAlike = Likeness & { votes: Vote[] };

function isAlike(one: Likeness, other: Likeness): boolean {
  return one.measure === other.measure && one.dimension === other.dimension;
}

/** Reads what members of a tenant said of anomalies, with those alike together. */
export async function readVotes(tx: Tx, tenantId: TenantId): Promise<VotesAlike[]> {
  const all: VotesAlike[] = [];
  for (const { measure, dimension, ...row } of await listVoteRows(tx, tenantId)) {
    const vote = { isUseful: row.is_useful, ratedAtMs: row.rated_at.getTime() };
    const known = all.find((votes) => isAlike(votes, { measure, dimension }));
    if (known === undefined) {
      all.push({ measure, dimension, votes: [vote] });
    } else {
      known.votes.push(vote);
    }
  }
  return all;
}

/**
 * Leaves out anomalies that are too little unusual, given what members said of others like them. What goes on already is never
 * left out, so that feedback ends no insight; facts, such as a quota near its end, are not judged.
 */
export async function heedFeedback(
  tx: Tx,
  input: { tenantId: TenantId; found: readonly FoundInsight[]; nowMs: number },
): Promise<FoundInsight[]> {
  const { tenantId, found, nowMs } = input;
  const votes = await readVotes(tx, tenantId);
  const running = await listRunningFingerprints(tx, tenantId);
  return found.filter(({ fingerprint, facts: { evidence, confidence } }) => {
    if (evidence === null || running.has(fingerprint)) {
      return true;
    }
    const likeness = { measure: evidence.measure, dimension: evidence.cause?.dimension ?? null };
    const alike = votes.find((each) => isAlike(each, likeness));
    return confidence >= requiredConfidence(alike?.votes ?? [], nowMs);
  });
}
