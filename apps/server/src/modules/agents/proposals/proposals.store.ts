import type { Proposal, ProposedChange } from "@turnpike/contract/proposals";
import type { JsonValue, Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

export type ProposalRow = {
  tenant_id: TenantId;
  proposal_id: string;
  change: ProposedChange;
  reason: string;
  proposed_by: string;
  state: Exclude<Proposal["state"], "expired">;
  created_at: Date;
  expires_at: Date;
  decided_by: string | null;
  decided_at: Date | null;
};

const COLUMNS = [
  "tenant_id",
  "proposal_id",
  "change",
  "reason",
  "proposed_by",
  "state",
  "created_at",
  "expires_at",
  "decided_by",
  "decided_at",
] as const;

export async function insertProposal(tx: Tx, row: ProposalRow): Promise<void> {
  const change: JsonValue = JSON.parse(JSON.stringify(row.change));
  await tx`insert into proposals ${tx({ ...row, change: tx.json(change) }, ...COLUMNS)}`;
}

/** Newest first, before a given id. */
export async function listProposalRows(
  tx: Tx,
  tenantId: TenantId,
  page: { isOpen: boolean; now: Date; beforeId: string | undefined; limit: number },
): Promise<ProposalRow[]> {
  const before = page.beforeId ?? null;
  return await tx<ProposalRow[]>`
    select ${tx(COLUMNS)} from proposals
    where tenant_id = ${tenantId} and (${before}::text is null or proposal_id < ${before})
      and (not ${page.isOpen} or (state = 'open' and expires_at > ${page.now}))
    order by proposal_id desc
    limit ${page.limit}`;
}

export async function countOpenProposals(tx: Tx, tenantId: TenantId, now: Date): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::int as count from proposals
    where tenant_id = ${tenantId} and state = 'open' and expires_at > ${now}`;
  return row?.count ?? 0;
}

/** However they were decided on. */
export async function countProposalsSince(tx: Tx, tenantId: TenantId, from: Date): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::int as count from proposals
    where tenant_id = ${tenantId} and created_at > ${from}`;
  return row?.count ?? 0;
}

/** Locked until the end of the transaction. */
export async function lockProposal(
  tx: Tx,
  tenantId: TenantId,
  proposalId: string,
): Promise<ProposalRow | undefined> {
  const [row] = await tx<ProposalRow[]>`
    select ${tx(COLUMNS)} from proposals
    where tenant_id = ${tenantId} and proposal_id = ${proposalId} for update`;
  return row;
}

export async function updateProposal(
  tx: Tx,
  row: Pick<ProposalRow, "tenant_id" | "proposal_id" | "state" | "decided_by" | "decided_at">,
): Promise<void> {
  await tx`
    update proposals set ${tx(row, "state", "decided_by", "decided_at")}
    where tenant_id = ${row.tenant_id} and proposal_id = ${row.proposal_id}`;
}

/** Deletes what was proposed before. */
export async function deleteOldProposals(tx: Tx, tenantId: TenantId, before: Date): Promise<void> {
  await tx`delete from proposals where tenant_id = ${tenantId} and created_at < ${before}`;
}
