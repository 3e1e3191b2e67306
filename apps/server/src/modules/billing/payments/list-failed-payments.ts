import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { type FailedPayment, listFailedLast } from "./attempts.store.ts";

/**
 * Lists open live invoices of which the last attempt to collect failed or waits for a person, the oldest first.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`.
 */
export async function listFailedPayments(
  deps: Pick<AppServices, "transact">,
  context: CallContext,
  { tenantId }: { tenantId: TenantId },
): Promise<FailedPayment[]> {
  assertMayInTenant(context.actor, "billing:read", tenantId);
  return await deps.transact.asTenant(tenantId, (tx) => listFailedLast(tx, tenantId));
}
