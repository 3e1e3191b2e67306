import type { OpenAPI } from "@orpc/openapi";
import { anyFile } from "./any-file.ts";
import type { RawOperation } from "./raw-operation.ts";
import { tenantParameter } from "./tenant-parameter.ts";

/** The download of an issued document as a file. */
function downloadOf({
  name,
  operationId,
  summary,
  description,
  parameters = [],
  content,
}: {
  /** The last part of the path. */
  name: string;
  operationId: string;
  summary: string;
  description: string;
  parameters?: RawOperation["operation"]["parameters"];
  content: NonNullable<OpenAPI.ResponseObject["content"]>;
}): RawOperation {
  return {
    method: "get",
    path: `/tenants/{tenantId}/invoices/{invoiceId}/${name}`,
    scope: "billing:read",
    operation: {
      operationId,
      summary,
      description,
      tags: ["Billing"],
      parameters: [
        tenantParameter,
        {
          name: "invoiceId",
          in: "path",
          required: true,
          schema: { type: "string", pattern: "^inv_[0-9a-f]{32}$" },
        },
        ...parameters,
      ],
      responses: {
        "200": {
          description: "The document, as an attachment.",
          headers: {
            "Content-Disposition": {
              description: "Always an attachment, named by the number of the document.",
              schema: { type: "string" },
            },
          },
          content,
        },
      },
    },
  };
}

const downloadInvoiceLines = downloadOf({
  name: "csv",
  operationId: "billing.downloadInvoiceLines",
  summary: "Download an invoice as CSV",
  description:
    "A line for each line of the invoice, each tax, and each of its sums, under a line of names; `record` says which. Amounts are in major units. Texts that a spreadsheet would take for formulas begin with an apostrophe.",
  content: { "text/csv": { schema: { type: "string" } } },
});

const creditNoteParameter = {
  name: "creditNote",
  in: "query",
  description: "Id of a credit note of the invoice, to download that instead.",
  schema: { type: "string", pattern: "^crn_[0-9a-f]{32}$" },
} as const;

const downloadInvoice = downloadOf({
  name: "pdf",
  operationId: "billing.downloadInvoice",
  summary: "Download an invoice or a credit note as PDF",
  description:
    "As it was issued: the same document always gives the same bytes. What was paid or credited since is not on it. Where the document has a form by EN 16931, it is inside (Factur-X).",
  parameters: [creditNoteParameter],
  content: { "application/pdf": { schema: anyFile } },
});

const downloadEInvoice = downloadOf({
  name: "xml",
  operationId: "billing.downloadEInvoice",
  summary: "Download an invoice or a credit note as an e-invoice by EN 16931",
  description:
    "As it was issued: the same document always gives the same bytes. 409 with the reason `no_e_invoice` when it has no such form, for example in a currency with three decimals or without a tax.",
  parameters: [
    {
      name: "format",
      in: "query",
      description: "The syntax: UBL 2.1 or Cross Industry Invoice.",
      schema: { type: "string", enum: ["ubl", "cii"], default: "ubl" },
    },
    creditNoteParameter,
  ],
  content: { "application/xml": { schema: { type: "string" } } },
});

/** Issued documents as files. */
export const INVOICE_OPERATIONS: readonly RawOperation[] = [
  downloadInvoiceLines,
  downloadInvoice,
  downloadEInvoice,
];
