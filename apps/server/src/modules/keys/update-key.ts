import { isDeepStrictEqual } from "node:util";
import type { Key, UpdateKeyRequest } from "@turnpike/contract/keys";
import type { JsonValue } from "@turnpike/db/client";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import { writeAudit } from "#modules/audit/index.ts";
import { publishEvent } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import {
  assertMetersExist,
  assertScopesAllowed,
  assertScopesHeld,
  isReachExtended,
  parseExpiry,
  parseNetworks,
  REVOKED_KEY_UNCHANGEABLE,
} from "./key-input.ts";
import { type KeyRow, lockKeyRow, publishKey, updateKeyRow } from "./keys.store.ts";
import { toKeyReply } from "./to-key-reply.ts";

function decideDisabled(before: KeyRow, disabled: boolean | undefined, now: Date): Date | null {
  if (disabled === undefined) {
    return before.disabled_at;
  }
  return disabled ? (before.disabled_at ?? now) : null;
}

function describeChange(before: KeyRow, after: KeyRow): Record<string, JsonValue> {
  const details: Record<string, JsonValue> = {
    // Even when unchanged, so that the audit trail names the key after it is gone.
    name: before.name === after.name ? after.name : [before.name, after.name],
  };
  if (before.scopes.join() !== after.scopes.join()) {
    details["scopes"] = [before.scopes, after.scopes];
  }
  if (before.expires_at?.getTime() !== after.expires_at?.getTime()) {
    details["expiresAt"] = [
      before.expires_at?.toISOString() ?? null,
      after.expires_at?.toISOString() ?? null,
    ];
  }
  if (before.allowed_networks.join() !== after.allowed_networks.join()) {
    details["allowedNetworks"] = [before.allowed_networks, after.allowed_networks];
  }
  if (!isDeepStrictEqual(before.rate_limits, after.rate_limits)) {
    details["rateLimits"] = [before.rate_limits, after.rate_limits];
  }
  if (!isDeepStrictEqual(before.quotas, after.quotas)) {
    details["quotas"] = [before.quotas, after.quotas];
  }
  if (before.concurrency !== after.concurrency) {
    details["concurrency"] = [before.concurrency, after.concurrency];
  }
  if (!isDeepStrictEqual(before.metadata, after.metadata)) {
    // The values are the tenant's own and may be long; the audit trail only says that they changed.
    details["metadata"] = "changed";
  }
  return details;
}

function actionOf(before: KeyRow, after: KeyRow): "key.updated" | "key.disabled" | "key.enabled" {
  const wasDisabled = before.disabled_at !== null;
  const isDisabled = after.disabled_at !== null;
  if (wasDisabled === isDisabled) {
    return "key.updated";
  }
  return isDisabled ? "key.disabled" : "key.enabled";
}

function isSame(before: KeyRow, after: KeyRow): boolean {
  const { name: _, ...changed } = describeChange(before, after);
  return (
    before.name === after.name &&
    Object.keys(changed).length === 0 &&
    actionOf(before, after) === "key.updated"
  );
}

/**
 * Changes the attributes of a key, including disabling and enabling it. Effective on every process within a second. What
 * changes nothing is neither recorded nor published.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `CONFLICT` for a revoked key; `INSUFFICIENT_SCOPE` for a scope that the actor
 *   does not hold, given or kept by a key that works again, for longer, or from more networks; `INVALID_REQUEST` (expiry in the past, invalid network, unknown meter).
 */
export async function updateKey(
  deps: AppServices,
  context: CallContext,
  input: UpdateKeyRequest,
): Promise<Key> {
  assertMayInTenant(context.actor, "keys:write", input.tenantId);
  const now = deps.clock.now();
  return await deps.transact.asTenant(input.tenantId, async (tx) => {
    const before = await lockKeyRow(tx, input.tenantId, input.keyId);
    if (before === undefined) {
      throw resourceNotFound("key");
    }
    if (before.revoked_at !== null) {
      throw new AppError({
        code: "CONFLICT",
        publicMessage: REVOKED_KEY_UNCHANGEABLE,
      });
    }
    // Scopes that the key already has stay, even if the actor could not give them.
    const addedScopes = (input.scopes ?? []).filter((scope) => !before.scopes.includes(scope));
    assertScopesHeld(context, input.tenantId, addedScopes);
    await assertScopesAllowed(tx, input.tenantId, {
      scopes: input.scopes ?? [],
      kept: before.scopes,
    });
    await assertMetersExist(tx, input.quotas ?? []);
    const wanted = {
      name: input.name ?? before.name,
      scopes: [...new Set(input.scopes ?? before.scopes)],
      allowed_networks: parseNetworks(input.allowedNetworks) ?? before.allowed_networks,
      rate_limits: input.rateLimits ?? before.rate_limits,
      quotas: input.quotas ?? before.quotas,
      concurrency: input.concurrency === undefined ? before.concurrency : input.concurrency,
      expires_at:
        input.expiresAt === undefined ? before.expires_at : parseExpiry(input.expiresAt, now),
      disabled_at: decideDisabled(before, input.disabled, now),
    };
    if (isSame(before, { ...before, ...wanted, metadata: input.metadata ?? before.metadata })) {
      return toKeyReply(before, now);
    }
    const after = await updateKeyRow(tx, {
      tenant_id: input.tenantId,
      key_id: input.keyId,
      ...wanted,
      metadata: input.metadata,
      now,
    });
    if (after === undefined) {
      throw resourceNotFound("key");
    }
    // Otherwise an actor could bring back rights that they may not give.
    if (isReachExtended(before, after)) {
      assertScopesHeld(context, input.tenantId, after.scopes);
    }
    await writeAudit(deps, tx, context, {
      tenantId: input.tenantId,
      action: actionOf(before, after),
      entityType: "key",
      entityId: input.keyId,
      details: describeChange(before, after),
    });
    await publishEvent(deps, tx, {
      tenantId: input.tenantId,
      type: actionOf(before, after),
      data: { key: toKeyReply(after, now) },
    });
    await publishKey(tx, input.tenantId, input.keyId);
    return toKeyReply(after, now);
  });
}
