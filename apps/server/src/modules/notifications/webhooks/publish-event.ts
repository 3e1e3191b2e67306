import type { WebhookEventData, WebhookEventType } from "@turnpike/contract/webhooks";
import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { insertOutboxRow } from "./webhook-deliveries.store.ts";

/** The body of a message, exactly as it is signed and sent. */
export function toPayload(input: { type: string; at: Date; data: unknown }): string {
  const { type, at, data } = input;
  return JSON.stringify({ type, timestamp: at.toISOString(), data });
}

/**
 * Publishes an event of a tenant to webhooks, inside the caller's transaction (of the tenant or operator role), so only if the
 * change itself commits. The endpoints that get it are determined right afterwards.
 */
export async function publishEvent<Type extends Exclude<WebhookEventType, "ping">>(
  deps: Pick<AppServices, "clock" | "newId">,
  tx: Tx,
  event: { tenantId: TenantId; type: Type; data: WebhookEventData<Type> },
): Promise<void> {
  const at = deps.clock.now();
  await insertOutboxRow(tx, event.tenantId, {
    message_id: deps.newId("message"),
    event_type: event.type,
    payload: toPayload({ type: event.type, at, data: event.data }),
    created_at: at,
  });
}
