import { invoiceId as invoiceIdSchema } from "@turnpike/contract/invoices";
import { tenantId as tenantIdSchema } from "@turnpike/contract/shapes";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import { invalidRequest, type RawCall, type RawRoute, readQuery } from "#http/raw-route.ts";
import { toAttachmentHeaders } from "#modules/files/index.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { createDocumentPrinter, type DocumentPrinter } from "./document-printer.ts";
import { getDocument } from "./get-document.ts";
import { numberOf, type StoredDocument } from "./stored-document.ts";
import { E_INVOICE_FORMATS, type EInvoiceFormat, writeEInvoice } from "./write-e-invoice.ts";

/** The document that the address names: the invoice, or with `creditNote` a credit note of it. */
async function readDocument(
  deps: BillingDeps,
  { req, params, context }: RawCall,
): Promise<StoredDocument> {
  const tenantId = tenantIdSchema.safeParse(params["tenantId"]);
  const invoiceId = invoiceIdSchema.safeParse(params["invoiceId"]);
  if (!tenantId.success || !invoiceId.success) {
    throw resourceNotFound("invoice");
  }
  return await getDocument(deps, context.call(), {
    tenantId: tenantId.data,
    invoiceId: invoiceId.data,
    creditNoteId: readQuery(req).get("creditNote") ?? undefined,
  });
}

async function sendPdf(deps: BillingDeps, printer: DocumentPrinter, call: RawCall): Promise<void> {
  const stored = await readDocument(deps, call);
  const pdf = await printer.print(stored);
  const name = `${numberOf(stored)}.pdf`;
  call.res.writeHead(
    200,
    toAttachmentHeaders({ name, mediaType: "application/pdf", bytes: pdf.byteLength }),
  );
  call.res.end(pdf);
}

/** @throws {AppError} `INVALID_REQUEST` for a format that there is not. */
function readFormat(query: URLSearchParams): EInvoiceFormat {
  const asked = query.get("format") ?? "ubl";
  const format = E_INVOICE_FORMATS.find((each) => each === asked);
  if (format === undefined) {
    const message = `One of ${E_INVOICE_FORMATS.join(", ")}.`;
    throw invalidRequest([{ pointer: "/format", message }]);
  }
  return format;
}

async function sendXml(deps: BillingDeps, call: RawCall): Promise<void> {
  const format = readFormat(readQuery(call.req));
  const stored = await readDocument(deps, call);
  const xml = writeEInvoice(stored, format);
  const name = `${numberOf(stored)}.xml`;
  const bytes = Buffer.byteLength(xml);
  call.res.writeHead(200, toAttachmentHeaders({ name, mediaType: "application/xml", bytes }));
  call.res.end(xml);
}

/** Invoices and credit notes as files for people and for programs that read e-invoices. */
export function createDocumentFilesRawRoutes(deps: BillingDeps): RawRoute[] {
  const printer = createDocumentPrinter(deps.billing);
  return [
    {
      method: "GET",
      path: "/v1/tenants/{tenantId}/invoices/{invoiceId}/pdf",
      handle: (call) => sendPdf(deps, printer, call),
    },
    {
      method: "GET",
      path: "/v1/tenants/{tenantId}/invoices/{invoiceId}/xml",
      handle: (call) => sendXml(deps, call),
    },
  ];
}
