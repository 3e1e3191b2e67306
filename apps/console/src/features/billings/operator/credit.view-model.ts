import { t } from "@lingui/core/macro";
import { findCurrency } from "@turnpike/domain/money/currency";
import { fromScaled, parseDecimal, toScaled } from "@turnpike/domain/money/decimal";
import type { ApiClient } from "#platform/api-client.ts";
import type { Invoice, InvoiceLine } from "#platform/billing-queries.ts";

type CreditInput = Parameters<ApiClient["invoicing"]["createCreditNote"]>[0];

/** How much is credited: all that is left, one amount, or amounts of lines. */
export type CreditMode = "rest" | "amount" | "lines";

/** The text typed into the form of a credit note. */
export type CreditDraft = {
  mode: CreditMode;
  amount: string;
  /** By number of the line. */
  lines: Readonly<Record<number, string>>;
  reason: string;
};

export const EMPTY_CREDIT: CreditDraft = { mode: "rest", amount: "", lines: {}, reason: "" };

export type CreditableLine = { number: number; description: string; left: string };

/** What is left to credit of a line, before tax; a line that gave something back has nothing left. */
function leftOf({ amount, discount, credited }: InvoiceLine): bigint {
  const left = toScaled(amount) - toScaled(discount) - toScaled(credited);
  return left > 0n ? left : 0n;
}

/** Lines of which something is left to credit. */
export function listCreditable(invoice: Invoice): readonly CreditableLine[] {
  return invoice.lines
    .filter((line) => leftOf(line) > 0n)
    .map((line) => ({
      number: line.number,
      description: line.description,
      left: fromScaled(leftOf(line)),
    }));
}

/** True while something of an invoice can be credited. */
export function isCreditable(invoice: Invoice): boolean {
  return invoice.state !== "void" && listCreditable(invoice).length > 0;
}

export type CreditPreview = {
  /** What the note takes back and what is left afterwards, before tax, in major units. */
  credited: string;
  left: string;
  /** What is wrong with it: of the amount as a whole, or of a line. */
  faults: { amount?: string; lines: Readonly<Record<number, string>> };
  isComplete: boolean;
};

/** Reads an amount; undefined for an empty one, a sentence for what is no amount or too much. */
function readAmount(text: string, left: bigint, digits: number): bigint | string | undefined {
  const typed = text.trim();
  if (typed === "") {
    return;
  }
  const read = parseDecimal(typed);
  const decimals = typed.split(".")[1]?.length ?? 0;
  if (!("scaled" in read) || read.scaled <= 0n) {
    return t`An amount above 0, such as 12.50.`;
  }
  if (decimals > digits) {
    return digits === 0 ? t`No decimals.` : t`At most ${String(digits)} decimals.`;
  }
  return read.scaled > left ? t`At most ${fromScaled(left)} is left.` : read.scaled;
}

/** What a credit note would take back, and what is left of the invoice, before tax. */
export function previewCredit(invoice: Invoice, draft: CreditDraft): CreditPreview {
  const digits = findCurrency(invoice.currency)?.digits ?? 2;
  const lines = listCreditable(invoice);
  const all = lines.reduce((sum, { left }) => sum + toScaled(left), 0n);
  const preview = (
    credited: bigint,
    faults: CreditPreview["faults"] = { lines: {} },
  ): CreditPreview => ({
    credited: fromScaled(credited),
    left: fromScaled(all - credited),
    faults,
    isComplete:
      credited > 0n && faults.amount === undefined && Object.keys(faults.lines).length === 0,
  });
  switch (draft.mode) {
    case "rest":
      return preview(all);
    case "amount": {
      const read = readAmount(draft.amount, all, digits);
      return typeof read === "string"
        ? preview(0n, { amount: read, lines: {} })
        : preview(read ?? 0n);
    }
    case "lines": {
      const reads = lines.map(({ number, left }) => ({
        number,
        read: readAmount(draft.lines[number] ?? "", toScaled(left), digits),
      }));
      const faults = Object.fromEntries(
        reads.flatMap(({ number, read }) => (typeof read === "string" ? [[number, read]] : [])),
      );
      const sum = reads.reduce(
        (total, { read }) => (typeof read === "bigint" ? total + read : total),
        0n,
      );
      return preview(sum, { lines: faults });
    }
    default:
      return draft.mode satisfies never;
  }
}

/** A credit note as the API takes it. */
export function toCreditInput(invoice: Invoice, draft: CreditDraft): CreditInput {
  const invoiceId = invoice.invoiceId as CreditInput["invoiceId"];
  const reason = draft.reason.trim();
  switch (draft.mode) {
    case "rest":
      return { invoiceId, reason };
    case "amount":
      return { invoiceId, reason, amount: draft.amount.trim() };
    case "lines":
      return {
        invoiceId,
        reason,
        lines: listCreditable(invoice).flatMap(({ number }) => {
          const amount = draft.lines[number]?.trim() ?? "";
          return amount === "" ? [] : [{ line: number, amount }];
        }),
      };
    default:
      return draft.mode satisfies never;
  }
}
