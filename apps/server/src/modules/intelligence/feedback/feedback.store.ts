import type { RaisedConfidence } from "@turnpike/contract/insight-feedback";
import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** Anomalies alike: of one measure, explained by one dimension. */
export type Likeness = Pick<RaisedConfidence, "measure" | "dimension">;

export type VoteRow = Likeness & { is_useful: boolean; rated_at: Date };

/** What members said of anomalies, oldest first. Votes end with their insight, 90 days after its end. */
export async function listVoteRows(tx: Tx, tenantId: TenantId): Promise<VoteRow[]> {
  return await tx<VoteRow[]>`
    select facts #>> '{evidence,measure}' as measure, facts #>> '{evidence,cause,dimension}' as dimension,
      is_useful, rated_at
    from insights
    where tenant_id = ${tenantId} and kind = 'anomaly' and is_useful is not null and rated_at is not null
      and facts #>> '{evidence,measure}' is not null
    order by rated_at, insight_id`;
}

/** Takes back that anomalies were not useful. @returns How many. */
export async function forgetVotesAgainst(
  tx: Tx,
  tenantId: TenantId,
  { measure, dimension }: Likeness,
): Promise<number> {
  const rows = await tx`
    update insights set is_useful = null, rated_at = null
    where tenant_id = ${tenantId} and kind = 'anomaly' and is_useful = false
      and facts #>> '{evidence,measure}' = ${measure}
      and facts #>> '{evidence,cause,dimension}' is not distinct from ${dimension}
    returning 1`;
  return rows.length;
}

/** The fingerprints of what goes on, dismissed or not. */
export async function listRunningFingerprints(
  tx: Tx,
  tenantId: TenantId,
): Promise<ReadonlySet<string>> {
  const rows = await tx<{ fingerprint: string }[]>`
    select fingerprint from insights where tenant_id = ${tenantId} and ended_at is null`;
  return new Set(rows.map((row) => row.fingerprint));
}
