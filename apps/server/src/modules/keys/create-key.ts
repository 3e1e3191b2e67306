import type { CreatedKey, CreateKeyRequest } from "@turnpike/contract/keys";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { announceKey, insertKey, type KeyRow, tenantExists } from "./keys.store.ts";
import { mintKey } from "./mint-key.ts";
import { toKeyReply } from "./to-key-reply.ts";

function assertScopesHeld(context: CallContext, scopes: readonly string[]): void {
  const { actor } = context;
  if (actor.type !== "key" && actor.type !== "service_key") {
    return;
  }
  const missing = scopes.find((scope) => !actor.scopes.some((held) => held === scope));
  if (missing !== undefined) {
    throw new AppError({
      code: "INSUFFICIENT_SCOPE",
      publicMessage: `A key cannot give a scope that it does not have: ${missing}.`,
    });
  }
}

function parseExpiry(expiresAt: string | undefined, now: Date): Date | null {
  if (expiresAt === undefined) {
    return null;
  }
  const expiry = new Date(expiresAt);
  if (expiry <= now) {
    const message = "Must lie in the future.";
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: "The expiry must lie in the future.",
      errors: [{ pointer: "/expiresAt", message }],
    });
  }
  return expiry;
}

/**
 * Creates a key of a tenant. The reply is the only place where its text appears; the database holds a hash.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INSUFFICIENT_SCOPE`, `INVALID_REQUEST` (expiry in the past).
 */
export async function createKey(
  deps: AppServices,
  context: CallContext,
  input: CreateKeyRequest,
): Promise<CreatedKey> {
  assertMayInTenant(context.actor, "keys:write", input.tenantId);
  assertScopesHeld(context, input.scopes);
  const now = deps.clock.now();
  const minted = mintKey(input.environment, deps.randomBytes);
  const row: KeyRow = {
    tenant_id: input.tenantId,
    key_id: deps.newId("key"),
    name: input.name,
    environment: input.environment,
    start: minted.start,
    last_four: minted.lastFour,
    scopes: [...new Set(input.scopes)],
    metadata: input.metadata,
    expires_at: parseExpiry(input.expiresAt, now),
    disabled_at: null,
    revoked_at: null,
    created_at: now,
  };
  await deps.transact.asTenant(input.tenantId, async (tx) => {
    if (!(await tenantExists(tx, input.tenantId))) {
      throw resourceNotFound("tenant");
    }
    await insertKey(tx, {
      ...row,
      metadata: input.metadata,
      key_hash: minted.hash,
      created_by: `${context.actor.type}:${context.actor.id}`,
    });
    await writeAudit(deps, tx, context, {
      tenantId: input.tenantId,
      action: "key.created",
      entityType: "key",
      entityId: row.key_id,
      details: { name: row.name, environment: row.environment, start: row.start },
    });
    await announceKey(tx, input.tenantId, row.key_id);
  });
  return { ...toKeyReply(row, now), key: minted.key };
}
