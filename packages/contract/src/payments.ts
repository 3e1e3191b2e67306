import { z } from "zod";
import { environment } from "./environment.ts";
import { invoiceId } from "./invoices.ts";
import { money } from "./money.ts";
import { operation } from "./operation.ts";
import { instant, tenantId } from "./shapes.ts";

export const ATTEMPT_STATES = [
  "pending",
  "succeeded",
  "failed",
  "action_required",
  "processing",
  "unknown",
] as const;
export const ATTEMPT_CAUSES = ["issued", "calendar", "method", "person"] as const;

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
