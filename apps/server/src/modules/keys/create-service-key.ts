import type { CreatedServiceKey, CreateServiceKeyRequest } from "@turnpike/contract/keys";
import type { Tx } from "@turnpike/db/client";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { mintKey } from "./mint-key.ts";
import { insertServiceKey } from "./service-keys.store.ts";
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
 * Creates a service key for a program of the operator. An actor gives only scopes that it holds.
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
        publicMessage: `A service key cannot give a scope that it lacks: ${missing}.`,
      });
    }
  }
  return await deps.transact.asOperator((tx) => storeServiceKey(deps, tx, context, input));
}
