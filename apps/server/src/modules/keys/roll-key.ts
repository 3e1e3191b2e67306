import type { CreatedKey, RollKeyRequest } from "@turnpike/contract/keys";
import {
  assertMayInTenant,
  assertMayLearnSecret,
  type CallContext,
} from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import { writeAudit } from "#modules/audit/index.ts";
import { publishEvent } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { assertScopesHeld } from "./key-input.ts";
import { copyKeyRow, type KeyRow, lockKeyRow, markKeyRolled, publishKey } from "./keys.store.ts";
import { mintKey, toHex } from "./mint-key.ts";
import { toKeyReply } from "./to-key-reply.ts";

function assertRollable(row: KeyRow, now: Date): void {
  const { state } = toKeyReply(row, now);
  if (state !== "active") {
    throw new AppError({
      code: "CONFLICT",
      publicMessage: `Only an active key can be rolled; this one is ${state}.`,
    });
  }
  if (row.rolled_to !== null) {
    throw new AppError({
      code: "CONFLICT",
      publicMessage: "This key was already rolled. Roll its successor instead.",
    });
  }
}

/** When the old key ends: after the grace period, but no later than its own expiry. */
function endOfGrace(row: KeyRow, graceSeconds: number, now: Date): Date {
  const end = new Date(now.getTime() + graceSeconds * 1_000);
  return row.expires_at !== null && row.expires_at < end ? row.expires_at : end;
}

/**
 * Replaces a key by a copy with a new text and the same name, environment, scopes, metadata and expiry. The old key works until
 * the grace period ends; without one it is revoked at once. Usage and limits pool by tenant, so nothing is reset.
 *
 * @returns The new key. Its text appears nowhere else.
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `CONFLICT` when the key is not active or was rolled already;
 *   `INSUFFICIENT_SCOPE` when the key can do what the actor cannot; `DIRECTORY_UNAVAILABLE`.
 */
export async function rollKey(
  deps: AppServices,
  context: CallContext,
  input: RollKeyRequest,
): Promise<CreatedKey> {
  assertMayInTenant(context.actor, "keys:write", input.tenantId);
  assertMayLearnSecret(context.actor, input.tenantId);
  const now = deps.clock.now();
  return await deps.transact.asTenant(input.tenantId, async (tx) => {
    const before = await lockKeyRow(tx, input.tenantId, input.keyId);
    if (before === undefined) {
      throw resourceNotFound("key");
    }
    assertRollable(before, now);
    // The actor receives the successor, so it must hold all its scopes.
    assertScopesHeld(context, input.tenantId, before.scopes);
    const minted = mintKey(before.environment, deps.randomBytes);
    await deps.cellEntries?.admitKeys(input.tenantId, [toHex(minted.hash)]);
    const made = await copyKeyRow(tx, before, {
      key_id: deps.newId("key"),
      key_hash: minted.hash,
      start: minted.start,
      last_four: minted.lastFour,
      created_by: `${context.actor.type}:${context.actor.id}`,
      now,
    });
    if (made === undefined) {
      throw resourceNotFound("key");
    }
    const hasGrace = input.graceSeconds > 0;
    const rolled: KeyRow = {
      ...before,
      rolled_to: made.key_id,
      expires_at: hasGrace ? endOfGrace(before, input.graceSeconds, now) : before.expires_at,
      revoked_at: hasGrace ? null : now,
    };
    await markKeyRolled(tx, { ...rolled, now });
    await writeAudit(deps, tx, context, {
      tenantId: input.tenantId,
      action: "key.rolled",
      entityType: "key",
      entityId: input.keyId,
      details: { name: before.name, to: made.key_id, graceSeconds: input.graceSeconds },
    });
    await publishEvent(deps, tx, {
      tenantId: input.tenantId,
      type: "key.rolled",
      data: { key: toKeyReply(rolled, now), successor: toKeyReply(made, now) },
    });
    await publishKey(tx, input.tenantId, input.keyId);
    await publishKey(tx, input.tenantId, made.key_id);
    return { ...toKeyReply(made, now), key: minted.key };
  });
}
