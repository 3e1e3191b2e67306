import { ENVIRONMENTS } from "@turnpike/domain/keys/key-format";
import { z } from "zod";
import { environment } from "./environment.ts";
import { invoiceId } from "./invoices.ts";
import { inputMoney, money } from "./money.ts";
import { operation } from "./operation.ts";
import { paymentId, refundId } from "./payment-ids.ts";
import { displayText, instant, pageOf, pageQuery, tenantId } from "./shapes.ts";

export const REFUND_STATES = ["pending", "processing", "succeeded", "failed", "unknown"] as const;
export const REFUND_KINDS = ["operator", "provider", "dispute"] as const;

export const refund = z.strictObject({
  refundId: z.string(),
  kind: z.enum(REFUND_KINDS),
  state: z.enum(REFUND_STATES),
  amount: money,
  reason: z.string(),
  message: z.string().nullable(),
  reference: z.string().nullable(),
  requestedBy: z.string(),
  createdAt: instant,
});
export type Refund = z.infer<typeof refund>;

export const receivedPayment = z.strictObject({
  paymentId: z.string(),
  tenantId,
  tenantName: z.string(),
  environment: z.enum(ENVIRONMENTS),
  provider: z.string(),
  reference: z.string(),
  amount: money,
  currency: z.string(),
  receivedAt: instant,
  recordedBy: z.string(),
  invoices: z.array(
    z.strictObject({
      invoiceId: z.string(),
      number: z.string(),
      amount: money.describe("What the invoice took of it."),
    }),
  ),
  toBalance: money.describe("What went to the customer's balance."),
  refunded: money,
  left: money.describe("What can be refunded of it at most."),
  refunds: z.array(refund),
});
export type ReceivedPayment = z.infer<typeof receivedPayment>;

const refundInput = {
  paymentId,
  amount: inputMoney.optional().describe("Left out: all that is left."),
  withCreditNote: z
    .boolean()
    .default(true)
    .describe(
      "Credits the same amount of the payment's invoices first. Without it, what the balance does not cover makes an invoice due again.",
    ),
};

export const refundPreview = z.strictObject({
  amount: money,
  currency: z.string(),
  left: money.describe("What is left of the payment before."),
  fromBalance: money.describe("What the customer's balance gives."),
  balanceAfter: money,
  invoices: z
    .array(z.strictObject({ invoiceId: z.string(), number: z.string(), dueAfter: money }))
    .describe("Invoices that become due again."),
  creditNotes: z
    .array(z.strictObject({ invoiceId: z.string(), number: z.string(), total: money }))
    .describe("Invoices that are credited, and by how much."),
  texts: z.array(z.string()),
});
export type RefundPreview = z.infer<typeof refundPreview>;

const reason = displayText(500).describe("Why, for the audit log and the customer.");
const tags = ["Payments"];

/** Money that was received: for the operator. */
export const receivedPaymentsContract = {
  listPayments: operation({ scope: "invoices:read" })
    .route({ method: "GET", path: "/payments", summary: "List payments, newest first", tags })
    .input(
      z.strictObject({
        environment,
        tenantId: tenantId.optional(),
        invoiceId: invoiceId.optional(),
        ...pageQuery,
      }),
    )
    .output(pageOf(receivedPayment)),
  getPayment: operation({ scope: "invoices:read" })
    .route({ method: "GET", path: "/payments/{paymentId}", summary: "Get a payment", tags })
    .input(z.strictObject({ paymentId }))
    .output(receivedPayment),
  previewRefund: operation({ scope: "invoices:read" })
    .route({
      method: "POST",
      path: "/payments/{paymentId}/refund-previews",
      summary: "Preview a refund: what it does to invoices and balance",
      description: "Nothing is changed or stored.",
      tags,
    })
    .input(z.strictObject(refundInput))
    .output(refundPreview),
  createRefund: operation({ scope: "invoices:write" })
    .route({
      method: "POST",
      path: "/payments/{paymentId}/refunds",
      summary: "Refund a payment, as a whole or in part",
      description:
        "All refunds of a payment together are at most the payment. One of money that came by transfer is `processing` until you say that you have transferred it.",
      tags,
    })
    .input(z.strictObject({ ...refundInput, reason }))
    .output(receivedPayment),
  settleRefund: operation({ scope: "invoices:write" })
    .route({
      method: "POST",
      path: "/refunds/{refundId}/settlement",
      summary: "Say how the refund of a transfer ended",
      description:
        "`succeeded` once you have transferred it. `failed` puts it back, as if it had not been asked for; also later, when the money comes back to you.",
      tags,
    })
    .input(
      z.strictObject({
        refundId,
        state: z.enum(["succeeded", "failed"]),
        note: displayText(200).optional().describe("Why it failed, for the history."),
      }),
    )
    .output(receivedPayment),
};
