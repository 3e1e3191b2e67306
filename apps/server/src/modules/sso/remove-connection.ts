import type { Sso } from "@turnpike/contract/sso";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import { lockTenant } from "#platform/assert-tenant-exists.store.ts";
import { shareOf } from "#platform/transact.ts";
import { forgetIdentities } from "./sign-in/sso-identities.store.ts";
import type { SsoDeps } from "./sso.ports.ts";
import { deleteConnection } from "./sso-connections.store.ts";
import { readSso } from "./to-sso-reply.ts";

/**
 * Removes the identity provider of a tenant. Members and their accounts stay.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`, also when there is none; `INSUFFICIENT_SCOPE` without `sso:write`.
 */
export async function removeConnection(
  deps: SsoDeps,
  context: CallContext,
  { tenantId }: { tenantId: TenantId },
): Promise<Sso> {
  assertMayInTenant(context.actor, "sso:write", tenantId);
  return await deps.transact.asOperator(async (tx) => {
    await lockTenant(tx, tenantId);
    if (!(await deleteConnection(tx, tenantId))) {
      throw resourceNotFound("single sign-on");
    }
    await forgetIdentities(tx, tenantId);
    await writeAudit(deps, tx, context, {
      tenantId,
      action: "sso.removed",
      entityType: "sso_connection",
      entityId: tenantId,
    });
    return await readSso(tx, tenantId, deps.consoleUrl);
  }, shareOf(context.actor));
}
