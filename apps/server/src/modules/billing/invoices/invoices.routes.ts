import { implement } from "@orpc/server";
import { invoiceId as invoiceIdSchema, invoicesContract } from "@turnpike/contract/invoices";
import { invoicingContract } from "@turnpike/contract/invoicing";
import { tenantId as tenantIdSchema } from "@turnpike/contract/shapes";
import { nameSenderIn } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { HttpContext } from "#http/http-context.ts";
import type { RawCall, RawRoute } from "#http/raw-route.ts";
import type { Queue } from "#modules/analytics/index.ts";
import { toAttachmentHeaders } from "#modules/files/index.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { addAdjustment } from "./add-adjustment.ts";
import { createCreditNote } from "./create-credit-note.ts";
import { getInvoice } from "./get-invoice.ts";
import { listAllInvoices } from "./list-all-invoices.ts";
import { listInvoices } from "./list-invoices.ts";
import { listLineUsage } from "./list-line-usage.ts";
import { markUncollectible } from "./mark-uncollectible.ts";
import { recordPayment } from "./record-payment.ts";
import { toInvoiceCsv } from "./to-invoice-csv.ts";
import { voidInvoice } from "./void-invoice.ts";

/** Operations that read usage queue together with the other usage queries of this process. */
export function createInvoicesRoutes(deps: BillingDeps & { inTurn: Queue }) {
  const os = implement(invoicesContract).$context<HttpContext>();
  return os.router({
    listInvoices: os.listInvoices.handler(({ input, context }) =>
      listInvoices(deps, context.call(), input),
    ),
    getInvoice: os.getInvoice.handler(({ input, context }) =>
      getInvoice(deps, context.call(), input),
    ),
    listLineUsage: os.listLineUsage.handler(({ input, context }) => {
      const call = context.call();
      return deps.inTurn(nameSenderIn(call.actor, input.tenantId), () =>
        listLineUsage(deps, call, input),
      );
    }),
  });
}

export function createInvoicingRoutes(deps: BillingDeps) {
  const os = implement(invoicingContract).$context<HttpContext>();
  return os.router({
    listAllInvoices: os.listAllInvoices.handler(({ input, context }) =>
      listAllInvoices(deps, context.call(), input),
    ),
    voidInvoice: os.voidInvoice.handler(({ input, context }) =>
      voidInvoice(deps, context.call(), input),
    ),
    markUncollectible: os.markUncollectible.handler(({ input, context }) =>
      markUncollectible(deps, context.call(), input),
    ),
    recordPayment: os.recordPayment.handler(({ input, context }) =>
      recordPayment(deps, context.call(), input),
    ),
    createCreditNote: os.createCreditNote.handler(({ input, context }) =>
      createCreditNote(deps, context.call(), input),
    ),
    addAdjustment: os.addAdjustment.handler(({ input, context }) =>
      addAdjustment(deps, context.call(), input),
    ),
  });
}

async function sendCsv(deps: BillingDeps, { res, params, context }: RawCall): Promise<void> {
  const tenantId = tenantIdSchema.safeParse(params["tenantId"]);
  const invoiceId = invoiceIdSchema.safeParse(params["invoiceId"]);
  if (!tenantId.success || !invoiceId.success) {
    throw resourceNotFound("invoice");
  }
  const asked = { tenantId: tenantId.data, invoiceId: invoiceId.data };
  const invoice = await getInvoice(deps, context.call(), asked);
  const csv = toInvoiceCsv(invoice);
  res.writeHead(
    200,
    toAttachmentHeaders({
      name: `${invoice.number}.csv`,
      mediaType: "text/csv; charset=utf-8; header=present",
      bytes: Buffer.byteLength(csv),
    }),
  );
  res.end(csv);
}

/** A file is no document of the contract. */
export function createInvoicesRawRoutes(deps: BillingDeps): RawRoute[] {
  return [
    {
      method: "GET",
      path: "/v1/tenants/{tenantId}/invoices/{invoiceId}/csv",
      handle: (call) => sendCsv(deps, call),
    },
  ];
}
