import { ENTITLEMENT_KINDS } from "@turnpike/domain/billing/catalog/billing-plan";
import {
  PHASE_CARDS_MAX,
  PLAN_PHASES_MAX,
  PRICE_TIERS_MAX,
} from "@turnpike/domain/catalog/plan-phase";
import { CALENDAR_UNITS } from "@turnpike/domain/time/period";
import { z } from "zod";
import { displayName, plainText } from "./shapes.ts";

/** Room for 999,999,999,999.999999999999; the checks of the plan report what is not a decimal. */
const DECIMAL_LENGTH_MAX = 25;

const decimalText = z
  .string({ error: 'Write it as a decimal in quotes, such as "49.90".' })
  .max(DECIMAL_LENGTH_MAX, `At most ${String(DECIMAL_LENGTH_MAX)} characters.`);

const code = plainText(60).min(1, "Must not be empty.");
const count = z.number().int().min(1).max(100_000);

// Exactly one member: the checks of the plan say so.
const interval = z.partialRecord(z.enum(CALENDAR_UNITS), count);

// Members that a price does not have are let through to the checks of the plan, which say what to use instead.
const tier = z.looseObject({
  upTo: decimalText
    .nullable()
    .describe("The last quantity of the tier, inclusive; null for the last tier, which is open."),
  unitAmount: decimalText.optional().describe("Price of each unit."),
  flatAmount: decimalText.optional().describe("Fee for entering the tier."),
});

const price = z.looseObject({
  model: z
    .enum(["flat", "per_unit", "graduated", "volume", "package", "percentage"])
    .describe("How a quantity becomes an amount."),
  amount: decimalText
    .optional()
    .describe("Of `flat` for each seat, of `package` for each package."),
  unitAmount: decimalText.optional().describe("Of `per_unit`, for each unit."),
  tiers: z
    .array(tier)
    .max(PRICE_TIERS_MAX)
    .optional()
    .describe("Of `graduated` and `volume`, rising, the last one open."),
  size: decimalText.optional().describe("Units in a package."),
  rate: decimalText.optional().describe("Of `percentage`, in per cent of what the meter sums."),
  included: decimalText.optional().describe("Units that cost nothing; tiers count what is left."),
  minimum: decimalText.optional().describe("The least of a period; what lacks is charged."),
  maximum: decimalText.optional().describe("The most of a period."),
});

const entitlement = z.strictObject({
  kind: z
    .enum(ENTITLEMENT_KINDS)
    .describe(
      "`hard` refuses calls beyond the limit, `soft` records and charges them; `static` is a value, `boolean` a feature.",
    ),
  limit: plainText(200)
    .optional()
    .describe("Whole units of one refill, or the value of a `static` entitlement."),
  refill: interval
    .optional()
    .describe("How often a quota is refilled, as an interval. Left out: as the card is charged."),
});

const rateCard = z.strictObject({
  key: code.describe("Identifier of the card in its phase."),
  name: displayName(60, { mayHoldAddress: true }).optional().describe("What customers read."),
  meter: code.optional().describe("The meter that it charges or limits. Left out: a fee."),
  price: price.optional().describe("Left out: it costs nothing."),
  interval: interval
    .optional()
    .describe(
      'How often it is charged, such as `{ "month": 1 }`: day, week, month, quarter, year.',
    ),
  timing: z
    .enum(["advance", "arrears"])
    .optional()
    .describe("When a fee is charged; usage is always charged in arrears."),
  quantity: decimalText.optional().describe("Seats of a fee. Left out: 1."),
  taxClass: code.optional().describe("Which of your tax rates applies. Left out: `standard`."),
  entitlement: entitlement.optional().describe("What it entitles to. Left out: nothing."),
});

const duration = z.partialRecord(z.enum(["days", "weeks", "months", "years"]), count);

const phase = z.strictObject({
  key: code.optional().describe("Identifier of the phase for programs."),
  name: displayName(60, { mayHoldAddress: true }).optional().describe("What customers read."),
  duration: duration
    .optional()
    .describe(
      'How long it lasts, such as `{ "days": 14 }`: days, weeks, months, years. Left out in the last phase.',
    ),
  minimum: decimalText
    .optional()
    .describe("The least that the plan charges for one period of its interval."),
  taxClass: code.optional().describe("Of what the minimum charges."),
  rateCards: z
    .array(rateCard)
    .max(PHASE_CARDS_MAX)
    .describe("Its fees, prices of usage and entitlements."),
});

/** The phases of a plan. Whether they can be billed is checked where the meters are known. */
export const planPhases = z.array(phase).max(PLAN_PHASES_MAX);
