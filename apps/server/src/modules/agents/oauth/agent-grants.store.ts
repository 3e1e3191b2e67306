import type { AgentScope } from "@turnpike/contract/agent-grants";
import type { Tx } from "@turnpike/db/client";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";

export type AgentGrantRow = {
  tenant_id: TenantId;
  agent_grant_id: string;
  user_id: UserId;
  name: string;
  host: string | null;
  scopes: AgentScope[];
  created_at: Date;
  renewed_at: Date;
  expires_at: Date;
};

const COLUMNS = [
  "tenant_id",
  "agent_grant_id",
  "user_id",
  "name",
  "host",
  "scopes",
  "created_at",
  "renewed_at",
  "expires_at",
] as const;

/** Needs the operator role, as everything here that writes. */
export async function insertAgentGrant(tx: Tx, row: AgentGrantRow): Promise<void> {
  await tx`insert into agent_grants ${tx(row, ...COLUMNS)}`;
}

/** Those that still work, newest first, before a given id. */
export async function listAgentGrantRows(
  tx: Tx,
  tenantId: TenantId,
  page: { now: Date; beforeId: string | undefined; limit: number },
): Promise<AgentGrantRow[]> {
  const { now, beforeId = null, limit } = page;
  return await tx<AgentGrantRow[]>`
    select ${tx(COLUMNS)} from agent_grants
    where tenant_id = ${tenantId} and expires_at > ${now}
      and (${beforeId}::text is null or agent_grant_id < ${beforeId})
    order by agent_grant_id desc
    limit ${limit}`;
}

/** A grant with the identity of its person. */
export type IdentifiedGrant = AgentGrantRow & {
  issuer: string;
  subject: string;
  tokens_valid_from: Date | null;
  claims_issued_at: Date | null;
};

/** By their ids; those that do not exist are left out. Needs the operator role. */
export async function findAgentGrants(
  tx: Tx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, IdentifiedGrant>> {
  const rows = await tx<IdentifiedGrant[]>`
    select g.tenant_id, g.agent_grant_id, g.user_id, g.name, g.host, g.scopes, g.created_at, g.renewed_at,
      g.expires_at, u.issuer, u.subject, u.tokens_valid_from, u.claims_issued_at
    from agent_grants g join users u using (user_id)
    where g.agent_grant_id = any(${[...ids]}::text[])`;
  return new Map(rows.map((row) => [row.agent_grant_id, row]));
}

export async function hasAgentGrant(
  tx: Tx,
  tenantId: TenantId,
  input: { agentGrantId: string; now: Date },
): Promise<boolean> {
  const rows = await tx`
    select 1 from agent_grants
    where tenant_id = ${tenantId} and agent_grant_id = ${input.agentGrantId}
      and expires_at > ${input.now}`;
  return rows.length === 1;
}

/** @returns False when the grant has ended. */
export async function renewAgentGrant(
  tx: Tx,
  agentGrantId: string,
  until: Pick<AgentGrantRow, "renewed_at" | "expires_at">,
): Promise<boolean> {
  const rows = await tx`
    update agent_grants set ${tx(until, "renewed_at", "expires_at")}
    where agent_grant_id = ${agentGrantId} returning 1`;
  return rows.length === 1;
}

export async function lockAgentGrant(
  tx: Tx,
  tenantId: TenantId,
  agentGrantId: string,
): Promise<AgentGrantRow | undefined> {
  const [row] = await tx<AgentGrantRow[]>`
    select ${tx(COLUMNS)} from agent_grants
    where tenant_id = ${tenantId} and agent_grant_id = ${agentGrantId} for update`;
  return row;
}

export async function deleteAgentGrant(
  tx: Tx,
  agentGrantId: string,
): Promise<AgentGrantRow | undefined> {
  const [row] = await tx<AgentGrantRow[]>`
    delete from agent_grants where agent_grant_id = ${agentGrantId} returning ${tx(COLUMNS)}`;
  return row;
}

/** Of a person in every tenant: a few. */
export async function listAgentGrantIdsOf(tx: Tx, userId: UserId): Promise<string[]> {
  const rows = await tx<{ agent_grant_id: string }[]>`
    select agent_grant_id from agent_grants where user_id = ${userId}`;
  return rows.map((row) => row.agent_grant_id);
}

/** Deletes what has expired in the tenant. @returns Of a person all but the newest there, by their ids: these still work. */
export async function pruneAgentGrants(
  tx: Tx,
  input: { tenantId: TenantId; userId: UserId; now: Date; kept: number },
): Promise<string[]> {
  const { tenantId, userId, now, kept } = input;
  await tx`delete from agent_grants where tenant_id = ${tenantId} and expires_at <= ${now}`;
  const rows = await tx<{ agent_grant_id: string }[]>`
    select agent_grant_id from agent_grants
    where tenant_id = ${tenantId} and user_id = ${userId}
    order by agent_grant_id desc offset ${kept}`;
  return rows.map((row) => row.agent_grant_id);
}
