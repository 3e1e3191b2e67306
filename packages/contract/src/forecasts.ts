import { USAGE_NOTES } from "@turnpike/domain/forecast/usage-days";
import { isTimeZone } from "@turnpike/domain/time/zoned-buckets";
import { z } from "zod";
import { upcomingInvoice } from "./invoices.ts";
import { money } from "./money.ts";
import { operation } from "./operation.ts";
import { instant, tenantId } from "./shapes.ts";

/** How far ahead forecasts look. */
export const FORECAST_DAYS = 90;
/** Complete days that a forecast takes: three of each weekday. */
export const FORECAST_DAYS_NEEDED = 21;
/** Past days that come with a forecast. */
export const FORECAST_PAST_DAYS = 60;
/** The most meters of a tenant that are forecast: calls, then those of its plan. */
export const FORECAST_METERS_MAX = 10;

/** What will most likely be, and bounds that hold it with 80 and 95 per cent. */
const band = z.strictObject({
  mean: z.number(),
  lower80: z.number(),
  upper80: z.number(),
  lower95: z.number(),
  upper95: z.number(),
});
export type ForecastBand = z.infer<typeof band>;

const history = z.strictObject({
  days: z.int().describe("Complete days since the first with usage."),
  needed: z.literal(FORECAST_DAYS_NEEDED),
});

const miss = z.strictObject({
  kind: z
    .enum(["kept", "back_test"])
    .describe(
      "`kept`: it was forecast then. `back_test`: computed today from the days that were known then.",
    ),
  madeAt: instant.describe("When it was made: the start of the fifth day of the period, or later."),
  from: instant.describe("The period that was forecast."),
  to: instant,
  forecast: z.number(),
  lower80: z.number(),
  upper80: z.number(),
  actual: z.number(),
  off: z
    .number()
    .nullable()
    .describe("How far it was off, as a share: above 0 for too much. Null when nothing came."),
});
export type ForecastMiss = z.infer<typeof miss>;

const usageOfMeter = z.strictObject({
  meter: z.string(),
  name: z.string(),
  unit: z.string(),
  history,
  state: z
    .enum(["forecast", "not_enough_history", "no_usage"])
    .describe("Without a forecast `days`, `totals` and `accuracy` are empty and `period` is null."),
  notes: z
    .array(z.enum(USAGE_NOTES))
    .describe(
      "`sparse`: most days have no usage, so that sums mean more than days. `growing`, `falling`: the last four weeks have twice, or half, of the four before; the forecast lets such a change fade.",
    ),
  past: z
    .array(z.strictObject({ from: instant, value: z.number() }))
    .max(FORECAST_PAST_DAYS)
    .describe("The last complete days."),
  days: z.array(z.strictObject({ from: instant, ...band.shape })).max(FORECAST_DAYS),
  totals: z
    .array(z.strictObject({ days: z.int(), ...band.shape }))
    .describe("Sums from now on. Their bounds are of the sum: nearer than the sum of bounds."),
  period: z
    .strictObject({
      from: instant,
      to: instant,
      used: z.number().describe("So far."),
      total: band.describe("At its end."),
    })
    .nullable()
    .describe("The running billing period."),
  accuracy: z.array(miss).max(3).describe("How far off periods were forecast, the last one first."),
});
export type MeterForecast = z.infer<typeof usageOfMeter>;

export const usageForecast = z.strictObject({
  tenantId,
  timeZone: z.string(),
  asOf: instant.describe("Usage up to here is counted."),
  meters: z.array(usageOfMeter).max(FORECAST_METERS_MAX),
});
export type UsageForecast = z.infer<typeof usageForecast>;

const moneyBand = z
  .strictObject({ mean: money, lower80: money, upper80: money, lower95: money, upper95: money })
  .describe("Computed by what bills, from the usage in the middle and at the bounds.");
export type MoneyBand = z.infer<typeof moneyBand>;

