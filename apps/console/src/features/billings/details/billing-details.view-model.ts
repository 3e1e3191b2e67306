import { t } from "@lingui/core/macro";
import type { BadgeProps } from "@turnpike/ui/badge";
import type { BillingDetails } from "./billing-details.queries.ts";
import { nameCountry } from "./countries.ts";

/** The form: a field that is empty is not given. */
export type DetailsDraft = {
  companyName: string;
  /** At most three lines. */
  address: string;
  postalCode: string;
  city: string;
  region: string;
  /** Two letters, or empty. */
  country: string;
  email: string;
  taxId: string;
  /** Empty for the installation's. */
  language: "" | NonNullable<BillingDetails["language"]>;
};

export type DetailsInput = Omit<
  BillingDetails,
  "taxIdStatus" | "taxIdReason" | "isExempt" | "exemption" | "updatedAt"
>;

export function toDraft(details: BillingDetails): DetailsDraft {
  return {
    companyName: details.companyName ?? "",
    address: details.addressLines.join("\n"),
    postalCode: details.postalCode ?? "",
    city: details.city ?? "",
    region: details.region ?? "",
    country: details.country ?? "",
    email: details.email ?? "",
    taxId: details.taxId ?? "",
    language: details.language ?? "",
  };
}

export function toInput(
  tenantId: BillingDetails["tenantId"],
  { address, language, ...texts }: DetailsDraft,
): DetailsInput {
  return {
    tenantId,
    companyName: toGiven(texts.companyName),
    addressLines: address
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== ""),
    postalCode: toGiven(texts.postalCode),
    city: toGiven(texts.city),
    region: toGiven(texts.region),
    country: toGiven(texts.country),
    email: toGiven(texts.email),
    taxId: toGiven(texts.taxId),
    language: language === "" ? null : language,
  };
}

function toGiven(text: string): string | null {
  return text.trim() === "" ? null : text.trim();
}

/** The address as a letter has it, line by line; the name of the company comes first. */
export function listAddressLines(details: BillingDetails): string[] {
  const { companyName, addressLines, postalCode, city, region, country } = details;
  const place = [postalCode, city].filter((part) => part !== null).join(" ");
  const lines = [companyName, ...addressLines, place, region, country && nameCountry(country)];
  return lines.filter((line): line is string => line !== null && line !== "");
}

export type TaxIdState = { tone: NonNullable<BadgeProps["tone"]>; label: string; says: string };

/** @returns Undefined without a tax id. */
export function toTaxIdState({ taxIdStatus, taxIdReason }: BillingDetails): TaxIdState | undefined {
  switch (taxIdStatus) {
    case null:
      return;
    case "confirmed":
      return { tone: "ok", label: t`Confirmed`, says: taxIdReason ?? "" };
    case "invalid":
      return {
        tone: "danger",
        label: t`Refused`,
        says: taxIdReason ?? t`Tax is charged as without it.`,
      };
    case "pending":
      return {
        tone: "warning",
        label: t`Being checked`,
        says: t`Tax is charged until it is confirmed.`,
      };
  }
}
