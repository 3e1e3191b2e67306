import { toId } from "@turnpike/domain/ids/ids";
import type { BillingDetails } from "./billing-details.queries.ts";

export function makeDetails(of: Partial<BillingDetails> = {}): BillingDetails {
  return {
    tenantId: toId("tenant", "019f2e3a-0000-7000-8000-000000000001"),
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
    language: null,
    isExempt: false,
    exemption: null,
    updatedAt: null,
    ...of,
  };
}
