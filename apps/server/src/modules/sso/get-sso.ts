import type { Sso } from "@turnpike/contract/sso";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { shareOf } from "#platform/transact.ts";
import type { SsoDeps } from "./sso.ports.ts";
import { readSso } from "./to-sso-reply.ts";

/** @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE` without `sso:read`. */
export async function getSso(
  deps: SsoDeps,
  context: CallContext,
  { tenantId }: { tenantId: TenantId },
): Promise<Sso> {
  assertMayInTenant(context.actor, "sso:read", tenantId);
  return await deps.transact.asOperator(
    (tx) => readSso(tx, tenantId, deps.consoleUrl),
    shareOf(context.actor),
  );
}
