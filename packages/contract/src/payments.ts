import { isId } from "@turnpike/domain/ids/ids";
import { ENVIRONMENTS } from "@turnpike/domain/keys/key-format";
import { z } from "zod";
import { environment, inputMoney, invoiceId, money } from "./billing.ts";
import { operation } from "./operation.ts";
import { displayText, instant, pageOf, pageQuery, plainText, tenantId } from "./shapes.ts";

export const ATTEMPT_STATES = [
  "pending",
  "succeeded",
  "failed",
  "action_required",
  "processing",
  "unknown",
] as const;
export const ATTEMPT_CAUSES = ["issued", "calendar", "method", "person"] as const;
export const REFUND_STATES = ["pending", "processing", "succeeded", "failed", "unknown"] as const;
export const REFUND_KINDS = ["operator", "provider", "dispute"] as const;
export const LINE_STATES = ["open", "matched", "ignored"] as const;
export const STATEMENT_FORMATS = ["csv", "camt053"] as const;
/** A statement of a year of a busy account. */
export const STATEMENT_CHARACTERS_MAX = 4_000_000;

function idOf(kind: "payment" | "refund" | "statementLine", example: string) {
  return z
    .string()
    .refine((value) => isId(kind, value), {
      error: `Not an id of this kind; it looks like ${example}.`,
    })
    .meta({ examples: [example] });
}

export const paymentId = idOf("payment", "pay_0199f3b0c1d27a4e8f60112233445566");
export const refundId = idOf("refund", "rfd_0199f3b0c1d27a4e8f60112233445566");
export const statementLineId = idOf("statementLine", "bsl_0199f3b0c1d27a4e8f60112233445566");

/** A page of the console that the browser comes back to. */
const returnPath = z
  .string()
  .max(500)
  .regex(/^\/(?![/\\])[\w\-./?=&%]*$/, "A path of the console, such as /billings.")
  .default("/billings");

export const paymentMethod = z.strictObject({
  provider: z.string(),
  type: z.string().describe("Such as `card` or `sepa_debit`."),
  brand: z.string().nullable(),
  last4: z.string().nullable(),
  expiresMonth: z.number().int().nullable(),
  expiresYear: z.number().int().nullable(),
  since: instant,
});
export type PaymentMethodView = z.infer<typeof paymentMethod>;

/** Where transfers go. */
export const bankAccount = z.strictObject({
  holder: z.string(),
  iban: z.string().nullable(),
  bic: z.string().nullable(),
  bank: z.string().nullable(),
  lines: z.array(z.string()).describe("What banks elsewhere need, line by line."),
});
export type BankAccountView = z.infer<typeof bankAccount>;

export const paymentSetup = z.strictObject({
  method: paymentMethod.nullable(),
  canSetUp: z.boolean().describe("True when a method can be set up: a provider is configured."),
  bank: bankAccount.nullable().describe("Where transfers go; null when the operator takes none."),
});
export type PaymentSetup = z.infer<typeof paymentSetup>;

export const paymentAttempt = z.strictObject({
  attemptId: z.string(),
  provider: z.string(),
  cause: z.enum(ATTEMPT_CAUSES),
  state: z.enum(ATTEMPT_STATES),
  amount: money,
  currency: z.string(),
  reason: z.string().nullable().describe("The provider's code of a refusal."),
  message: z.string().nullable(),
  reference: z.string().nullable().describe("What the provider calls the payment."),
  createdAt: instant,
  updatedAt: instant,
});
export type PaymentAttempt = z.infer<typeof paymentAttempt>;

export const startedPayment = z.strictObject({
  attempt: paymentAttempt,
  url: z
    .url()
    .nullable()
    .describe("Where the browser goes to authenticate, when `state` is `action_required`."),
  transfer: z
    .strictObject({
      bank: bankAccount,
      reference: z.string().describe("What the transfer names: ISO 11649, with check digits."),
    })
    .nullable()
    .describe("Of a tenant without a method: where to transfer what is due."),
});
export type StartedPayment = z.infer<typeof startedPayment>;

