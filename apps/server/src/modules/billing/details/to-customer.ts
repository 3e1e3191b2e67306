import type { Customer } from "@turnpike/domain/billing/tax/tax-decision";
import type { Language } from "@turnpike/domain/text/languages";
import type { Party } from "../billing-settings.ts";
import type { BillingDetailsRow } from "./billing-details.store.ts";

/** A customer as the engine sees it. */
export function toCustomer({
  country,
  region,
  taxId,
  taxIdStatus,
  exemption,
}: BillingDetailsRow): Customer {
  return {
    country: country ?? undefined,
    region: region ?? undefined,
    taxId: taxId ?? undefined,
    taxIdStatus: taxIdStatus ?? undefined,
    isExempt: exemption !== null,
  };
}

/** The place of an address on one line, as it is written on a letter. */
export function toPlaceLine({
  postalCode,
  city,
}: {
  postalCode: string | null;
  city: string | null;
}): string[] {
  const place = [postalCode, city].filter((part) => part !== null).join(" ");
  return place === "" ? [] : [place];
}

/** The customer as a party of an invoice, which keeps it. @param of.language - Of the installation. */
export function toCustomerParty(
  details: BillingDetailsRow,
  { tenantName, language }: { tenantName: string; language: Language },
): Party {
  const { companyName, addressLines, postalCode, city, region, country, taxId, email } = details;
  const chosen = details.language ?? language;
  return {
    name: companyName ?? tenantName,
    lines: [...addressLines, ...toPlaceLine(details), ...(region === null ? [] : [region])],
    country,
    taxId,
    email,
    address: { lines: addressLines, postalCode, city, region },
    exemption: details.exemption,
    ...(chosen === "en" ? {} : { language: chosen }),
  };
}
