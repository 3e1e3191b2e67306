import { KEPT_DAYS_MIN } from "@turnpike/domain/metering/usage-history";
import { z } from "zod";

const DAYS_MAX = 36_500;

function days(min: number, max = DAYS_MAX) {
  const expected = `A whole number of days from ${String(min)} to ${String(max)}.`;
  return z.int(expected).min(min, expected).max(max, expected);
}

/** How long what grows without end is kept. What a day is dropped with is in docs/operations.md. */
export const retentionSection = z
  .strictObject({
    minutesDays: days(KEPT_DAYS_MIN.minutes)
      .default(100)
      .describe(
        "Days for which usage is kept by the minute. Older usage is drawn by the hour, in UTC.",
      ),
    hoursDays: days(KEPT_DAYS_MIN.hours)
      .optional()
      .describe(
        "Days for which usage is kept by the hour, and what meters of events counted. Left out: for good.",
      ),
    ledgerDays: days(KEPT_DAYS_MIN.ledger)
      .optional()
      .describe(
        "Days for which entries of the ledger are kept, what invoices are made of and everything else is proven by. Left out: for good.",
      ),
    callsDays: days(0, 90)
      .default(7)
      .describe(
        "Days for which recent calls are kept as they were, so that one can be found by its request. 0: none are kept. Numbers do not depend on it.",
      ),
    eventsDays: days(1, 366)
      .default(35)
      .describe("Days for which usage events are kept as they came, for trying meters."),
    rejectedEventsDays: days(1, 366)
      .default(14)
      .describe("Days for which rejected events are listed."),
  })
  .superRefine((kept, context) => {
    if (kept.hoursDays !== undefined && kept.hoursDays < kept.minutesDays) {
      context.addIssue({
        code: "custom",
        path: ["hoursDays"],
        message: "No fewer than `minutesDays`: hours are what is left when minutes are gone.",
      });
    }
  })
  .prefault({});
export type RetentionSettings = z.output<typeof retentionSection>;
