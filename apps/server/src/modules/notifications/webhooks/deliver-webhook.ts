import type { Tx } from "@turnpike/db/client";
import { toPlainText } from "@turnpike/domain/text/plain-text";
import {
  ATTEMPT_DELAYS_MS,
  nextAttemptDelayMs,
  parseRetryAfter,
} from "@turnpike/domain/webhooks/retry-schedule";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { type GuardedOutbound, GuardedOutboundError } from "#platform/guarded-outbound.ts";
import type { Sealer } from "#platform/sealer.ts";
import type { WebhookNotices } from "../notifications.ports.ts";
import { toDisabledNotice } from "./disabled-notice.ts";
import { signWebhook } from "./sign-webhook.ts";
import { toShownOrigin } from "./to-shown-origin.ts";
import {
  type AttemptRow,
  type DeliveryRow,
  failPendingDeliveries,
  isClaimed,
  recordAttempt,
} from "./webhook-deliveries.store.ts";
import { INSTALLATION } from "./webhook-owner.ts";
import {
  findWebhookRow,
  listSigning,
  lockWebhookRow,
  updateWebhookRow,
  type WebhookRow,
} from "./webhooks.store.ts";

export type DeliverWebhookDeps = AppServices & {
  sealer: Sealer;
  guardedOutbound: GuardedOutbound;
  webhookNotices: WebhookNotices;
};

/** As in the standard: long enough for a receiver that does its work before it answers. */
export const ATTEMPT_TIMEOUT_MS = 15_000;
const RESPONSE_LENGTH_MAX = 1_024;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** Longer than the schedule of one message, so that one message alone never disables an endpoint. */
export const LASTING_FAILURE_MS = 5 * DAY_MS;
/**
 * Failures further apart are not consecutive: nothing was tried in between, because no delay of the schedule is that long. So an
 * endpoint that rarely gets messages is not disabled for one failure now and one last week.
 */
const FAILURES_APART_MS_MAX = 2 * Math.max(...ATTEMPT_DELAYS_MS);
/** The longest pause that an overloaded receiver can ask for all of its messages. */
const PAUSE_MS_MAX = 60 * 60 * 1_000;
const GONE = 410;
/** Answers of an overloaded receiver. */
const OVERLOADED = new Set([429, 502, 503, 504]);
const RANDOM_RANGE = 2 ** 32;

type Outcome = Pick<AttemptRow, "status" | "error" | "response"> & {
  retryAfterMs: number | undefined;
};

async function openSecrets(
  deps: DeliverWebhookDeps,
  endpoint: WebhookRow,
  now: Date,
): Promise<string[]> {
  const earlier = listSigning(endpoint, now).map(({ secret }) => secret);
  const sealed = [endpoint.secret, ...earlier];
  try {
    return await Promise.all(sealed.map((secret) => deps.sealer.open(secret)));
  } catch (error) {
    throw new GuardedOutboundError("The secret can no longer be read: rotate it.", {
      cause: error,
    });
  }
}

async function send(
  deps: DeliverWebhookDeps,
  endpoint: WebhookRow,
  delivery: DeliveryRow,
): Promise<Outcome> {
  const now = deps.clock.now();
  try {
    const signature = signWebhook({
      secrets: await openSecrets(deps, endpoint, now),
      messageId: delivery.message_id,
      at: now,
      body: delivery.payload,
    });
    const answer = await deps.guardedOutbound.post(endpoint.url, {
      headers: { "content-type": "application/json", ...signature },
      body: delivery.payload,
      timeoutMs: ATTEMPT_TIMEOUT_MS,
    });
    return {
      status: answer.status,
      error: null,
      response: toPlainText(answer.text, RESPONSE_LENGTH_MAX),
      retryAfterMs:
        answer.retryAfter === undefined
          ? undefined
          : parseRetryAfter(answer.retryAfter, deps.clock.now()),
    };
  } catch (error) {
    if (!(error instanceof GuardedOutboundError)) {
      throw error;
    }
    return { status: null, error: error.message, response: "", retryAfterMs: undefined };
  }
}

function findReasonToDisable(input: {
  status: number | null;
  failingSince: Date;
  now: Date;
}): string | undefined {
  if (input.status === GONE) {
    return "It answered 410 Gone.";
  }
  const days = String(LASTING_FAILURE_MS / DAY_MS);
  return input.now.getTime() - input.failingSince.getTime() >= LASTING_FAILURE_MS
    ? `Every delivery failed for ${days} days.`
    : undefined;
}

/** When the endpoint began to fail, given a failure now. */
function findFailingSince(
  { failing_since: since, last_failed_at: last }: WebhookRow,
  failedAt: Date,
): Date {
  const isRow = last !== null && failedAt.getTime() - last.getTime() <= FAILURES_APART_MS_MAX;
  return isRow && since !== null ? since : failedAt;
}

