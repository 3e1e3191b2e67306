export type TaxRate = {
  readonly country: string;
  readonly region: string | undefined;
  readonly taxClass: string;
  readonly category: string;
  /** Per cent, scaled by 10^12. */
  readonly rate: bigint;
  readonly name: string | undefined;
  /** Inclusive; undefined for ever before. */
  readonly fromMs: number | undefined;
  /** Exclusive; undefined for ever after. */
  readonly toMs: number | undefined;
};

export type Seller = {
  readonly country: string;
  readonly isRegistered: boolean;
  readonly pricesInclude: "net" | "gross";
  readonly taxRates: readonly TaxRate[];
};

export const TAX_ID_STATUSES = ["confirmed", "pending", "invalid"] as const;
export type TaxIdStatus = (typeof TAX_ID_STATUSES)[number];

export type Customer = {
  /** Undefined for the seller's country. */
  readonly country: string | undefined;
  readonly region: string | undefined;
  readonly taxId: string | undefined;
  readonly taxIdStatus: TaxIdStatus | undefined;
  readonly isExempt: boolean;
};

/** Which taxes an invoice has: the rates of a country, or one category at 0 for every line. */
export type TaxDecision =
  | { readonly of: "rates"; readonly country: string }
  | { readonly of: "zero"; readonly category: "E" | "O" | "AE" };

/** Member states of the European Union. */
export const EU_COUNTRIES: ReadonlySet<string> = new Set(
  "AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE".split(" "),
);

/**
 * Decides the tax of an invoice when it is issued; the first rule that matches counts. Categories are those of EN 16931: `E` exempt,
 * `O` outside the scope, `AE` reverse charge.
 */
export function decideTax(seller: Seller, customer: Customer): TaxDecision {
  const country = customer.country ?? seller.country;
  if (customer.isExempt) {
    return { of: "zero", category: "E" };
  }
  if (!seller.isRegistered) {
    return { of: "zero", category: "O" };
  }
  if (country === seller.country) {
    return { of: "rates", country };
  }
  if (!EU_COUNTRIES.has(country) || !EU_COUNTRIES.has(seller.country)) {
    return { of: "zero", category: "O" };
  }
  return customer.taxIdStatus === "confirmed"
    ? { of: "zero", category: "AE" }
    : { of: "rates", country };
}
