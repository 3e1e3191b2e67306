import { z } from "zod";
import { operation } from "./operation.ts";
import { displayText, instant, tenantId } from "./shapes.ts";

const money = z.string().meta({
  description: "An amount in major units, with the decimals of the currency.",
  examples: ["49.90"],
});
export const capAmount = z
  .string()
  .regex(/^\d{1,12}(\.\d{1,4})?$/, 'A decimal amount in quotes, such as "49.90".')
  .describe("In major units of the currency of the tenant's plan, before credits and tax.");
const shares = z
  .array(z.int().min(1).max(100))
  .max(5)
  .describe("Shares of the cap in per cent at which notices go out, each once in a period.");

export const SPEND_SHARES_DEFAULT = [50, 80, 100] as const;

export const spendCap = z.strictObject({
  tenantId,
  currency: z.string().describe("ISO 4217."),
  cap: money.nullable().describe("The smaller one of both: what counts. Null without a cap."),
  tenantCap: money.nullable().describe("Set by the tenant."),
  operatorCap: money.nullable().describe("Set by the operator."),
  shares,
  period: z
    .strictObject({
      from: instant,
      to: instant,
      fees: money.describe("Fees of the period, which no use changes."),
      spent: money.describe("Charges of the period so far, before coupons, credits and tax."),
      reserved: money.describe(
        "The most that charges can come to with what is used and with units that processes hold for calls: what counts against the cap.",
      ),
      isReached: z.boolean().describe("True when no unit of some meter fits any more."),
      meters: z.array(
        z.strictObject({
          meter: z.string(),
          unitsLeft: z.string().describe("Whole units that fit under the cap by themselves."),
        }),
      ),
    })
    .nullable()
    .describe("The running period; null without a cap, and while no plan with a price runs."),
  updatedAt: instant.nullable(),
});
export type SpendCap = z.infer<typeof spendCap>;

const tags = ["Billing"];
const path = "/tenants/{tenantId}/billing/spend-cap";
const STOPS =
  "At the cap calls are refused with 402 `SPEND_CAP_REACHED`, and never more than the cap is charged for a period. Fees are charged in any case.";

/** The cap that a tenant sets for itself. */
export const spendCapContract = {
  getSpendCap: operation({ scope: "billing:read" })
    .route({
      method: "GET",
      path,
      summary: "Get the spend cap of a tenant, and what counts against it",
      tags,
    })
    .input(z.strictObject({ tenantId }))
    .output(spendCap),
  putSpendCap: operation({ scope: "billing:write" })
    .route({
      method: "PUT",
      path,
      summary: "Set a tenant's own spend cap",
      description: `${STOPS} A higher cap counts at once, a lower one within a second; what was used before stays charged.`,
      tags,
    })
    .input(z.strictObject({ tenantId, amount: capAmount, shares: shares.optional() }))
    .output(spendCap),
  deleteSpendCap: operation({ scope: "billing:write" })
    .route({ method: "DELETE", path, summary: "Remove a tenant's own spend cap", tags })
    .input(z.strictObject({ tenantId }))
    .output(spendCap),
};

/** The cap that the operator sets for a tenant. */
export const operatorSpendCapContract = {
  setOperatorSpendCap: operation({ scope: "invoices:write" })
    .route({
      method: "POST",
      path: `${path}/operator`,
      summary: "Set or remove the operator's spend cap for a tenant",
      description: STOPS,
      tags,
    })
    .input(
      z.strictObject({
        tenantId,
        amount: capAmount.nullable().describe("Null removes it."),
        reason: displayText(500).describe("Why, for the audit log."),
      }),
    )
    .output(spendCap),
};
