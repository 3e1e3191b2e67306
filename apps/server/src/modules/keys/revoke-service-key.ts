import type { ServiceKey } from "@turnpike/contract/keys";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { ServiceKeyId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import { withdrawInvitationsOfProgram } from "#modules/tenants/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { findServiceKeyRow, markServiceKeyRevoked } from "./service-keys.store.ts";
import { toServiceKeyReply } from "./to-key-reply.ts";

/** Revokes a service key for good, and the open invitations that it sent. @throws {AppError} `RESOURCE_NOT_FOUND`. */
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
      await withdrawInvitationsOfProgram(deps, tx, context, input);
    }
    return toServiceKeyReply(row);
  });
}
