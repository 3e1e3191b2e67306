import type { WebhookEventData, WebhookEventType } from "@turnpike/contract/webhooks";
import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { insertOutboxRows } from "./webhook-deliveries.store.ts";

/** The body of a message, exactly as it is signed and sent. */
export function toPayload(input: { type: string; at: Date; data: unknown }): string {
  const { type, at, data } = input;
  return JSON.stringify({ type, timestamp: at.toISOString(), data });
}

/** An event to be published. */
export type PublishedEvent = {
  [Type in Exclude<WebhookEventType, "ping">]: {
    tenantId: TenantId;
    type: Type;
    data: WebhookEventData<Type>;
  };
}[Exclude<WebhookEventType, "ping">];

async function writeToOutbox(
  deps: Pick<AppServices, "clock" | "newId">,
  tx: Tx,
  events: readonly { tenantId: TenantId; type: string; data: unknown }[],
): Promise<void> {
  const at = deps.clock.now();
  if (events.length > 0) {
    await insertOutboxRows(
      tx,
      events.map(({ tenantId, type, data }) => ({
        tenant_id: tenantId,
        message_id: deps.newId("message"),
        event_type: type,
        payload: toPayload({ type, at, data }),
        created_at: at,
      })),
    );
  }
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
  await writeToOutbox(deps, tx, [event]);
}

/** {@link publishEvent} of several, of any tenants, at once. */
export async function publishEvents(
  deps: Pick<AppServices, "clock" | "newId">,
  tx: Tx,
  events: readonly PublishedEvent[],
): Promise<void> {
  await writeToOutbox(deps, tx, events);
}
