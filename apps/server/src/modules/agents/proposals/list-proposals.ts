import type { Proposal } from "@turnpike/contract/proposals";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { parseIdCursor } from "#platform/parse-cursor.ts";
import { listProposalRows } from "./proposals.store.ts";
import { toProposalReply } from "./to-proposal-reply.ts";

/** Lists the proposals of a tenant, newest first. @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`. */
export async function listProposals(
  deps: AppServices,
  context: CallContext,
  input: {
    tenantId: TenantId;
    state: "open" | "all";
    cursor?: string | undefined;
    limit: number;
  },
): Promise<{ items: Proposal[]; nextCursor: string | null }> {
  const { tenantId, state, limit } = input;
  assertMayInTenant(context.actor, "proposals:read", tenantId);
  const beforeId = parseIdCursor("proposal", input.cursor);
  const now = deps.clock.now();
  const rows = await deps.transact.asTenant(tenantId, async (tx) => {
    await assertTenantExists(tx, tenantId);
    const page = { isOpen: state === "open", now, beforeId, limit: limit + 1 };
    return await listProposalRows(tx, tenantId, page);
  });
  const items = rows.slice(0, limit).map((row) => toProposalReply(row, now));
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.proposalId ?? null) : null };
}
