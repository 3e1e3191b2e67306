import {
  type CreateWebhookRequest,
  type UpdateWebhookRequest,
  WEBHOOKS_MAX,
  type Webhook,
  type WebhookWithSecret,
} from "@turnpike/contract/webhooks";
import type { JsonValue, Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { lockCountOf } from "#platform/count-lock.store.ts";
import { type GuardedOutbound, GuardedOutboundError } from "#platform/guarded-outbound.ts";
import type { Sealer } from "#platform/sealer.ts";
import { SECRET_BYTES, toWebhookSecret } from "./sign-webhook.ts";
import { toShownOrigin } from "./to-shown-origin.ts";
import { toWebhookReply } from "./to-webhook-reply.ts";
import { failPendingDeliveries } from "./webhook-deliveries.store.ts";
import {
  assertMayLearn,
  assertMayWith,
  INSTALLATION,
  transactAs,
  type WebhookOwner,
} from "./webhook-owner.ts";
import {
  assertOwnerExists,
  deleteWebhookRow,
  findWebhookRow,
  insertWebhook,
  listSigning,
  listWebhookRows,
  lockWebhookRow,
  updateWebhookRow,
  type WebhookRow,
} from "./webhooks.store.ts";

export type WebhooksDeps = AppServices & {
  /** Seals the secrets of endpoints. */
  sealer: Sealer;
  webhookTargets: Pick<GuardedOutbound, "assertCallable">;
};

function nameActor({ actor }: CallContext): string {
  return `${actor.type}:${actor.id}`;
}

type One = { owner: WebhookOwner; webhookId: string };

/**
 * Refuses an address that must not be called, before anything is stored or sent.
 *
 * @throws {AppError} `INVALID_REQUEST` at `/url`.
 */
export async function assertTarget(
  deps: Pick<WebhooksDeps, "webhookTargets">,
  url: string,
): Promise<void> {
  try {
    await deps.webhookTargets.assertCallable(url);
  } catch (error) {
    if (!(error instanceof GuardedOutboundError)) {
      throw error;
    }
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: error.message,
      errors: [{ pointer: "/url", message: error.message }],
      cause: error,
    });
  }
}

export async function auditWebhook(
  deps: AppServices,
  tx: Tx,
  context: CallContext,
  input: One & { verb: string; details?: Record<string, JsonValue> },
): Promise<void> {
  await writeAudit(deps, tx, context, {
    tenantId: input.owner === INSTALLATION ? null : input.owner,
    action: `webhook.${input.verb}`,
    entityType: "webhook",
    entityId: input.webhookId,
    details: input.details ?? {},
  });
}

/** @throws {AppError} `RESOURCE_NOT_FOUND` if the tenant or endpoint does not exist. */
export async function getLockedRow(tx: Tx, { owner, webhookId }: One): Promise<WebhookRow> {
  const row = await lockWebhookRow(tx, owner, webhookId);
  if (row === undefined) {
    throw resourceNotFound("webhook");
  }
  return row;
}

/**
 * Adds an endpoint. Only this answer holds its secret, which is stored encrypted.
 *
 * @throws {AppError} `INVALID_REQUEST` for an address that may not be called; `CONFLICT` at the limit of ten;
 *   `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`.
 */
export async function createWebhook(
  deps: WebhooksDeps,
  context: CallContext,
  input: CreateWebhookRequest & { owner: WebhookOwner },
): Promise<WebhookWithSecret> {
  const { owner } = input;
  assertMayWith(context, "webhooks:write", owner);
  assertMayLearn(context, owner);
  await assertTarget(deps, input.url);
  const now = deps.clock.now();
  const secret = toWebhookSecret(deps.randomBytes(SECRET_BYTES));
  const row: WebhookRow = {
    tenant_id: owner,
    webhook_id: deps.newId("webhook"),
    url: input.url,
    description: input.description,
    event_types: [...new Set(input.eventTypes)],
    state: "enabled",
    disabled_reason: null,
    responsible: nameActor(context),
    secret: await deps.sealer.seal(secret),
    earlier_secrets: [],
    failing_since: null,
    last_failed_at: null,
    paused_until: null,
    created_at: now,
    updated_at: now,
  };
  await transactAs(deps, owner, async (tx) => {
    await assertOwnerExists(tx, owner);
    await lockCountOf(tx, "webhooks", owner);
    if ((await listWebhookRows(tx, owner, WEBHOOKS_MAX)).length === WEBHOOKS_MAX) {
      throw new AppError({
        code: "CONFLICT",
        publicMessage: `There are already ${String(WEBHOOKS_MAX)} endpoints: delete one first.`,
      });
    }
    await insertWebhook(tx, owner, row);
    await auditWebhook(deps, tx, context, {
      owner,
      webhookId: row.webhook_id,
      verb: "created",
      details: { origin: toShownOrigin(row.url), eventTypes: row.event_types },
    });
  });
  return { ...toWebhookReply(row, now), secret };
}

/** @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`. */
export async function listWebhooks(
  deps: AppServices,
  context: CallContext,
  { owner }: { owner: WebhookOwner },
): Promise<{ items: Webhook[] }> {
  assertMayWith(context, "webhooks:read", owner);
  const rows = await transactAs(deps, owner, async (tx) => {
    await assertOwnerExists(tx, owner);
    return await listWebhookRows(tx, owner, WEBHOOKS_MAX);
  });
  return { items: rows.map((row) => toWebhookReply(row, deps.clock.now())) };
}

