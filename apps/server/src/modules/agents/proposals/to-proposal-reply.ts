import type { Proposal, ProposedChange } from "@turnpike/contract/proposals";
import { toMailedName } from "@turnpike/domain/text/name-fault";
import { said } from "@turnpike/domain/text/said";
import type { ProposalRow } from "./proposals.store.ts";

export function isWaiting(row: ProposalRow, now: Date): boolean {
  return row.state === "open" && row.expires_at > now;
}

export function toProposalReply(row: ProposalRow, now: Date): Proposal {
  return {
    proposalId: row.proposal_id,
    tenantId: row.tenant_id,
    change: row.change,
    reason: row.reason,
    state: row.state === "open" && !isWaiting(row, now) ? "expired" : row.state,
    proposedBy: row.proposed_by,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    decidedBy: row.decided_by,
    decidedAt: row.decided_at?.toISOString() ?? null,
  };
}

/** The change in a few words, for the audit trail. */
export function describeChange(change: ProposedChange): string {
  return change.do === "create_key"
    ? said(`create the ${change.key.environment} key ${change.key.name}`)
    : said(`set the spend cap to ${change.amount}`);
}

/** The same for a notice, which may go out by mail: no name in it becomes a link. */
export function describeChangeInMail(change: ProposedChange): string {
  return change.do === "create_key"
    ? said(
        `create the ${change.key.environment} key ${toMailedName(change.key.name, "whose name is in the console")}`,
      )
    : describeChange(change);
}
