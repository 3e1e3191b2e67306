import { invoiceId as invoiceIdSchema } from "@turnpike/contract/billing";
import { tenantId as tenantIdSchema } from "@turnpike/contract/shapes";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import { invalidRequest, type RawCall, type RawRoute, readQuery } from "#http/raw-route.ts";
import { toAttachmentHeaders } from "#modules/files/index.ts";
import { createTaskThread, type TaskThread } from "#platform/task-thread.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { getInvoice } from "../invoices/get-invoice.ts";
import type { PrintedInvoice } from "./draw-invoice.ts";
import { E_INVOICE_FORMATS, type EInvoiceFormat, getEInvoice } from "./get-e-invoice.ts";

type PdfThread = TaskThread<PrintedInvoice, Uint8Array>;

const WAITING_MAX = 100;
const TIMEOUT_MS = 60_000;
const IDLE_MS = 30_000;

async function sendPdf(
  deps: BillingDeps,
  thread: PdfThread,
  { res, params, context }: RawCall,
): Promise<void> {
  const tenantId = tenantIdSchema.safeParse(params["tenantId"]);
  const invoiceId = invoiceIdSchema.safeParse(params["invoiceId"]);
  if (!tenantId.success || !invoiceId.success) {
    throw resourceNotFound("invoice");
  }
  const asked = { tenantId: tenantId.data, invoiceId: invoiceId.data };
  const invoice = await getInvoice(deps, context.call(), asked);
  const pdf = await thread.run(invoice);
  res.writeHead(
    200,
    toAttachmentHeaders({
      name: `${invoice.number}.pdf`,
      mediaType: "application/pdf",
      bytes: pdf.byteLength,
    }),
  );
  res.end(pdf);
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

async function sendXml(deps: BillingDeps, { req, res, params, context }: RawCall): Promise<void> {
  const tenantId = tenantIdSchema.safeParse(params["tenantId"]);
  const invoiceId = invoiceIdSchema.safeParse(params["invoiceId"]);
  if (!tenantId.success || !invoiceId.success) {
    throw resourceNotFound("invoice");
  }
  const query = readQuery(req);
  const { number, xml } = await getEInvoice(deps, context.call(), {
    tenantId: tenantId.data,
    invoiceId: invoiceId.data,
    creditNoteId: query.get("creditNote") ?? undefined,
    format: readFormat(query),
  });
  res.writeHead(
    200,
    toAttachmentHeaders({
      name: `${number}.xml`,
      mediaType: "application/xml",
      bytes: Buffer.byteLength(xml),
    }),
  );
  res.end(xml);
}

/** Invoices as files for people and for programs that read e-invoices. */
export function createDocumentFilesRawRoutes(deps: BillingDeps): RawRoute[] {
  const thread: PdfThread = createTaskThread({
    entry: new URL("./draw-invoice-thread.ts", import.meta.url),
    waitingMax: WAITING_MAX,
    timeoutMs: TIMEOUT_MS,
    idleMs: IDLE_MS,
  });
  return [
    {
      method: "GET",
      path: "/v1/tenants/{tenantId}/invoices/{invoiceId}/pdf",
      handle: (call) => sendPdf(deps, thread, call),
    },
    {
      method: "GET",
      path: "/v1/tenants/{tenantId}/invoices/{invoiceId}/xml",
      handle: (call) => sendXml(deps, call),
    },
  ];
}
