import type { Currency } from "../../money/currency.ts";
import type { Quantity } from "../../pricing/price.ts";

/** A postal address (BG-5, BG-8). */
export type EAddress = {
  readonly lines: readonly string[];
  readonly postalCode: string | undefined;
  readonly city: string | undefined;
  readonly region: string | undefined;
  /** ISO 3166-1, two letters. */
  readonly country: string;
};

export type EParty = {
  readonly name: string;
  readonly address: EAddress;
  /** With the prefix of its country (BT-31, BT-48). */
  readonly vatId: string | undefined;
  /** An id that is none for VAT, or must not be named as one (BT-29, BT-46). */
  readonly id: string | undefined;
  readonly email: string | undefined;
};

/** Category and rate of a line, an allowance or a row of tax. `rate` is in per cent, scaled by 10^12. */
export type ETaxKind = { readonly category: string; readonly rate: bigint };

export type ELine = ETaxKind & {
  readonly name: string;
  readonly quantity: Quantity;
  /** Net, before allowances of the document; minor units. */
  readonly net: bigint;
  readonly fromMs: number | undefined;
  /** Exclusive. */
  readonly toMs: number | undefined;
};

/** An invoice or a credit note by the model of EN 16931. Amounts are minor units. */
export type EInvoice = {
  readonly kind: "invoice" | "creditNote";
  readonly number: string;
  readonly issuedAtMs: number;
  /** Undefined for a credit note. */
  readonly dueAtMs: number | undefined;
  readonly currency: Currency;
  /** The invoice that a credit note is of (BG-3). */
  readonly preceding: { readonly number: string; readonly issuedAtMs: number } | undefined;
  readonly note: string | undefined;
  readonly seller: EParty;
  readonly buyer: EParty;
  readonly lines: readonly ELine[];
  /** Coupons and promotional credit, for each tax (BG-20). */
  readonly allowances: readonly (ETaxKind & { readonly amount: bigint })[];
  readonly taxes: readonly (ETaxKind & {
    readonly base: bigint;
    readonly amount: bigint;
    /** Why it is 0; undefined where it needs no reason. */
    readonly reason: { readonly code: string | undefined; readonly text: string } | undefined;
  })[];
  /** BT-106, BT-107, BT-109, BT-110, BT-112, BT-113, BT-115. */
  readonly totals: {
    readonly lines: bigint;
    readonly allowances: bigint;
    readonly net: bigint;
    readonly tax: bigint;
    readonly total: bigint;
    readonly prepaid: bigint;
    readonly due: bigint;
  };
  /** The tax in the seller's own currency (BT-6, BT-111); undefined where it is that of the document. */
  readonly accounting: { readonly currency: Currency; readonly tax: bigint } | undefined;
};

export const ALLOWANCE_REASON = { code: "95", text: "Discount" } as const;
/** One of what the line names (UN/ECE Recommendation 20). */
export const UNIT_CODE = "C62";
export const SPECIFICATION = "urn:cen.eu:en16931:2017";

/** Sentence for the customer about when to pay (BT-20). */
export function paymentTermsOf({ dueAtMs }: EInvoice): string | undefined {
  return dueAtMs === undefined
    ? undefined
    : `Due on ${new Date(dueAtMs).toISOString().slice(0, 10)}.`;
}
