import type { Tx } from "@turnpike/db/client";
import type { TaxIdStatus } from "@turnpike/domain/billing/tax/tax-decision";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { Language } from "@turnpike/domain/text/languages";

/** What billing knows of a customer. */
export type BillingDetailsRow = {
  companyName: string | null;
  addressLines: readonly string[];
  postalCode: string | null;
  city: string | null;
  region: string | null;
  country: string | null;
  email: string | null;
  taxId: string | null;
  taxIdStatus: TaxIdStatus | null;
  taxIdReason: string | null;
  exemption: string | null;
  /** Of documents; null for that of the installation. */
  language: Language | null;
};

/** Those of a tenant that has said nothing. */
export const NO_DETAILS: BillingDetailsRow = {
  companyName: null,
  addressLines: [],
  postalCode: null,
  city: null,
  region: null,
  country: null,
  email: null,
  taxId: null,
  taxIdStatus: null,
  taxIdReason: null,
  exemption: null,
  language: null,
};

type StoredDetailsRow = BillingDetailsRow & { tenantId: TenantId; updatedAt: Date };

function columns(tx: Tx) {
  return tx`tenant_id as "tenantId", company_name as "companyName", address_lines as "addressLines", postal_code as "postalCode",
    city, region, country, email, tax_id as "taxId", tax_id_status as "taxIdStatus", tax_id_reason as "taxIdReason", exemption,
    language, updated_at as "updatedAt"`;
}

/** The details of tenants that have some, in no order. */
export async function listBillingDetails(
  tx: Tx,
  tenantIds: readonly TenantId[],
): Promise<StoredDetailsRow[]> {
  return await tx<StoredDetailsRow[]>`
    select ${columns(tx)} from billing_details where tenant_id = any(${[...tenantIds]}::text[])`;
}

export async function findBillingDetails(
  tx: Tx,
  tenantId: TenantId,
): Promise<StoredDetailsRow | undefined> {
  const [row] = await listBillingDetails(tx, [tenantId]);
  return row;
}

export async function writeBillingDetails(
  tx: Tx,
  tenantId: TenantId,
  { details, now }: { details: BillingDetailsRow; now: Date },
): Promise<void> {
  const row = {
    tenant_id: tenantId,
    company_name: details.companyName,
    address_lines: [...details.addressLines],
    postal_code: details.postalCode,
    city: details.city,
    region: details.region,
    country: details.country,
    email: details.email,
    tax_id: details.taxId,
    tax_id_status: details.taxIdStatus,
    tax_id_reason: details.taxIdReason,
    exemption: details.exemption,
    language: details.language,
    updated_at: now,
  };
  await tx`insert into billing_details ${tx(row)} on conflict (tenant_id) do update set ${tx(row)}`;
}

/** @returns Rows removed. */
export async function deleteBillingDetails(tx: Tx, tenantId: TenantId): Promise<number> {
  const rows = await tx`delete from billing_details where tenant_id = ${tenantId} returning 1`;
  return rows.length;
}
