import { TAX_ID_STATUSES } from "@turnpike/domain/billing/tax/tax-decision";
import { LANGUAGES } from "@turnpike/domain/text/languages";
import { z } from "zod";
import { operation } from "./operation.ts";
import { displayText, instant, plainText, tenantId } from "./shapes.ts";

const line = (lengthMax: number) => displayText(lengthMax).nullable();

const country = z
  .string()
  .regex(/^[A-Z]{2}$/, "Two capital letters, ISO 3166-1, such as DE.")
  .meta({ examples: ["DE"] });

/** What a customer says of itself. */
const given = {
  companyName: line(200).describe("As invoices show it; null for the name of the tenant."),
  addressLines: z.array(displayText(120)).max(3).describe("Street and house, at most three lines."),
  postalCode: line(20),
  city: line(100),
  region: line(60).describe(
    "State or province, as the rates of tax name it, where tax depends on it.",
  ),
  country: country.nullable().describe("Decides the tax. Null is taxed as the seller's country."),
  email: z.email().max(254).nullable().describe("Where invoices go."),
  taxId: line(40).describe("In the European Union the VAT id; its form is checked."),
  language: z
    .enum(LANGUAGES)
    .nullable()
    .describe("Of invoices, credit notes and their mails. Null is the installation's."),
};

export const billingDetails = z.strictObject({
  tenantId,
  ...given,
  addressLines: z.array(z.string()),
  email: z.string().nullable(),
  taxIdStatus: z
    .enum(TAX_ID_STATUSES)
    .nullable()
    .describe("`pending` is taxed until it is confirmed. Null without an id."),
  taxIdReason: z.string().nullable().describe("Why it was confirmed or refused."),
  isExempt: z.boolean().describe("True when no tax is charged, by a certificate."),
  exemption: z.string().nullable().describe("The certificate, as invoices name it."),
  updatedAt: instant.nullable(),
});
export type BillingDetails = z.infer<typeof billingDetails>;

const reason = displayText(500).describe("Why, for the audit log and the customer.");
const tags = ["Billing"];
const path = "/tenants/{tenantId}/billing/details";

/** Billing details of one tenant: for its people and keys. */
export const billingDetailsContract = {
  getBillingDetails: operation({ scope: "billing:read" })
    .route({
      method: "GET",
      path,
      summary: "Get who the invoices of a tenant are made out to",
      tags,
    })
    .input(z.strictObject({ tenantId }))
    .output(billingDetails),
  putBillingDetails: operation({ scope: "billing:write" })
    .route({
      method: "PUT",
      path,
      summary: "Set who the invoices of a tenant are made out to",
      description:
        "Counts from the next invoice on; issued ones stay as they are. A new tax id is `pending` until it is confirmed, and taxed meanwhile.",
      tags,
    })
    .input(
      z.strictObject({
        tenantId,
        ...given,
        language: given.language.optional().describe("As in the answer. Left out: as it was."),
      }),
    )
    .output(billingDetails),
};

/** What the operator decides of a customer's tax. */
export const customerTaxContract = {
  setTaxIdStatus: operation({ scope: "invoices:write" })
    .route({
      method: "POST",
      path: `${path}/tax-id`,
      summary: "Confirm or refuse the tax id of a tenant",
      description:
        "Names the id that was looked at: when the tenant has another one by now, the answer is 409 and nothing is changed.",
      tags,
    })
    .input(
      z.strictObject({ tenantId, taxId: plainText(40), status: z.enum(TAX_ID_STATUSES), reason }),
    )
    .output(billingDetails),
  setExemption: operation({ scope: "invoices:write" })
    .route({
      method: "POST",
      path: `${path}/exemption`,
      summary: "Exempt a tenant from tax, or end the exemption",
      tags,
    })
    .input(
      z.strictObject({
        tenantId,
        exemption: displayText(200)
          .nullable()
          .describe("The certificate, as invoices name it. Null ends the exemption."),
        reason,
      }),
    )
    .output(billingDetails),
};