/** @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`. */
export async function getWebhook(
  deps: AppServices,
  context: CallContext,
  { owner, webhookId }: One,
): Promise<Webhook> {
  assertMayWith(context, "webhooks:read", owner);
  const row = await transactAs(deps, owner, (tx) => findWebhookRow(tx, owner, webhookId));
  if (row === undefined) {
    throw resourceNotFound("webhook");
  }
  return toWebhookReply(row, deps.clock.now());
}

/** Failures at another address, or before it was enabled again, no longer count. */
const NOTHING_FAILED = { failing_since: null, last_failed_at: null, paused_until: null };

/**
 * The fields that change with a new address or state. The actor who enables an endpoint, or says where its events go, becomes
 * responsible for it.
 */
function decideState(
  row: WebhookRow,
  { url = row.url, enabled }: Pick<UpdateWebhookRequest, "url" | "enabled">,
  actor: string,
): Partial<WebhookRow> {
  if (enabled === undefined || (enabled && row.state === "enabled")) {
    const moved = url === row.url ? {} : { url, ...NOTHING_FAILED };
    return enabled || url !== row.url ? { ...moved, responsible: actor } : {};
  }
  const state = enabled ? "enabled" : "disabled";
  const responsible = enabled ? actor : row.responsible;
  return { url, state, disabled_reason: null, responsible, ...NOTHING_FAILED };
}

/**
 * Changes an endpoint. A disabled or paused endpoint gets no events, and its waiting deliveries count as failed. Once enabled again, it
 * gets new events, and failed deliveries can be replayed. An actor who enables a paused endpoint takes it over.
 *
 * @throws {AppError} As {@link createWebhook}.
 */
export async function updateWebhook(
  deps: WebhooksDeps,
  context: CallContext,
  input: UpdateWebhookRequest & One,
): Promise<Webhook> {
  const { owner, webhookId } = input;
  assertMayWith(context, "webhooks:write", owner);
  if (input.url !== undefined) {
    await assertTarget(deps, input.url);
  }
  const now = deps.clock.now();
  return await transactAs(deps, owner, async (tx) => {
    const before = await getLockedRow(tx, input);
    const after: WebhookRow = {
      ...before,
      description: input.description ?? before.description,
      event_types: [...new Set(input.eventTypes ?? before.event_types)],
      ...decideState(before, input, nameActor(context)),
      updated_at: now,
    };
    await updateWebhookRow(tx, after);
    if (after.state !== "enabled") {
      await failPendingDeliveries(tx, owner, { webhookId, now });
    }
    await auditWebhook(deps, tx, context, {
      owner,
      webhookId,
      verb: "updated",
      details: {
        origin: toShownOrigin(after.url),
        urlChanged: before.url !== after.url,
        eventTypes: after.event_types,
        state: [before.state, after.state],
        responsible: [before.responsible, after.responsible],
      },
    });
    return toWebhookReply(after, now);
  });
}

/** Deletes an endpoint with all of its deliveries. @throws {AppError} As {@link getWebhook}. */
export async function deleteWebhook(
  deps: AppServices,
  context: CallContext,
  { owner, webhookId }: One,
): Promise<void> {
  assertMayWith(context, "webhooks:write", owner);
  await transactAs(deps, owner, async (tx) => {
    const row = await deleteWebhookRow(tx, owner, webhookId);
    if (row === undefined) {
      throw resourceNotFound("webhook");
    }
    const details = { origin: toShownOrigin(row.url) };
    await auditWebhook(deps, tx, context, { owner, webhookId, verb: "deleted", details });
  });
}

/** The most earlier secrets that still sign. Each adds a signature to every message. */
const EARLIER_SECRETS_MAX = 5;

/** Each secret that signs now keeps its own end. Without a grace period all end at once, because a secret may have leaked. */
function keepEarlierSecrets(
  row: WebhookRow,
  { graceSeconds, now }: { graceSeconds: number; now: Date },
): WebhookRow["earlier_secrets"] {
  if (graceSeconds === 0) {
    return [];
  }
  const earlier = listSigning(row, now);
  if (earlier.length === EARLIER_SECRETS_MAX) {
    throw new AppError({
      code: "CONFLICT",
      publicMessage: `${String(EARLIER_SECRETS_MAX)} earlier secrets still sign: wait until one of them expires, or replace the secret without a grace period.`,
    });
  }
  const until = new Date(now.getTime() + graceSeconds * 1_000).toISOString();
  return [{ secret: row.secret, until }, ...earlier];
}

/**
 * Replaces the secret. During the grace period every message is signed with both, so that a receiver can verify with either. Secrets
 * that were replaced before sign until their own grace period ends.
 *
 * @throws {AppError} `CONFLICT` if five earlier ones still sign; as {@link getWebhook}.
 */
export async function rotateWebhookSecret(
  deps: WebhooksDeps,
  context: CallContext,
  input: One & { graceSeconds: number },
): Promise<WebhookWithSecret> {
  const { owner, webhookId, graceSeconds } = input;
  assertMayWith(context, "webhooks:write", owner);
  assertMayLearn(context, owner);
  const now = deps.clock.now();
  const secret = toWebhookSecret(deps.randomBytes(SECRET_BYTES));
  const sealed = await deps.sealer.seal(secret);
  return await transactAs(deps, owner, async (tx) => {
    const before = await getLockedRow(tx, input);
    const after: WebhookRow = {
      ...before,
      secret: sealed,
      earlier_secrets: keepEarlierSecrets(before, { graceSeconds, now }),
      updated_at: now,
    };
    await updateWebhookRow(tx, after);
    const details = { graceSeconds };
    await auditWebhook(deps, tx, context, { owner, webhookId, verb: "secret_rotated", details });
    return { ...toWebhookReply(after, now), secret };
  });
}
