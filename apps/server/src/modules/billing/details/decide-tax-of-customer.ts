import type { BillingDetails } from "@turnpike/contract/billing-details";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { TaxIdStatus } from "@turnpike/domain/billing/tax/tax-decision";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { BillingDeps } from "../billing-deps.ts";
import { changeDetails } from "./change-details.ts";

/**
 * Confirms or refuses the tax id that the operator has looked at.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INSUFFICIENT_SCOPE`, `CONFLICT` when the tenant has another id by now.
 */
export async function setTaxIdStatus(
  deps: BillingDeps,
  context: CallContext,
  {
    tenantId,
    taxId,
    status,
    reason,
  }: { tenantId: TenantId; taxId: string; status: TaxIdStatus; reason: string },
): Promise<BillingDetails> {
  assertMayInTenant(context.actor, "invoices:write", tenantId);
  return await deps.transact.asOperator((tx) =>
    changeDetails(deps, tx, context, {
      tenantId,
      action: "tax_id.decided",
      reason,
      change: (before) => {
        if (before.taxId !== taxId) {
          throw new AppError({
            code: "CONFLICT",
            publicMessage:
              before.taxId === null
                ? "The tenant has no tax id."
                : `The tenant's tax id is ${before.taxId}: look at that one.`,
          });
        }
        return { ...before, taxIdStatus: status, taxIdReason: reason };
      },
    }),
  );
}

/** Exempts a tenant from tax by a certificate, or ends that. @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INSUFFICIENT_SCOPE`. */
export async function setExemption(
  deps: BillingDeps,
  context: CallContext,
  { tenantId, exemption, reason }: { tenantId: TenantId; exemption: string | null; reason: string },
): Promise<BillingDetails> {
  assertMayInTenant(context.actor, "invoices:write", tenantId);
  return await deps.transact.asOperator((tx) =>
    changeDetails(deps, tx, context, {
      tenantId,
      action: "exemption.decided",
      reason,
      change: (before) => ({ ...before, exemption }),
    }),
  );
}
