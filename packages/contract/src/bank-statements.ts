import { z } from "zod";
import { invoiceId } from "./invoices.ts";
import { money } from "./money.ts";
import { operation } from "./operation.ts";
import { statementLineId } from "./payment-ids.ts";
import { displayText, pageOf, pageQuery, plainText, tenantId } from "./shapes.ts";

export const LINE_STATES = ["open", "matched", "ignored"] as const;
export const STATEMENT_FORMATS = ["csv", "camt053"] as const;
/** A statement of a year of a busy account. */
export const STATEMENT_CHARACTERS_MAX = 4_000_000;

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

const reason = displayText(500).describe("Why, for the audit log and the customer.");
const tags = ["Payments"];
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
