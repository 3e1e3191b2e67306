import { invoiceId as invoiceIdSchema } from "@turnpike/contract/billing";
import { tenantId as tenantIdSchema } from "@turnpike/contract/shapes";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { RawCall, RawRoute } from "#http/raw-route.ts";
import { toAttachmentHeaders } from "#modules/files/index.ts";
import { createTaskThread, type TaskThread } from "#platform/task-thread.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { getInvoice } from "../invoices/get-invoice.ts";
import type { PrintedInvoice } from "./draw-invoice.ts";

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

/** Invoices as files for people. */
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
  ];
}
