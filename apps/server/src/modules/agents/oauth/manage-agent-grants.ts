import type { AgentGrant } from "@turnpike/contract/agent-grants";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { parseIdCursor } from "#platform/parse-cursor.ts";
import { shareOf } from "#platform/transact.ts";
import { type AgentGrantRow, listAgentGrantRows, lockAgentGrant } from "./agent-grants.store.ts";
import { endAgentGrant } from "./end-agent-grant.ts";

function toReply(row: AgentGrantRow): AgentGrant {
  return {
    agentGrantId: row.agent_grant_id,
    tenantId: row.tenant_id,
    userId: row.user_id,
    name: row.name,
    host: row.host,
    scopes: row.scopes,
    createdAt: row.created_at.toISOString(),
    renewedAt: row.renewed_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
  };
}

/** Lists the agents that members connected to a tenant, newest first. @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`. */
export async function listAgentGrants(
  deps: AppServices,
  context: CallContext,
  input: { tenantId: TenantId; cursor?: string | undefined; limit: number },
): Promise<{ items: AgentGrant[]; nextCursor: string | null }> {
  const { tenantId, limit } = input;
  assertMayInTenant(context.actor, "members:read", tenantId);
  const beforeId = parseIdCursor("agentGrant", input.cursor);
  const now = deps.clock.now();
  const rows = await deps.transact.asTenant(tenantId, async (tx) => {
    await assertTenantExists(tx, tenantId);
    return await listAgentGrantRows(tx, tenantId, { now, beforeId, limit: limit + 1 });
  });
  const items = rows.slice(0, limit).map(toReply);
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.agentGrantId ?? null) : null };
}

/**
 * Disconnects an agent, within a second everywhere.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE` without `members:write`, unless the person connected the agent themselves.
 */
export async function revokeAgentGrant(
  deps: AppServices,
  context: CallContext,
  { tenantId, agentGrantId }: { tenantId: TenantId; agentGrantId: string },
): Promise<AgentGrant> {
  const { actor } = context;
  return await deps.transact.asOperator(async (tx) => {
    const row = await lockAgentGrant(tx, tenantId, agentGrantId);
    const isOwn = actor.type === "user" && row?.user_id === actor.id;
    // To a member of the tenant this says the same whether there is such an agent of another or not.
    assertMayInTenant(actor, isOwn ? "members:read" : "members:write", tenantId);
    if (row === undefined) {
      throw resourceNotFound("connected agent");
    }
    await endAgentGrant(tx, agentGrantId);
    await writeAudit(deps, tx, context, {
      tenantId,
      action: "agent_grant.revoked",
      entityType: "agent_grant",
      entityId: agentGrantId,
      details: { name: row.name, userId: row.user_id },
    });
    return toReply(row);
  }, shareOf(actor));
}
