import {
  type CreateProposalRequest,
  PROPOSALS_MAX,
  type Proposal,
} from "@turnpike/contract/proposals";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import { writeAudit } from "#modules/audit/index.ts";
import { notify } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { lockCountOf } from "#platform/count-lock.store.ts";
import {
  countOpenProposals,
  countProposalsSince,
  deleteOldProposals,
  insertProposal,
  type ProposalRow,
} from "./proposals.store.ts";
import { describeChange, describeChangeInMail, toProposalReply } from "./to-proposal-reply.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Each is a notice, and taking it back makes room for the next. */
const PROPOSALS_PER_DAY_MAX = 100;
/** How long a person may take to accept. */
export const PROPOSAL_LIFETIME_MS = 7 * DAY_MS;
/** How long a proposal can be read; the audit trail keeps what was decided. */
const KEPT_MS = 90 * DAY_MS;

/**
 * Stores a change that a person decides on, and tells the members of the tenant. The change itself is checked when it is made, with the
 * rights of the person who accepts it.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant); `INSUFFICIENT_SCOPE`; `CONFLICT` when too many wait, or were made within a day.
 */
export async function proposeChange(
  deps: AppServices,
  context: CallContext,
  { tenantId, change, reason }: CreateProposalRequest,
): Promise<Proposal> {
  assertMayInTenant(context.actor, "proposals:write", tenantId);
  const now = deps.clock.now();
  const row: ProposalRow = {
    tenant_id: tenantId,
    proposal_id: deps.newId("proposal"),
    change,
    reason,
    proposed_by: `${context.actor.type}:${context.actor.id}`,
    state: "open",
    created_at: now,
    expires_at: new Date(now.getTime() + PROPOSAL_LIFETIME_MS),
    decided_by: null,
    decided_at: null,
  };
  await deps.transact.asTenant(tenantId, async (tx) => {
    await assertTenantExists(tx, tenantId);
    await lockCountOf(tx, "proposals", tenantId);
    await deleteOldProposals(tx, tenantId, new Date(now.getTime() - KEPT_MS));
    if ((await countOpenProposals(tx, tenantId, now)) >= PROPOSALS_MAX) {
      throw new AppError({
        code: "CONFLICT",
        publicMessage: `${String(PROPOSALS_MAX)} proposals wait already: a person decides on them first.`,
      });
    }
    const dayBefore = new Date(now.getTime() - DAY_MS);
    if ((await countProposalsSince(tx, tenantId, dayBefore)) >= PROPOSALS_PER_DAY_MAX) {
      throw new AppError({
        code: "CONFLICT",
        publicMessage: `${String(PROPOSALS_PER_DAY_MAX)} proposals were made within a day: that is the most.`,
      });
    }
    await insertProposal(tx, row);
    await writeAudit(deps, tx, context, {
      tenantId,
      action: "proposal.created",
      entityType: "proposal",
      entityId: row.proposal_id,
      details: { change: describeChange(change) },
    });
    await notify(deps, tx, {
      tenantId,
      kind: "proposal.created",
      title: `An agent proposes to ${describeChangeInMail(change)}`,
      body: "Nothing changes before a person accepts it, within seven days.",
      link: "/tenants?tab=agents",
    });
  });
  return toProposalReply(row, now);
}
