import type { BillingDetails } from "@turnpike/contract/billing-details";
import { EU_RATES } from "@turnpike/domain/billing/tax/eu-rates";
import type { Seller, TaxRate } from "@turnpike/domain/billing/tax/tax-decision";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { toScaled } from "@turnpike/domain/money/decimal";
import {
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import type { BillingDeps } from "../billing-deps.ts";
import { setExemption, setTaxIdStatus } from "../details/decide-tax-of-customer.ts";
import { putBillingDetails } from "../details/put-billing-details.ts";
import { TEST_BILLING, toBillingDeps } from "./billing.fixture.ts";

/** A seller in Germany with the rates of the Union. */
export const GERMAN_SELLER: Seller = {
  country: "DE",
  isRegistered: true,
  pricesInclude: "net",
  taxRates: EU_RATES,
};

export function toRate(rate: Pick<TaxRate, "country"> & Partial<TaxRate> & { percent: string }) {
  const { percent, ...of } = rate;
  return {
    region: undefined,
    taxClass: "standard",
    category: "S",
    name: undefined,
    fromMs: undefined,
    toMs: undefined,
    ...of,
    rate: toScaled(percent),
  };
}

export function toTaxedDeps(
  services: TestServices,
  seller: Partial<Seller> = {},
): TestServices & BillingDeps {
  return {
    ...toBillingDeps(services),
    billing: {
      ...TEST_BILLING,
      seller: {
        name: "Beispiel GmbH",
        lines: ["Hauptstraße 1", "10115 Berlin"],
        country: "DE",
        taxId: "DE136695976",
        email: "rechnung@example.com",
        address: { lines: ["Hauptstraße 1"], postalCode: "10115", city: "Berlin", region: null },
      },
      tax: { ...GERMAN_SELLER, ...seller },
    },
  };
}

/** A new tenant with billing details. */
export async function createCustomer(
  deps: TestServices & BillingDeps,
  {
    name,
    status,
    exemption,
    ...given
  }: {
    name: string;
    country?: string;
    region?: string;
    taxId?: string;
    /** What the operator decided of the id. */
    status?: "confirmed" | "invalid";
    exemption?: string;
  },
): Promise<TenantId> {
  const { tenantId } = await createTestTenant(deps, name);
  const details: BillingDetails = await putBillingDetails(deps, OPERATOR_CONTEXT, {
    tenantId,
    companyName: `${name} SA`,
    addressLines: ["1 High Street"],
    postalCode: "1000",
    city: "Town",
    region: given.region ?? null,
    country: given.country ?? null,
    email: "bills@example.com",
    taxId: given.taxId ?? null,
  });
  const reason = "Looked up.";
  if (status !== undefined && details.taxId !== null) {
    const { taxId } = details;
    await setTaxIdStatus(deps, OPERATOR_CONTEXT, { tenantId, taxId, status, reason });
  }
  if (exemption !== undefined) {
    await setExemption(deps, OPERATOR_CONTEXT, { tenantId, exemption, reason });
  }
  return tenantId;
}
