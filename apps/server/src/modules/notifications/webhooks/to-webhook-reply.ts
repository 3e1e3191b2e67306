import type { Webhook, WebhookAttempt, WebhookDelivery } from "@turnpike/contract/webhooks";
import type { AttemptRow, DeliveryRow } from "./webhook-deliveries.store.ts";
import { listSigning, type WebhookRow } from "./webhooks.store.ts";

export function toWebhookReply(row: WebhookRow, now: Date): Webhook {
  const untilMs = listSigning(row, now).map(({ until }) => Date.parse(until));
  return {
    webhookId: row.webhook_id,
    url: row.url,
    description: row.description,
    eventTypes: row.event_types,
    state: row.state,
    disabledReason: row.disabled_reason,
    responsible: row.responsible,
    failingSince: row.failing_since?.toISOString() ?? null,
    previousSecretUntil: untilMs.length > 0 ? new Date(Math.max(...untilMs)).toISOString() : null,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

export function toDeliveryReply(row: DeliveryRow): WebhookDelivery {
  return {
    messageId: row.message_id,
    webhookId: row.webhook_id,
    type: row.event_type,
    state: row.state,
    attempts: row.attempts,
    lastStatus: row.last_status,
    nextAttemptAt: row.state === "pending" ? row.next_attempt_at.toISOString() : null,
    createdAt: row.created_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
  };
}

export function toAttemptReply(row: AttemptRow): WebhookAttempt {
  return {
    attempt: row.attempt,
    startedAt: row.started_at.toISOString(),
    durationMs: row.duration_ms,
    status: row.status,
    error: row.error,
    response: row.response,
  };
}
