import { GRANT_KINDS } from "@turnpike/domain/billing/invoices/grant";
import { isId } from "@turnpike/domain/ids/ids";
import { ENVIRONMENTS } from "@turnpike/domain/keys/key-format";
import { z } from "zod";
import { environment } from "./environment.ts";
import { invoice, upcomingInvoice } from "./invoices.ts";
import { inputMoney, money } from "./money.ts";
import { operation } from "./operation.ts";
import { displayText, instant, pageOf, pageQuery, plainText, tenantId } from "./shapes.ts";

export const CREDIT_STATES = ["usable", "upcoming", "used", "expired"] as const;
const ENTRY_KINDS = ["granted", "burned", "returned", "expired", "revoked"] as const;

const grantId = z
  .string()
  .refine((value) => isId("creditGrant", value), {
    error: "Not the id of a grant; it looks like cgr_0199f3b0c1d27a4e8f60112233445566.",
  })
  .meta({ examples: ["cgr_0199f3b0c1d27a4e8f60112233445566"] });

export const creditGrant = z.strictObject({
  grantId: z.string(),
  kind: z
    .enum(GRANT_KINDS)
    .describe("`promotional` lowers an invoice before its tax, `prepaid` pays it after."),
  state: z.enum(CREDIT_STATES),
  isBought: z.boolean().describe("True for what the customer paid for."),
  granted: money,
  left: money,
  priority: z.number().int().describe("Lower goes first."),
  grantedAt: instant,
  effectiveAt: instant,
  expiresAt: instant.nullable(),
  reason: z.string(),
  invoiceId: z.string().nullable().describe("The invoice that was paid for it."),
  invoiceNumber: z.string().nullable(),
});

const topUpOffer = z.strictObject({
  isTaxed: z
    .boolean()
    .describe("True when credit is taxed as it is bought; what it pays later is not taxed again."),
  amounts: z.array(money).describe("What is suggested."),
  min: money,
  max: money,
});

const automaticTopUp = z.strictObject({
  threshold: money.describe("Credit is bought when less than this is left."),
  amount: money,
  monthLimit: money.describe("The most that is bought by itself in a calendar month, by UTC."),
  boughtThisMonth: money,
});

const alertShares = z
  .array(z.int().min(0).max(99))
  .max(5)
  .describe(
    "Per cent of what was left when credit was added last. 0: when calls of some meter are refused.",
  );

const creditDraw = z.strictObject({
  drawn: money.describe("What usage that is not invoiced yet has drawn, with its tax."),
  left: money.describe("What is left now."),
  isEmpty: z
    .boolean()
    .describe("True when calls of some meter with a price are refused: not one more fits."),
  meters: z
    .array(
      z.strictObject({
        meter: z.string(),
        unitsLeft: z.string().describe("Units that still fit, if no other meter is used."),
      }),
    )
    .describe("Meters with a price."),
});

export const credits = z.strictObject({
  tenantId,
  environment: z.enum(ENVIRONMENTS),
  currency: z.string(),
  promotional: money.describe("What may be used now."),
  prepaid: money.describe("What may be used now."),
  nextExpiry: z
    .strictObject({ at: instant, amount: money })
    .nullable()
    .describe("What expires next."),
  draw: creditDraw
    .nullable()
    .describe("What calls of a prepaid plan have drawn on it; null on any other plan."),
  alerts: z
    .strictObject({
      shares: alertShares,
      below: money.nullable().describe("A sum; a notice goes out when less is left."),
    })
    .describe("When notices go out on a prepaid plan, each once after credit was added."),
  grants: z
    .array(creditGrant)
    .describe("In the order in which they are used, then those that are used up, newest first."),
  topUps: topUpOffer.nullable().describe("Null where the operator sells no credit."),
  automatic: automaticTopUp.nullable(),
});
export type Credits = z.infer<typeof credits>;

export const creditEntry = z.strictObject({
  entryId: z.string(),
  grantId: z.string(),
  grantKind: z.enum(GRANT_KINDS),
  kind: z.enum(ENTRY_KINDS),
  amount: money.describe("Below 0 for what was taken from the grant."),
  at: instant,
  invoiceId: z.string().nullable(),
  invoiceNumber: z.string().nullable(),
  reason: z.string(),
  actor: z.string(),
});
export type CreditEntry = z.infer<typeof creditEntry>;

