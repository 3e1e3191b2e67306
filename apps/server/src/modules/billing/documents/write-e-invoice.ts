import { NoEInvoice, toEInvoice } from "@turnpike/domain/billing/e-invoice/to-e-invoice";
import { writeCii } from "@turnpike/domain/billing/e-invoice/write-cii";
import { writeUbl } from "@turnpike/domain/billing/e-invoice/write-ubl";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { StoredDocument } from "./stored-document.ts";
import { toFrozenDocument } from "./to-frozen-document.ts";

/** Syntaxes of EN 16931. */
export const E_INVOICE_FORMATS = ["ubl", "cii"] as const;
export type EInvoiceFormat = (typeof E_INVOICE_FORMATS)[number];

function write(stored: StoredDocument, format: EInvoiceFormat): string {
  const written = toEInvoice(toFrozenDocument(stored));
  return format === "ubl" ? writeUbl(written) : writeCii(written);
}

/**
 * Writes a stored document as an e-invoice by EN 16931. The same document gives the same bytes.
 *
 * @throws {AppError} `CONFLICT` when it has no such form; its message is a sentence that says why.
 */
export function writeEInvoice(stored: StoredDocument, format: EInvoiceFormat): string {
  try {
    return write(stored, format);
  } catch (error) {
    if (error instanceof NoEInvoice) {
      throw new AppError({
        code: "CONFLICT",
        publicMessage: error.message,
        extensions: { reason: "no_e_invoice" },
        cause: error,
      });
    }
    throw error;
  }
}

/** The e-invoice of a document; null for one that has no such form. */
export function findEInvoice(stored: StoredDocument, format: EInvoiceFormat): string | null {
  try {
    return write(stored, format);
  } catch (error) {
    if (error instanceof NoEInvoice) {
      return null;
    }
    throw error;
  }
}