/** What follows while an invoice is not paid. Null where nothing does: it is settled, or is not waited for. */
export const dunningCalendar = z.strictObject({
  begins: z
    .enum(["failed_payment", "due_date"])
    .describe("What it counts from: the first payment that failed, or the due date."),
  since: instant,
  nextAttempts: z.array(instant).describe("When a payment is tried again by itself."),
  nextReminders: z.array(instant).describe("When a reminder goes."),
  isStopped: z.boolean().describe("True after a refusal that trying again cannot change."),
  graceFrom: instant,
  blockedFrom: instant.describe("From when calls are refused with 402 `PAYMENT_REQUIRED`."),
  standing: z.enum(["current", "overdue", "grace", "blocked"]),
  texts: z.array(z.string()).describe("What happens next, and what ends it now."),
});
export type DunningCalendarView = z.infer<typeof dunningCalendar>;

/** How an invoice is paid: what was tried, and what comes. */
export const invoiceCollection = z.strictObject({
  invoiceId: z.string(),
  due: money,
  currency: z.string(),
  reference: z
    .string()
    .describe("What a transfer names, so that it is found: ISO 11649, with check digits."),
  bank: bankAccount.nullable(),
  isAutomatic: z.boolean().describe("True while a method collects it by itself."),
  attempts: z.array(paymentAttempt).describe("Oldest first."),
  calendar: dunningCalendar.nullable(),
});
export type InvoiceCollection = z.infer<typeof invoiceCollection>;

const ofTenant = { tenantId, environment };
const tags = ["Payments"];
const methodPath = "/tenants/{tenantId}/payment-method";

/** How one tenant pays: for its people and keys. */
export const paymentsContract = {
  getPaymentMethod: operation({ scope: "billing:read" })
    .route({ method: "GET", path: methodPath, summary: "Get how a tenant pays", tags })
    .input(z.strictObject(ofTenant))
    .output(paymentSetup),
  setUpPaymentMethod: operation({ scope: "billing:write" })
    .route({
      method: "POST",
      path: `${methodPath}/setups`,
      summary: "Get the address of a page on which a way to pay is set up",
      description: "Once it is set up, open invoices are collected and later ones as they come.",
      tags,
    })
    .input(z.strictObject({ ...ofTenant, returnPath }))
    .output(
      z.strictObject({
        url: z
          .url()
          .nullable()
          .describe("Where the browser goes; null where only transfers are taken."),
        bank: bankAccount.nullable().describe("Where transfers go, where only these are taken."),
      }),
    ),
  removePaymentMethod: operation({ scope: "billing:write" })
    .route({
      method: "POST",
      path: `${methodPath}/removal`,
      summary: "Forget how a tenant pays",
      description: "Nothing is collected by itself any more; invoices fall due by their dates.",
      tags,
    })
    .input(z.strictObject(ofTenant))
    .output(paymentSetup),
  payInvoice: operation({ scope: "billing:write" })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/invoices/{invoiceId}/pay",
      summary: "Pay what is due on an invoice now",
      description:
        "Charges the method of the tenant, or asks a tenant without one to transfer it. A payment that is under way is continued, so two requests at once are one charge. It does not count as an attempt of the dunning calendar.",
      tags,
    })
    .input(z.strictObject({ tenantId, invoiceId, returnPath }))
    .output(startedPayment),
  getInvoiceCollection: operation({ scope: "billing:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/invoices/{invoiceId}/collection",
      summary: "Get how an invoice is paid: attempts, what comes next, and the bank reference",
      tags,
    })
    .input(z.strictObject({ tenantId, invoiceId }))
    .output(invoiceCollection),
};

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

/** What a line of a statement may pay. */
export const paymentProposal = z.strictObject({
  invoiceId: z.string(),
  number: z.string(),
  tenantId,
  tenantName: z.string(),
  due: money,
  currency: z.string(),
  basis: z.enum(["reference", "number", "amount_and_name", "amount"]),
  isCertain: z
    .boolean()
    .describe("True when the reference is right and the amount is what is due, or less."),
});
export type PaymentProposal = z.infer<typeof paymentProposal>;

export const statementLine = z.strictObject({
  lineId: z.string(),
  statement: z.string().describe("Name of the file it came with."),
  bookedOn: z.string(),
  amount: money.describe("Negative for money that left."),
  currency: z.string(),
  payer: z.string(),
  payerAccount: z.string(),
  purpose: z.string(),
  bankReference: z.string(),
  state: z.enum(LINE_STATES),
  paymentId: z.string().nullable(),
  note: z.string().nullable(),
  proposals: z.array(paymentProposal).describe("The most likely first."),
});
export type StatementLine = z.infer<typeof statementLine>;

