import { PRORATION_MODES } from "@turnpike/domain/billing/subscription/subscription";
import { z } from "zod";
import { party } from "./invoices.ts";
import { operation } from "./operation.ts";

/** What has to be there for a right invoice, in the order in which it is set up. */
export const SETUP_CHECKS = [
  "sellerName",
  "sellerAddress",
  "sellerCountry",
  "sellerTaxId",
  "sellerEmail",
  "tax",
  "taxRates",
  "exchangeRates",
  "topUps",
  "heldAccounts",
  "mail",
] as const;

export const setupCheck = z.strictObject({
  check: z.enum(SETUP_CHECKS),
  state: z
    .enum(["ok", "advice", "missing"])
    .describe(
      "`missing`: invoices are wrong or wait without it; `advice`: it depends on where you sell.",
    ),
  text: z.string(),
  setting: z.string().describe("Where it is set in turnpike.yaml."),
});
export type SetupCheck = z.infer<typeof setupCheck>;

export const billingSetup = z.strictObject({
  seller: party,
  tax: z
    .strictObject({
      country: z.string(),
      isRegistered: z.boolean(),
      pricesInclude: z.enum(["net", "gross"]),
      rates: z.number().int().describe("Rows of the table of rates."),
      countries: z.array(z.string()).describe("Countries with a rate."),
    })
    .nullable()
    .describe("Null: nothing is taxed."),
  paymentDays: z.number().int(),
  dunning: z.strictObject({
    reminderDays: z.array(z.number().int()),
    graceDays: z.number().int(),
  }),
  proration: z.enum(PRORATION_MODES),
  invoicePrefix: z.string(),
  creditNotePrefix: z.string(),
  sendsMail: z.boolean(),
  checks: z.array(setupCheck),
});
export type BillingSetup = z.infer<typeof billingSetup>;

export const billingSetupContract = {
  getBillingSetup: operation({ scope: "invoices:read" })
    .route({
      method: "GET",
      path: "/billing/setup",
      summary: "Get the settings that invoices are made with, and what is missing for a right one",
      description: "Settings are in the configuration; this reads them as they are in force.",
      tags: ["Revenue"],
    })
    .input(z.strictObject({}))
    .output(billingSetup),
};