const ofTenant = { tenantId, environment };
const reason = displayText(500).describe("Why, for the audit log and the customer.");
const tags = ["Billing"];
const path = "/tenants/{tenantId}/billing/credits" as const;
const automaticPath = "/tenants/{tenantId}/billing/automatic-top-up" as const;

/** Credit of one tenant: for its people and keys. */
export const creditsContract = {
  getCredits: operation({ scope: "billing:read" })
    .route({ method: "GET", path, summary: "Get the credit of a tenant", tags })
    .input(z.strictObject(ofTenant))
    .output(credits),
  listCreditEntries: operation({ scope: "billing:read" })
    .route({
      method: "GET",
      path: `${path}/entries`,
      summary: "List what happened to the credit of a tenant, newest first",
      tags,
    })
    .input(z.strictObject({ ...ofTenant, ...pageQuery }))
    .output(pageOf(creditEntry)),
  buyCredit: operation({ scope: "billing:write" })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/billing/top-ups",
      summary: "Buy credit: issues its invoice",
      description:
        "The credit is there as soon as the invoice is paid. While an invoice for credit is open, no other is issued: the answer is the open one.",
      tags,
    })
    .input(z.strictObject({ ...ofTenant, amount: inputMoney }))
    .output(invoice),
  putAutomaticTopUp: operation({ scope: "billing:write" })
    .route({
      method: "PUT",
      path: automaticPath,
      summary: "Let credit be bought by itself when little is left",
      tags,
    })
    .input(
      z.strictObject({
        ...ofTenant,
        threshold: inputMoney,
        amount: inputMoney,
        monthLimit: inputMoney,
      }),
    )
    .output(credits),
  putCreditAlerts: operation({ scope: "billing:write" })
    .route({
      method: "PUT",
      path: `${path}/alerts`,
      summary: "Say at which shares of credit notices go out on a prepaid plan",
      tags,
    })
    .input(
      z.strictObject({ tenantId, shares: alertShares, below: inputMoney.nullable().default(null) }),
    )
    .output(credits),
  deleteAutomaticTopUp: operation({ scope: "billing:write" })
    .route({
      method: "DELETE",
      path: automaticPath,
      summary: "Let no more credit be bought by itself",
      tags,
    })
    .input(z.strictObject(ofTenant))
    .output(credits),
};

const grant = {
  ...ofTenant,
  kind: z.enum(GRANT_KINDS),
  amount: inputMoney,
  priority: z.number().int().min(0).max(1_000).default(50).describe("Lower goes first."),
  effectiveAt: instant.optional().describe("Left out: at once."),
  expiresAt: instant.optional().describe("Exclusive. Left out: never."),
};

/** What the operator does to credit. */
export const grantingContract = {
  previewCredit: operation({ scope: "invoices:write" })
    .route({
      method: "POST",
      path: `${path}/preview`,
      summary: "Show what the next invoice would be with a grant, and without",
      description: "Nothing is changed or stored.",
      tags,
    })
    .input(z.strictObject(grant))
    .output(z.strictObject({ without: upcomingInvoice, with: upcomingInvoice })),
  grantCredit: operation({ scope: "invoices:write" })
    .route({
      method: "POST",
      path,
      summary: "Grant credit to a tenant",
      description: "The same `reference` counts once: a repeated request changes nothing.",
      tags,
    })
    .input(
      z.strictObject({
        ...grant,
        reason,
        reference: plainText(200).min(1).optional().describe("Yours, such as of a ticket."),
      }),
    )
    .output(credits),
  revokeCredit: operation({ scope: "invoices:write" })
    .route({
      method: "POST",
      path: `${path}/{grantId}/revoke`,
      summary: "Take back what is left of a grant",
      description: "What was bought is taken back by a credit note of its invoice instead.",
      tags,
    })
    .input(z.strictObject({ ...ofTenant, grantId, reason }))
    .output(credits),
};
