import type { Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { auditWebhook } from "./manage-webhooks.ts";
import { toShownOrigin } from "./to-shown-origin.ts";
import { failPendingDeliveries } from "./webhook-deliveries.store.ts";
import { pauseWebhookRowsOf } from "./webhooks.store.ts";

/** An endpoint that was paused. Its origin may be shown; the path of its address may hold a secret. */
export type PausedWebhook = { webhookId: string; origin: string };

/**
 * Pauses the enabled endpoints for which a person is responsible, in the transaction that takes the right to write webhooks from that
 * person. Nothing is sent to a paused endpoint; the actor who enables it becomes responsible. Waiting deliveries fail and can be replayed.
 *
 * @param input.reason - One sentence, shown with the endpoint. It names no one: names are not kept longer than their people.
 */
export async function pauseWebhooksOf(
  deps: AppServices,
  tx: Tx,
  context: CallContext,
  input: { tenantId: TenantId; userId: UserId; reason: string },
): Promise<PausedWebhook[]> {
  const { tenantId: owner, userId, reason } = input;
  const now = deps.clock.now();
  const rows = await pauseWebhookRowsOf(tx, owner, { responsible: `user:${userId}`, reason, now });
  for (const { webhook_id: webhookId } of rows) {
    await failPendingDeliveries(tx, owner, { webhookId, now });
    await auditWebhook(deps, tx, context, {
      owner,
      webhookId,
      verb: "paused",
      details: { userId, reason },
    });
  }
  return rows.map(({ webhook_id: webhookId, url }) => ({ webhookId, origin: toShownOrigin(url) }));
}
