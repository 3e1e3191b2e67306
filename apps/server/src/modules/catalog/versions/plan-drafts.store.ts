import type { Tx } from "@turnpike/db/client";
import type { PlanTerms } from "@turnpike/domain/catalog/plan";

export type PlanDraftRow = {
  planId: string;
  terms: PlanTerms;
  revision: bigint;
  updatedAt: Date;
  updatedBy: string;
};

/** Every draft, the newest first; at most 1,000. */
export async function listPlanDraftRows(tx: Tx): Promise<PlanDraftRow[]> {
  return await tx<PlanDraftRow[]>`
    select plan_id as "planId", terms, revision, updated_at as "updatedAt", updated_by as "updatedBy"
    from plan_drafts order by updated_at desc, plan_id
    limit 1000`;
}

export async function countPlanDrafts(tx: Tx): Promise<number> {
  const [row] = await tx<{ count: number }[]>`select count(*)::int as count from plan_drafts`;
  return row?.count ?? 0;
}

export async function findPlanDraftRow(tx: Tx, planId: string): Promise<PlanDraftRow | undefined> {
  const [row] = await tx<PlanDraftRow[]>`
    select plan_id as "planId", terms, revision, updated_at as "updatedAt", updated_by as "updatedBy"
    from plan_drafts where plan_id = ${planId}`;
  return row;
}

/** Creates or replaces a draft. @returns It, with its new revision. */
export async function upsertPlanDraft(
  tx: Tx,
  { planId, terms, updatedAt, updatedBy }: Omit<PlanDraftRow, "revision">,
): Promise<PlanDraftRow> {
  const [row] = await tx<PlanDraftRow[]>`
    insert into plan_drafts (plan_id, terms, updated_at, updated_by)
    values (${planId}, ${tx.json(terms)}, ${updatedAt}, ${updatedBy})
    on conflict (plan_id) do update set terms = excluded.terms, revision = excluded.revision,
      updated_at = excluded.updated_at, updated_by = excluded.updated_by
    returning plan_id as "planId", terms, revision, updated_at as "updatedAt", updated_by as "updatedBy"`;
  if (row === undefined) {
    throw new Error("A draft was stored and is not there.");
  }
  return row;
}

export async function deletePlanDraftRow(tx: Tx, planId: string): Promise<void> {
  await tx`delete from plan_drafts where plan_id = ${planId}`;
}