const column = plainText(100).nullable();
const statementFile = {
  name: displayText(200).describe("Name of the file, to find its lines by."),
  content: plainText(STATEMENT_CHARACTERS_MAX).describe(
    "The text of the file: CSV, or XML of camt.053.",
  ),
  columns: z
    .strictObject({
      date: column,
      amount: column,
      currency: column,
      payer: column,
      payerAccount: column,
      purpose: column,
      bankReference: column,
    })
    .partial()
    .optional()
    .describe("Headings of a CSV, where they are not recognised."),
  currency: z.string().length(3).optional().describe("Of a CSV that names none."),
};

const problem = z.strictObject({ line: z.number().int(), message: z.string() });

export const statementPreview = z.strictObject({
  format: z.enum(STATEMENT_FORMATS),
  headings: z.array(z.string()).describe("Of a CSV."),
  columns: z
    .record(z.string(), z.string().nullable())
    .describe("Which heading was taken for what."),
  count: z.number().int(),
  fresh: z.number().int().describe("How many lines were not imported before."),
  lines: z
    .array(
      statementLine.pick({
        bookedOn: true,
        amount: true,
        currency: true,
        payer: true,
        purpose: true,
      }),
    )
    .describe("The first 20."),
  problems: z.array(problem),
});
export type StatementPreview = z.infer<typeof statementPreview>;

const linePath = "/statement-lines/{lineId}";
const ofLine = { lineId: statementLineId };

/** Statements of the operator's bank account, and what their lines pay. */
export const statementsContract = {
  previewStatement: operation({ scope: "invoices:write", largeBody: true })
    .route({
      method: "POST",
      path: "/bank-statement-previews",
      summary: "Read a bank statement without keeping it",
      tags,
    })
    .input(z.strictObject(statementFile))
    .output(statementPreview),
  importStatement: operation({ scope: "invoices:write", largeBody: true })
    .route({
      method: "POST",
      path: "/bank-statements",
      summary: "Import a bank statement",
      description:
        "A line that was imported before is not imported again. Nothing is paid by it: lines wait until they are matched.",
      tags,
    })
    .input(z.strictObject(statementFile))
    .output(
      z.strictObject({
        statementId: z.string().nullable(),
        count: z.number().int(),
        fresh: z.number().int(),
        certain: z.number().int().describe("How many of the new ones have a certain proposal."),
        problems: z.array(problem).describe("Lines that could not be read, and were left out."),
      }),
    ),
  listStatementLines: operation({ scope: "invoices:read" })
    .route({
      method: "GET",
      path: "/statement-lines",
      summary: "List lines of bank statements, newest first",
      tags,
    })
    .input(z.strictObject({ state: z.enum(LINE_STATES).default("open"), ...pageQuery }))
    .output(pageOf(statementLine)),
  matchStatementLine: operation({ scope: "invoices:write" })
    .route({
      method: "POST",
      path: `${linePath}/match`,
      summary: "Take a line of a statement as the payment of invoices or of a tenant",
      description:
        "Invoices are paid in the order given; what is beyond becomes balance. With a tenant alone, its open invoices are paid, the oldest first.",
      tags,
    })
    .input(
      z.strictObject({
        ...ofLine,
        invoiceIds: z.array(invoiceId).min(1).max(50).optional(),
        tenantId: tenantId.optional(),
      }),
    )
    .output(statementLine),
  matchCertainLines: operation({ scope: "invoices:write" })
    .route({
      method: "POST",
      path: "/statement-lines/certain-matches",
      summary: "Match every open line whose proposal is certain",
      tags,
    })
    .input(z.strictObject({}))
    .output(z.strictObject({ matched: z.number().int(), open: z.number().int() })),
  ignoreStatementLine: operation({ scope: "invoices:write" })
    .route({
      method: "POST",
      path: `${linePath}/ignore`,
      summary: "Say that a line of a statement is no payment of a customer",
      tags,
    })
    .input(z.strictObject({ ...ofLine, reason }))
    .output(statementLine),
  reopenStatementLine: operation({ scope: "invoices:write" })
    .route({
      method: "POST",
      path: `${linePath}/reopen`,
      summary: "Look at an ignored line again",
      tags,
    })
    .input(z.strictObject(ofLine))
    .output(statementLine),
};
