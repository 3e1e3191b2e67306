import type { Member } from "@turnpike/contract/tenants";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import { listOperatorUsers } from "#modules/identity/index.ts";
import { listMembers, putMember } from "#modules/tenants/index.ts";
import type { CommandSession } from "../run-command.ts";

const PAGE = 100;

async function listOwnerIds(session: CommandSession, tenantId: TenantId): Promise<Set<UserId>> {
  const owners = new Set<UserId>();
  let cursor: string | undefined;
  do {
    const page: { items: Member[]; nextCursor: string | null } = await listMembers(
      session.deps,
      session.context,
      { tenantId, limit: PAGE, cursor },
    );
    for (const { userId, role } of page.items) {
      if (role === "owner") {
        owners.add(userId);
      }
    }
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return owners;
}

/**
 * Makes every operator an owner of the tenants, so that the console shows the tenants to them. Owners stay as they are.
 *
 * @returns How many operators there are.
 */
export async function joinOperators(
  session: CommandSession,
  tenantIds: readonly TenantId[],
): Promise<number> {
  const { deps, context, config, signal } = session;
  const operators = await listOperatorUsers(deps, context, {
    configured: config.identity.operators,
  });
  if (operators.length === 0) {
    return 0;
  }
  for (const tenantId of tenantIds) {
    const owners = await listOwnerIds(session, tenantId);
    for (const { userId } of operators) {
      signal.throwIfAborted();
      if (!owners.has(userId)) {
        await putMember(deps, context, { tenantId, userId, role: "owner" });
      }
    }
  }
  return operators.length;
}