async function disable(
  deps: DeliverWebhookDeps,
  tx: Tx,
  input: { endpoint: WebhookRow; reason: string; now: Date },
): Promise<void> {
  const { endpoint, reason, now } = input;
  const owner = endpoint.tenant_id;
  const webhookId = endpoint.webhook_id;
  const tenantId = owner === INSTALLATION ? null : owner;
  await updateWebhookRow(tx, {
    ...endpoint,
    state: "auto_disabled",
    disabled_reason: reason,
    updated_at: now,
  });
  await failPendingDeliveries(tx, owner, { webhookId, now });
  const origin = toShownOrigin(endpoint.url);
  const name = endpoint.description === "" ? origin : `${origin} (${endpoint.description})`;
  const actor = { type: "system" as const, id: "webhooks" };
  await writeAudit(
    deps,
    tx,
    { actor, requestId: deps.newId("request") },
    {
      tenantId,
      action: "webhook.auto_disabled",
      entityType: "webhook",
      entityId: webhookId,
      details: { reason },
    },
  );
  await deps.webhookNotices.notifyDisabled(tx, {
    tenantId,
    ...toDisabledNotice(name, reason),
  });
}

/** Records the outcome of an attempt, and updates its endpoint. */
async function settle(
  deps: DeliverWebhookDeps,
  delivery: DeliveryRow,
  input: { outcome: Outcome; startedAt: Date; durationMs: number },
): Promise<void> {
  const { outcome, startedAt, durationMs } = input;
  const now = deps.clock.now();
  const { status, error, response } = outcome;
  const attempt = {
    attempt: delivery.attempts + 1,
    started_at: startedAt,
    duration_ms: Math.round(durationMs),
    status,
    error,
    response,
  };
  const hasSucceeded = status !== null && status >= 200 && status < 300;
  const failedAttempts = delivery.failed_attempts + (hasSucceeded ? 0 : 1);
  const chance = Buffer.from(deps.randomBytes(4)).readUInt32BE() / RANDOM_RANGE;
  const delayMs = hasSucceeded
    ? undefined
    : nextAttemptDelayMs({ failedAttempts, retryAfterMs: outcome.retryAfterMs, chance });
  const ended = hasSucceeded ? "succeeded" : "failed";
  await deps.transact.asOperator(async (tx) => {
    const endpoint = await lockWebhookRow(tx, delivery.tenant_id, delivery.webhook_id);
    // It was deleted or disabled in the meantime, or its claim expired and another process has it.
    if (endpoint === undefined || !(await isClaimed(tx, delivery))) {
      return;
    }
    await recordAttempt(tx, delivery, {
      attempt,
      state: delayMs === undefined ? ended : "pending",
      failedAttempts,
      nextAttemptAt: new Date(now.getTime() + (delayMs ?? 0)),
      finishedAt: delayMs === undefined ? now : null,
    });
    if (hasSucceeded) {
      if (endpoint.failing_since !== null) {
        const cleared = { failing_since: null, last_failed_at: null, paused_until: null };
        await updateWebhookRow(tx, { ...endpoint, ...cleared });
      }
      return;
    }
    const failingSince = findFailingSince(endpoint, startedAt);
    const isOverloaded = status !== null && OVERLOADED.has(status);
    const pauseMs = isOverloaded ? Math.min(outcome.retryAfterMs ?? 0, PAUSE_MS_MAX) : 0;
    const failing: WebhookRow = {
      ...endpoint,
      failing_since: failingSince,
      last_failed_at: startedAt,
      paused_until: pauseMs > 0 ? new Date(now.getTime() + pauseMs) : endpoint.paused_until,
    };
    const reason = findReasonToDisable({ status, failingSince, now });
    if (reason === undefined) {
      await updateWebhookRow(tx, failing);
    } else {
      await disable(deps, tx, { endpoint: failing, reason, now });
    }
  });
}

/**
 * Makes one attempt of a claimed delivery and records the outcome. If the process dies in between, the claim expires and the
 * message is sent again with the same id.
 */
export async function deliverWebhook(
  deps: DeliverWebhookDeps,
  delivery: DeliveryRow,
): Promise<void> {
  const endpoint = await deps.transact.asOperator((tx) =>
    findWebhookRow(tx, delivery.tenant_id, delivery.webhook_id),
  );
  if (endpoint === undefined) {
    return;
  }
  const startedAt = deps.clock.now();
  const startedMs = deps.clock.monotonicMs();
  const outcome = await send(deps, endpoint, delivery);
  const durationMs = deps.clock.monotonicMs() - startedMs;
  await settle(deps, delivery, { outcome, startedAt, durationMs });
}
