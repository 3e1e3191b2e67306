import { larger } from "../../money/bounds.ts";
import type { Line, TaxKind } from "../rating/line.ts";

/** One tax of a document: its base and its amount in minor units. */
export type TaxRow = TaxKind & { readonly base: bigint; readonly amount: bigint };

/** Lines with the same taxes. */
export type TaxGroup = {
  readonly kinds: readonly TaxKind[];
  /** Sum of the lines after discounts, in the terms of the lines: net, or gross with gross prices. */
  readonly sum: bigint;
  readonly net: bigint;
  /** Tax of each kind, with gross prices. With net prices taxes are of rows, which may span groups. */
  readonly amounts: readonly bigint[];
};

export type TaxTotals = {
  readonly net: bigint;
  readonly taxes: readonly TaxRow[];
  readonly total: bigint;
  readonly groups: readonly TaxGroup[];
};

/** What an invoice took from a grant. */
export type Burn = { readonly grant: number; readonly amount: bigint };

/**
 * An issued invoice. Amounts are minor units; nothing but `paid`, `credited`, `toBalance` and `isVoid` changes after it is issued.
 */
export type Invoice = TaxTotals & {
  readonly number: string;
  readonly issuedAtMs: number;
  /** The period of the customer in which it was issued, see `Account.periods`. */
  readonly periodNumber: number;
  readonly lines: readonly Line[];
  readonly burns: readonly Burn[];
  readonly fromBalance: bigint;
  readonly prepaid: bigint;
  /** Everything that was paid, also beyond what was due. */
  readonly paid: bigint;
  readonly credited: bigint;
  /**
   * What of `paid`, `credited` and `fromBalance` went to the balance, because nothing was due any more, or because a refund reclaimed
   * it; left out: nothing. It settles the invoice no longer, so money that is taken back makes it due again by all of it.
   */
  readonly toBalance?: bigint;
  readonly isVoid: boolean;
  /** Names the credit that it is for; left out on all other invoices. */
  readonly topUp?: string;
};

/** What is still to be paid, never below 0. */
export function dueOf(invoice: Invoice): bigint {
  const { total, fromBalance, prepaid, paid, credited, toBalance = 0n, isVoid } = invoice;
  const left = total - fromBalance - prepaid - paid - credited + toBalance;
  return isVoid ? 0n : larger(left, 0n);
}

export function isOpen(invoice: Invoice): boolean {
  return dueOf(invoice) > 0n;
}

export function statusOf(invoice: Invoice): "open" | "paid" | "void" {
  if (invoice.isVoid) {
    return "void";
  }
  return isOpen(invoice) ? "open" : "paid";
}

/** The next number of a series: from 1 in each year of issue, without a gap. */
export function nextNumber(
  series: "INV" | "CN",
  issued: readonly { readonly issuedAtMs: number }[],
  atMs: number,
): string {
  const yearOf = (ms: number) => new Date(ms).getUTCFullYear();
  const year = yearOf(atMs);
  // In the order of issue, so those of one year are the last ones.
  const before =
    issued.length - 1 - issued.findLastIndex(({ issuedAtMs }) => yearOf(issuedAtMs) !== year);
  return `${series}-${String(year).padStart(4, "0")}-${String(before + 1).padStart(6, "0")}`;
}
