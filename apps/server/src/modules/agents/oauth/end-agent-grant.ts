import type { Tx } from "@turnpike/db/client";
import { revokeProviderGrant } from "#modules/identity/index.ts";
import { insertChange } from "#platform/changes.store.ts";
import { type AgentGrantRow, deleteAgentGrant } from "./agent-grants.store.ts";

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
