import type { Tx } from "@turnpike/db/client";
import type { InsightBook } from "../save-found.ts";
import {
  CHANGING_COLUMNS,
  INSIGHT_COLUMNS,
  type StoredInsight,
  toFactsJson,
} from "../stored-insight.ts";

/** Newest first. Needs the operator role, as all here. */
export async function listInstallationRows(
  tx: Tx,
  input: { isOpen: boolean; limit: number },
): Promise<StoredInsight[]> {
  return await tx<StoredInsight[]>`
    select ${tx(INSIGHT_COLUMNS)} from installation_insights
    where not ${input.isOpen} or (ended_at is null and dismissed_at is null)
    order by since desc, insight_id desc
    limit ${input.limit}`;
}

export async function lockInstallationRow(
  tx: Tx,
  insightId: string,
): Promise<StoredInsight | undefined> {
  const [row] = await tx<StoredInsight[]>`
    select ${tx(INSIGHT_COLUMNS)} from installation_insights where insight_id = ${insightId} for update`;
  return row;
}

export const installationBook: InsightBook = {
  async lock(tx) {
    const rows = await tx<StoredInsight[]>`
      select ${tx(INSIGHT_COLUMNS)} from installation_insights order by insight_id for update`;
    return new Map(rows.map((row) => [row.fingerprint, row]));
  },
  async save(tx, row) {
    const stored = { ...row, facts: toFactsJson(tx, row.facts) };
    await tx`
      insert into installation_insights ${tx(stored, ...INSIGHT_COLUMNS)}
      on conflict (fingerprint) do update set ${tx(stored, ...CHANGING_COLUMNS)}`;
  },
  async deleteEnded(tx, before) {
    const rows = await tx`
      delete from installation_insights where ended_at < ${before} returning 1`;
    return rows.length;
  },
};

export type InstallationCheck = { checked_at: Date; history_hours: number };

export async function findInstallationCheck(tx: Tx): Promise<InstallationCheck | undefined> {
  const [row] = await tx<InstallationCheck[]>`
    select checked_at, history_hours from installation_insight_check`;
  return row;
}

export async function saveInstallationCheck(tx: Tx, check: InstallationCheck): Promise<void> {
  await tx`
    insert into installation_insight_check (checked_at, history_hours)
    values (${check.checked_at}, ${check.history_hours})
    on conflict (is_only) do update
    set checked_at = excluded.checked_at, history_hours = excluded.history_hours`;
}
