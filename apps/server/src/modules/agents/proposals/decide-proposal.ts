import type { AcceptedProposal, Proposal, ProposedChange } from "@turnpike/contract/proposals";
import type { Tx } from "@turnpike/db/client";
import { assertMayInTenant, type CallContext, getPerson } from "@turnpike/domain/access/actor";
import type { Scope } from "@turnpike/domain/access/scopes";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import { type BillingDeps, putSpendCap } from "#modules/billing/index.ts";
import { createKey, isKeyActive } from "#modules/keys/index.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { hasAgentGrant } from "../oauth/agent-grants.store.ts";
import { lockProposal, type ProposalRow, updateProposal } from "./proposals.store.ts";
import { describeChange, isWaiting, toProposalReply } from "./to-proposal-reply.ts";

type Address = { tenantId: TenantId; proposalId: string };

/** What the change itself needs. */
const SCOPES: Readonly<Record<ProposedChange["do"], Scope>> = {
  create_key: "keys:write",
  set_spend_cap: "billing:write",
};

function nameActor({ actor }: CallContext): string {
  return `${actor.type}:${actor.id}`;
}

async function getWaiting(tx: Tx, address: Address, now: Date): Promise<ProposalRow> {
  const { tenantId, proposalId } = address;
  await assertTenantExists(tx, tenantId);
  const row = await lockProposal(tx, tenantId, proposalId);
  if (row === undefined) {
    throw resourceNotFound("proposal");
  }
  if (!isWaiting(row, now)) {
    const { state } = toProposalReply(row, now);
    throw new AppError({
      code: "CONFLICT",
      publicMessage:
        state === "expired"
          ? "This proposal has expired: it can be made again."
          : `This proposal was ${state} already.`,
    });
  }
  return row;
}

async function makeChange(
  deps: BillingDeps,
  context: CallContext,
  { tenantId, change }: { tenantId: TenantId; change: ProposedChange },
): Promise<AcceptedProposal["createdKey"]> {
  if (change.do === "create_key") {
    return await createKey(deps, context, { tenantId, metadata: {}, ...change.key });
  }
  await putSpendCap(deps, context, { tenantId, amount: change.amount });
  return null;
}

/** What a program proposed is not made when it has been stopped, perhaps because its credential was in wrong hands. */
async function assertProposerActive(tx: Tx, row: ProposalRow, now: Date): Promise<void> {
  const [type, id = ""] = row.proposed_by.split(":");
  const hasEnded =
    (type === "key" && !(await isKeyActive(tx, row.tenant_id, { keyId: id, now }))) ||
    (type === "agent" && !(await hasAgentGrant(tx, row.tenant_id, { agentGrantId: id, now })));
  if (hasEnded) {
    throw new AppError({
      code: "CONFLICT",
      publicMessage:
        "The program that proposed this no longer has access: decline it, or make the change yourself.",
    });
  }
}

async function noteDecision(
  deps: BillingDeps,
  tx: Tx,
  { context, row }: { context: CallContext; row: ProposalRow },
): Promise<void> {
  await writeAudit(deps, tx, context, {
    tenantId: row.tenant_id,
    action: `proposal.${row.state}`,
    entityType: "proposal",
    entityId: row.proposal_id,
    details: { change: describeChange(row.change), proposedBy: row.proposed_by },
  });
}

async function decide(
  deps: BillingDeps,
  context: CallContext,
  decision: { address: Address; state: "accepted" | "declined"; assertMay(row: ProposalRow): void },
): Promise<ProposalRow> {
  const { address, state } = decision;
  const now = deps.clock.now();
  return await deps.transact.asTenant(address.tenantId, async (tx) => {
    const row = await getWaiting(tx, address, now);
    decision.assertMay(row);
    if (state === "accepted") {
      await assertProposerActive(tx, row, now);
    }
    const decided = { ...row, state, decided_by: nameActor(context), decided_at: now };
    await updateProposal(tx, decided);
    if (state === "declined") {
      await noteDecision(deps, tx, { context, row: decided });
    }
    return decided;
  });
}

/**
 * Makes a proposed change as the person who accepts it, once: two who accept at the same time make one change. When the change is
 * refused, the proposal waits on.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE` for programs, and for people without the right for the change;
 *   `CONFLICT` when it was decided on, has expired, or its key no longer works; what the change itself is refused with.
 */
export async function acceptProposal(
  deps: BillingDeps,
  context: CallContext,
  address: Address,
): Promise<AcceptedProposal> {
  const { tenantId } = address;
  assertMayInTenant(context.actor, "proposals:write", tenantId);
  const row = await decide(deps, context, {
    address,
    state: "accepted",
    assertMay: ({ change }) => {
      getPerson(context.actor);
      assertMayInTenant(context.actor, SCOPES[change.do], tenantId);
    },
  });
  let createdKey: AcceptedProposal["createdKey"];
  try {
    createdKey = await makeChange(deps, context, { tenantId, change: row.change });
  } catch (error) {
    await deps.transact.asTenant(tenantId, (tx) =>
      updateProposal(tx, { ...row, state: "open", decided_by: null, decided_at: null }),
    );
    throw error;
  }
  await deps.transact.asTenant(tenantId, (tx) => noteDecision(deps, tx, { context, row }));
  return { proposal: toProposalReply(row, deps.clock.now()), createdKey };
}

/**
 * Declines a proposal; the program that made it takes it back.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`, also for a program that did not make it; `CONFLICT`.
 */
export async function declineProposal(
  deps: BillingDeps,
  context: CallContext,
  address: Address,
): Promise<Proposal> {
  assertMayInTenant(context.actor, "proposals:write", address.tenantId);
  const row = await decide(deps, context, {
    address,
    state: "declined",
    assertMay: ({ proposed_by }) => {
      if (proposed_by !== nameActor(context)) {
        getPerson(context.actor);
      }
    },
  });
  return toProposalReply(row, deps.clock.now());
}