const projectedInvoice = z.strictObject({
  issuesAt: instant,
  from: instant.nullable(),
  to: instant.nullable(),
  total: moneyBand.describe("With tax, before the balance and prepaid credit."),
  due: moneyBand.describe("What is left to pay when it is issued."),
  net: money,
  taxes: upcomingInvoice.shape.taxes,
  lines: upcomingInvoice.shape.lines.describe("Of `total.mean`."),
});

export const invoiceForecast = z.strictObject({
  tenantId,
  asOf: instant,
  currency: z.string(),
  state: z
    .enum(["forecast", "not_enough_history", "no_invoice"])
    .describe(
      "`not_enough_history`: some meter with a price has too little; then nothing is projected.",
    ),
  history,
  runningTotal: money
    .nullable()
    .describe("What the running invoice comes to if nothing more is used."),
  invoices: z
    .array(projectedInvoice)
    .describe("What will be issued within 90 days, the next first."),
  days90: moneyBand.nullable().describe("The total of what is issued within 90 days."),
  accuracy: z.array(miss).max(3).describe("In major units. Only what was kept."),
});
export type InvoiceForecast = z.infer<typeof invoiceForecast>;

export const EXHAUSTION_KINDS = ["quota", "spend_cap", "credit"] as const;

const exhaustion = z.strictObject({
  kind: z.enum(EXHAUSTION_KINDS),
  meter: z.string().nullable().describe("Of a quota."),
  name: z.string(),
  unit: z.string().describe("What is counted: the unit of the meter, or a currency."),
  limit: z.string(),
  used: z.string(),
  left: z.string(),
  isHard: z.boolean().describe("False for a quota that may be passed."),
  resetsAt: instant.nullable().describe("When it begins anew; null for credit."),
  state: z.enum(["runs_out", "not_within_90_days", "exhausted", "not_enough_history"]),
  at: instant.nullable().describe("When it most likely runs out."),
  earliest80: instant.nullable(),
  latest80: instant
    .nullable()
    .describe("Null: may well last beyond 90 days, or to the end of the period before."),
  earliest95: instant.nullable(),
  latest95: instant.nullable(),
});
export type Exhaustion = z.infer<typeof exhaustion>;

export const exhaustionForecast = z.strictObject({
  tenantId,
  asOf: instant,
  items: z.array(exhaustion),
});
export type ExhaustionForecast = z.infer<typeof exhaustionForecast>;

const tags = ["Forecasts"];
const path = "/tenants/{tenantId}/forecasts";

export const forecastsContract = {
  usage: operation({ scope: "usage:read" })
    .route({
      method: "GET",
      path: `${path}/usage`,
      summary: "Forecast the usage of each meter, by day and in sum",
      description:
        "Units that count in the environment `live`, from the complete days so far. Recomputed each hour.",
      tags,
    })
    .input(
      z.strictObject({
        tenantId,
        timeZone: z
          .string()
          .refine(isTimeZone, "Not a name of the IANA time zone database, such as Europe/Berlin.")
          .default("UTC")
          .describe("The time zone in which days begin: a name of the IANA time zone database."),
      }),
    )
    .output(usageForecast),
  invoice: operation({ scope: "billing:read" })
    .route({
      method: "GET",
      path: `${path}/invoice`,
      summary: "Project the invoices of the next 90 days",
      description:
        "Forecast usage through what bills: tiers, included units, minimums, caps, coupons, credit and tax count as on the invoice. All meters are in the middle, or at the same bound, of what they sum to until the invoice; open invoices count as paid.",
      tags,
    })
    .input(z.strictObject({ tenantId }))
    .output(invoiceForecast),
  exhaustion: operation({ scope: "usage:read" })
    .route({
      method: "GET",
      path: `${path}/exhaustion`,
      summary: "Forecast when quotas, the spend cap and credit run out",
      description:
        "Looks 90 days ahead, through periods to come. The spend cap and credit are only for readers with `billing:read`.",
      tags,
    })
    .input(z.strictObject({ tenantId }))
    .output(exhaustionForecast),
};
