import { z } from "zod";
import { environment } from "./environment.ts";
import { creditNote, INVOICE_STATES, invoice, invoiceId, invoiceSummary } from "./invoices.ts";
import { inputMoney, money } from "./money.ts";
import { operation } from "./operation.ts";
import { displayText, instant, pageOf, pageQuery, plainText, tenantId } from "./shapes.ts";
import { subscription } from "./subscriptions.ts";

const reason = displayText(500).describe("Why, for the audit log and the customer.");
const tags = ["Billing"];

/** Invoices of all tenants: for the operator. */
export const invoicingContract = {
  listAllInvoices: operation({ scope: "invoices:read" })
    .route({
      method: "GET",
      path: "/invoices",
      summary: "List the invoices of all tenants, newest first",
      tags,
    })
    .input(
      z.strictObject({
        environment,
        state: z.enum(INVOICE_STATES).optional(),
        tenantId: tenantId.optional(),
        isOverdue: z.stringbool().optional(),
        currency: z.string().length(3).optional(),
        search: plainText(100).optional().describe("Part of a number or of a tenant's name."),
        from: instant.optional().describe("Issued at or after."),
        to: instant.optional().describe("Issued before."),
        ...pageQuery,
      }),
    )
    .output(
      pageOf(invoiceSummary).extend({
        sums: z
          .array(
            z.strictObject({
              currency: z.string(),
              count: z.number().int(),
              total: money,
              due: money,
            }),
          )
          .describe("Of all that match, for each currency."),
      }),
    ),
  voidInvoice: operation({ scope: "invoices:write" })
    .route({
      method: "POST",
      path: "/invoices/{invoiceId}/void",
      summary: "Void an invoice on which nothing was paid; its number stays",
      tags,
    })
    .input(z.strictObject({ invoiceId, reason }))
    .output(invoice),
  markUncollectible: operation({ scope: "invoices:write" })
    .route({
      method: "POST",
      path: "/invoices/{invoiceId}/uncollectible",
      summary: "Write an invoice off; it can still be paid",
      tags,
    })
    .input(z.strictObject({ invoiceId, reason }))
    .output(invoice),
  recordPayment: operation({ scope: "invoices:write" })
    .route({
      method: "POST",
      path: "/invoices/{invoiceId}/payments",
      summary: "Record a payment that was received",
      description:
        "What is beyond the amount due becomes balance. The same `reference` counts once.",
      tags,
    })
    .input(
      z.strictObject({
        invoiceId,
        amount: inputMoney,
        paidAt: instant.optional(),
        reference: displayText(200),
      }),
    )
    .output(invoice),
  createCreditNote: operation({ scope: "invoices:write" })
    .route({
      method: "POST",
      path: "/invoices/{invoiceId}/credit-notes",
      summary: "Credit an invoice, as a whole, by an amount or by its lines",
      description: "All notes of an invoice together are at most the invoice.",
      tags,
    })
    .input(
      z.strictObject({
        invoiceId,
        reason,
        amount: inputMoney.optional().describe("Spread over the lines. Left out with `lines`."),
        lines: z
          .array(z.strictObject({ line: z.number().int().min(1), amount: inputMoney }))
          .min(1)
          .max(1_000)
          .optional(),
      }),
    )
    .output(creditNote),
  addAdjustment: operation({ scope: "invoices:write" })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/adjustments",
      summary: "Charge a one-off line, now or on the next invoice",
      tags,
    })
    .input(
      z.strictObject({
        tenantId,
        environment,
        description: displayText(200).describe("As the customer reads it on the invoice."),
        amount: inputMoney,
        taxClass: plainText(60).default("standard"),
        when: z.enum(["now", "next_invoice"]).default("next_invoice"),
        reason,
      }),
    )
    .output(subscription),
};
