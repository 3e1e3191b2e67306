import {
  ATTEMPTS_SHOWN_MAX,
  REPLAY_MAX,
  type WebhookDelivery,
  type WebhookDeliveryDetail,
} from "@turnpike/contract/webhooks";
import type { CallContext } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { AppServices } from "#platform/app-services.ts";
import { parseIdCursor } from "#platform/parse-cursor.ts";
import { assertTarget, auditWebhook, getLockedRow, type WebhooksDeps } from "./manage-webhooks.ts";
import { toPayload } from "./publish-event.ts";
import { toAttemptReply, toDeliveryReply } from "./to-webhook-reply.ts";
import {
  type DeliveryState,
  findDeliveryRow,
  insertDelivery,
  listAttemptRows,
  listDeliveryRows,
  restartDelivery,
  restartFailedDeliveries,
} from "./webhook-deliveries.store.ts";
import { assertMayWith, transactAs, type WebhookOwner } from "./webhook-owner.ts";
import { findWebhookRow, type WebhookRow } from "./webhooks.store.ts";

type One = { owner: WebhookOwner; webhookId: string };

function assertEnabled(row: WebhookRow): void {
  if (row.state !== "enabled") {
    throw new AppError({
      code: "CONFLICT",
      publicMessage: "The endpoint is disabled: enable it first.",
    });
  }
}

/** Lists sent and waiting deliveries of an endpoint, newest first. @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`. */
export async function listDeliveries(
  deps: AppServices,
  context: CallContext,
  input: One & {
    state?: DeliveryState | undefined;
    cursor?: string | undefined;
    limit: number;
  },
): Promise<{ items: WebhookDelivery[]; nextCursor: string | null }> {
  const { owner, webhookId, limit } = input;
  assertMayWith(context, "webhooks:read", owner);
  const beforeId = parseIdCursor("message", input.cursor);
  const rows = await transactAs(deps, owner, async (tx) => {
    if ((await findWebhookRow(tx, owner, webhookId)) === undefined) {
      throw resourceNotFound("webhook");
    }
    return await listDeliveryRows(tx, owner, {
      webhookId,
      state: input.state,
      beforeId,
      limit: limit + 1,
    });
  });
  const items = rows.slice(0, limit).map(toDeliveryReply);
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.messageId ?? null) : null };
}

/** @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`. */
export async function getDelivery(
  deps: AppServices,
  context: CallContext,
  input: One & { messageId: string },
): Promise<WebhookDeliveryDetail> {
  assertMayWith(context, "webhooks:read", input.owner);
  return await transactAs(deps, input.owner, async (tx) => {
    const row = await findDeliveryRow(tx, input.owner, input);
    if (row === undefined) {
      throw resourceNotFound("delivery");
    }
    const attempts = await listAttemptRows(tx, input.owner, input, ATTEMPTS_SHOWN_MAX);
    return {
      ...toDeliveryReply(row),
      payload: row.payload,
      attemptLog: attempts.map(toAttemptReply),
    };
  });
}

/**
 * Starts a delivery over at once, in any state, with the same id, so that the receiver can recognise it. A delivery that is
 * being sent right now is left alone.
 *
 * @throws {AppError} `CONFLICT` if the endpoint is disabled; `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`.
 */
export async function resendDelivery(
  deps: AppServices,
  context: CallContext,
  input: One & { messageId: string },
): Promise<WebhookDelivery> {
  const { owner, webhookId, messageId } = input;
  assertMayWith(context, "webhooks:write", owner);
  return await transactAs(deps, owner, async (tx) => {
    assertEnabled(await getLockedRow(tx, input));
    const now = deps.clock.now();
    const row = await restartDelivery(tx, owner, { webhookId, messageId, now });
    if (row === undefined) {
      throw resourceNotFound("delivery");
    }
    await auditWebhook(deps, tx, context, {
      owner,
      webhookId,
      verb: "resent",
      details: { messageId },
    });
    return toDeliveryReply(row);
  });
}

/**
 * Starts over deliveries that failed since a given time, however old their events: oldest first, at most a thousand per call.
 *
 * @throws {AppError} As {@link resendDelivery}.
 */
export async function replayDeliveries(
  deps: AppServices,
  context: CallContext,
  input: One & { since: string },
): Promise<{ replayed: number }> {
  const { owner, webhookId, since } = input;
  assertMayWith(context, "webhooks:write", owner);
  return await transactAs(deps, owner, async (tx) => {
    assertEnabled(await getLockedRow(tx, input));
    const replayed = await restartFailedDeliveries(tx, owner, {
      webhookId,
      since: new Date(since),
      now: deps.clock.now(),
      limit: REPLAY_MAX,
    });
    const details = { since, replayed };
    await auditWebhook(deps, tx, context, { owner, webhookId, verb: "replayed", details });
    return { replayed };
  });
}

/**
 * Sends a `ping` to an endpoint, in the same way as every message.
 *
 * @throws {AppError} `INVALID_REQUEST` for an address that may not be called, or no longer; as {@link resendDelivery}.
 */
export async function testWebhook(
  deps: WebhooksDeps,
  context: CallContext,
  input: One,
): Promise<WebhookDelivery> {
  const { owner, webhookId } = input;
  assertMayWith(context, "webhooks:write", owner);
  const endpoint = await transactAs(deps, owner, (tx) => findWebhookRow(tx, owner, webhookId));
  if (endpoint === undefined) {
    throw resourceNotFound("webhook");
  }
  await assertTarget(deps, endpoint.url);
  return await transactAs(deps, owner, async (tx) => {
    assertEnabled(await getLockedRow(tx, input));
    const at = deps.clock.now();
    const row = await insertDelivery(tx, owner, {
      webhook_id: webhookId,
      message_id: deps.newId("message"),
      event_type: "ping",
      payload: toPayload({ type: "ping", at, data: { webhookId } }),
      created_at: at,
    });
    if (row === undefined) {
      throw resourceNotFound("webhook");
    }
    await auditWebhook(deps, tx, context, { owner, webhookId, verb: "tested" });
    return toDeliveryReply(row);
  });
}
