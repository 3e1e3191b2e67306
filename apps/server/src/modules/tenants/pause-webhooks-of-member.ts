import type { Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import { type HeldRole, scopesOf, titleOfRole } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { said } from "@turnpike/domain/text/said";
import { notify, type PausedWebhook, pauseWebhooksOf } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { toHeldRole } from "./held-role.ts";
import { listRoleUserIds, type MemberRow } from "./members.store.ts";

/** Enough for every tenant in practice; it bounds what one removal can write. */
const NOTICES_MAX = 50;

const mayWriteWebhooks = (role: HeldRole) => scopesOf(role).includes("webhooks:write");

/**
 * Pauses the webhooks of a member who may no longer write any, and notifies those who may take them over. The caller has changed the
 * membership already, in the same transaction of the operator role.
 *
 * @param input.role - The present role; null for a former member.
 */
export async function pauseWebhooksOfMember(
  deps: AppServices,
  tx: Tx,
  context: CallContext,
  input: { tenantId: TenantId; member: MemberRow; role: HeldRole | null },
): Promise<PausedWebhook[]> {
  const { tenantId, member, role } = input;
  if (!mayWriteWebhooks(toHeldRole(member)) || (role !== null && mayWriteWebhooks(role))) {
    return [];
  }
  const reason =
    role === null
      ? "The person responsible for it is no longer a member."
      : `The person responsible for it now has the role ${titleOfRole(role)}.`;
  const paused = await pauseWebhooksOf(deps, tx, context, {
    tenantId,
    userId: member.user_id,
    reason,
  });
  if (paused.length > 0) {
    const name = member.name ?? member.email ?? "a member";
    const cause =
      role === null
        ? said(`${name} is no longer a member`)
        : said(`${name} now has the role ${titleOfRole(role)}`);
    const caretakers = await listRoleUserIds(tx, tenantId, ["owner", "admin"], NOTICES_MAX);
    for (const userId of caretakers) {
      await notify(deps, tx, {
        tenantId,
        userId,
        kind: "webhook.paused",
        title:
          paused.length === 1
            ? "A webhook is paused"
            : `${String(paused.length)} webhooks are paused`,
        body: [
          ...paused.map(({ origin }) => origin),
          `Paused, because ${cause}. Nothing is sent until an owner or an admin takes over. Check where each leads, replace its secret, and enable it, or delete it.`,
        ].join("\n"),
        link: "/tenants?tab=webhooks",
      });
    }
  }
  return paused;
}
