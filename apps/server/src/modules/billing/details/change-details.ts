import type { BillingDetails } from "@turnpike/contract/billing-details";
import type { Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import { findTenantRow } from "#modules/tenants/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { lockTenant } from "#platform/assert-tenant-exists.store.ts";
import { hastenPrepaid } from "../accounts/accounts.store.ts";
import {
  type BillingDetailsRow,
  findBillingDetails,
  NO_DETAILS,
  writeBillingDetails,
} from "./billing-details.store.ts";

export function toBillingDetails(
  tenantId: TenantId,
  { details, updatedAt }: { details: BillingDetailsRow; updatedAt: Date | undefined },
): BillingDetails {
  const { companyName, addressLines, postalCode, city, region, country, email } = details;
  const { taxId, taxIdStatus, taxIdReason, exemption, language } = details;
  return {
    tenantId,
    companyName,
    addressLines: [...addressLines],
    postalCode,
    city,
    region,
    country,
    email,
    taxId,
    taxIdStatus,
    taxIdReason,
    isExempt: exemption !== null,
    exemption,
    language,
    updatedAt: updatedAt?.toISOString() ?? null,
  };
}

/** Which details are others, before and after. */
function listDifferences(
  before: BillingDetailsRow,
  after: BillingDetailsRow,
): Record<string, [string | null, string | null]> {
  const textOf = (value: BillingDetailsRow[keyof BillingDetailsRow]) =>
    typeof value === "string" || value === null ? value : value.join("\n");
  const names = Object.keys(NO_DETAILS) as (keyof BillingDetailsRow)[];
  const pairs = names.map((name): [string, [string | null, string | null]] => [
    name,
    [textOf(before[name]), textOf(after[name])],
  ]);
  return Object.fromEntries(pairs.filter(([, [old, current]]) => old !== current));
}

export type DetailsChange = {
  tenantId: TenantId;
  action: "billing_details.updated" | "tax_id.decided" | "exemption.decided";
  /** Of the audit, where the operator decides. */
  reason?: string;
  /** Throws to refuse the change. */
  change(before: BillingDetailsRow): BillingDetailsRow;
};

/**
 * Changes the billing details of a tenant, and records what was changed. Changes of one tenant take turns. They count from the next
 * invoice on.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), and what `change` throws.
 */
export async function changeDetails(
  deps: AppServices,
  tx: Tx,
  context: CallContext,
  { tenantId, action, reason, change }: DetailsChange,
): Promise<BillingDetails> {
  await lockTenant(tx, tenantId);
  if ((await findTenantRow(tx, tenantId)) === undefined) {
    throw resourceNotFound("tenant");
  }
  const found = await findBillingDetails(tx, tenantId);
  const before = found ?? NO_DETAILS;
  const details = change(before);
  const differences = listDifferences(before, details);
  if (Object.keys(differences).length === 0) {
    return toBillingDetails(tenantId, { details, updatedAt: found?.updatedAt });
  }
  const now = deps.clock.now();
  await writeBillingDetails(tx, tenantId, { details, now });
  // With another tax credit pays for more, or for less.
  await hastenPrepaid(tx, tenantId, now);
  await writeAudit(deps, tx, context, {
    tenantId,
    action,
    entityType: "billing_details",
    entityId: tenantId,
    details: { ...differences, ...(reason === undefined ? {} : { reason }) },
  });
  return toBillingDetails(tenantId, { details, updatedAt: now });
}
