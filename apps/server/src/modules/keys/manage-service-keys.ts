import type {
  CreatedServiceKey,
  CreateServiceKeyRequest,
  ServiceKey,
} from "@turnpike/contract/keys";
import type { Tx } from "@turnpike/db/client";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { ServiceKeyId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { parseIdCursor } from "#platform/parse-cursor.ts";
import { mintKey } from "./mint-key.ts";
import {
  findServiceKeyRow,
  insertServiceKey,
  listServiceKeyRows,
  markServiceKeyRevoked,
} from "./service-keys.store.ts";
import { toServiceKeyReply } from "./to-key-reply.ts";

async function storeServiceKey(
  deps: AppServices,
  tx: Tx,
  context: CallContext,
  input: CreateServiceKeyRequest,
): Promise<CreatedServiceKey> {
  const minted = mintKey("svc", deps.randomBytes);
  const row = {
    service_key_id: deps.newId("serviceKey"),
    name: input.name,
    start: minted.start,
    scopes: [...new Set(input.scopes)],
    created_at: deps.clock.now(),
  };
  await insertServiceKey(tx, {
    ...row,
    key_hash: minted.hash,
    created_by: `${context.actor.type}:${context.actor.id}`,
  });
  await writeAudit(deps, tx, context, {
    tenantId: null,
    action: "service_key.created",
    entityType: "service_key",
    entityId: row.service_key_id,
    details: { name: row.name, scopes: row.scopes },
  });
  return { ...toServiceKeyReply({ ...row, revoked_at: null }), key: minted.key };
}

/**
 * Creates a service key for a program of the operator. Nobody gives a scope they do not hold.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`.
 */
export async function createServiceKey(
  deps: AppServices,
  context: CallContext,
  input: CreateServiceKeyRequest,
): Promise<CreatedServiceKey> {
  const { actor } = context;
  assertMay(actor, "service_keys:write");
  if (actor.type === "service_key") {
    const missing = input.scopes.find((scope) => !actor.scopes.includes(scope));
    if (missing !== undefined) {
      throw new AppError({
        code: "INSUFFICIENT_SCOPE",
        publicMessage: `A service key cannot give a scope that it does not have: ${missing}.`,
      });
    }
  }
  return await deps.transact.asOperator((tx) => storeServiceKey(deps, tx, context, input));
}

/** Lists service keys, newest first, revoked ones included. */
export async function listServiceKeys(
  deps: AppServices,
  context: CallContext,
  input: { cursor?: string | undefined; limit: number },
): Promise<{ items: ServiceKey[]; nextCursor: string | null }> {
  assertMay(context.actor, "service_keys:read");
  const rows = await deps.transact.asOperator((tx) =>
    listServiceKeyRows(tx, {
      beforeId: parseIdCursor("serviceKey", input.cursor),
      limit: input.limit + 1,
    }),
  );
  const items = rows.slice(0, input.limit).map(toServiceKeyReply);
  return {
    items,
    nextCursor: rows.length > input.limit ? (items.at(-1)?.serviceKeyId ?? null) : null,
  };
}

/** Revokes a service key for good. @throws {AppError} `RESOURCE_NOT_FOUND`. */
export async function revokeServiceKey(
  deps: AppServices,
  context: CallContext,
  input: { serviceKeyId: ServiceKeyId },
): Promise<ServiceKey> {
  assertMay(context.actor, "service_keys:write");
  return await deps.transact.asOperator(async (tx) => {
    const changed = await markServiceKeyRevoked(tx, input.serviceKeyId, deps.clock.now());
    const row = await findServiceKeyRow(tx, input.serviceKeyId);
    if (row === undefined) {
      throw resourceNotFound("service key");
    }
    if (changed) {
      await writeAudit(deps, tx, context, {
        tenantId: null,
        action: "service_key.revoked",
        entityType: "service_key",
        entityId: input.serviceKeyId,
        details: { name: row.name },
      });
    }
    return toServiceKeyReply(row);
  });
}
