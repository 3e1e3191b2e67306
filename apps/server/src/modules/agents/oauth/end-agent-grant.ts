import type { Tx } from "@turnpike/db/client";
import type { UserId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import { revokeProviderGrant } from "#modules/identity/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { insertChange } from "#platform/changes.store.ts";
import { type AgentGrantRow, deleteAgentGrant, listAgentGrantIdsOf } from "./agent-grants.store.ts";

/**
 * Ends a grant with everything given out under it, within a second everywhere. Needs the operator role.
 *
 * @returns The grant; undefined when it had ended.
 */
export async function endAgentGrant(
  tx: Tx,
  agentGrantId: string,
): Promise<AgentGrantRow | undefined> {
  const row = await deleteAgentGrant(tx, agentGrantId);
  await revokeProviderGrant(tx, agentGrantId, "agents");
  if (row !== undefined) {
    await insertChange(tx, { kind: "user", tenantId: null, entityId: row.user_id });
  }
  return row;
}

/** Why a grant ended without a person who disconnected it, for the tenant's audit trail. */
type EndReason =
  | "token_used_twice"
  | "given_back"
  | "replaced"
  | "password_changed"
  | "signed_out"
  | "second_factor_changed"
  | "sso_required"
  | "address_proven"
  | "account_deleted";

type EndDeps = Pick<AppServices, "clock" | "newId">;

/** {@link endAgentGrant} with an entry in the audit trail of its tenant. */
export async function endAgentGrantBecause(
  deps: EndDeps,
  tx: Tx,
  { agentGrantId, why }: { agentGrantId: string; why: EndReason },
): Promise<void> {
  const row = await endAgentGrant(tx, agentGrantId);
  if (row === undefined) {
    return;
  }
  const context = {
    actor: { type: "system", id: "agents" },
    requestId: deps.newId("request"),
  } as const;
  await writeAudit(deps, tx, context, {
    tenantId: row.tenant_id,
    action: "agent_grant.ended",
    entityType: "agent_grant",
    entityId: agentGrantId,
    details: { name: row.name, userId: row.user_id, why },
  });
}

/** Ends every grant of a person, in every tenant. Needs the operator role. */
export async function endAgentGrantsOf(
  deps: EndDeps,
  tx: Tx,
  { userId, why }: { userId: UserId; why: EndReason },
): Promise<void> {
  for (const agentGrantId of await listAgentGrantIdsOf(tx, userId)) {
    await endAgentGrantBecause(deps, tx, { agentGrantId, why });
  }
}
