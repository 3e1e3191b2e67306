import type { Tx } from "@turnpike/db/client";
import type { UserId } from "@turnpike/domain/ids/ids";

/** The agents that a person connected. They end with the person's tokens. Needs the operator role. */
export const agentsOfPerson = {
  kind: "agents",
  async list(
    tx: Tx,
    { userId, limit }: { userId: UserId; limit: number },
  ): Promise<Record<string, unknown>[]> {
    return await tx`
      select tenant_id as "tenantId", name, host, scopes, created_at as "createdAt", renewed_at as "renewedAt"
      from agent_grants where user_id = ${userId}
      order by agent_grant_id desc
      limit ${limit}`;
  },
};
