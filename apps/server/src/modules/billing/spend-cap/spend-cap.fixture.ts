import { catalogInput } from "@turnpike/contract/catalog";
import { OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { applyCatalog } from "#modules/catalog/index.ts";
import type { AppServices } from "#platform/app-services.ts";

/** Meters without a quota, each with a price of another model. */
export const CAPPED_METERS = ["requests", "pages", "images", "texts"] as const;

const monthly = { interval: { month: 1 }, timing: "arrears" } as const;

const USAGE = [
  {
    key: "requests",
    meter: "requests",
    ...monthly,
    price: {
      model: "graduated",
      tiers: [
        { upTo: "100", unitAmount: "0" },
        { upTo: "300", unitAmount: "0.013", flatAmount: "0.5" },
        { upTo: null, unitAmount: "0.021" },
      ],
    },
  },
  {
    key: "pages",
    meter: "pages",
    ...monthly,
    // 60 units cost more than 100: the limit holds on the way.
    price: {
      model: "volume",
      tiers: [
        { upTo: "60", unitAmount: "0.05" },
        { upTo: null, unitAmount: "0.02" },
      ],
    },
  },
  {
    key: "images",
    meter: "images",
    ...monthly,
    price: { model: "package", amount: "0.99", size: "25" },
  },
  {
    key: "texts",
    meter: "texts",
    ...monthly,
    price: { model: "per_unit", unitAmount: "0.0333", included: "40" },
  },
];

const CATALOG = catalogInput.parse({
  meters: ["pages", "images", "texts"].map((meterId) => ({
    meterId,
    name: meterId,
    unit: meterId.slice(0, -1),
    aggregation: "count",
  })),
  plans: [
    { planId: "unpriced", name: "Unpriced", currency: "EUR", pricePerMonth: "0" },
    {
      planId: "prepaid",
      name: "Prepaid",
      currency: "EUR",
      isPrepaid: true,
      phases: [{ rateCards: USAGE }],
    },
    { planId: "postpaid", name: "Postpaid", currency: "EUR", phases: [{ rateCards: USAGE }] },
    {
      planId: "capped",
      name: "Capped",
      currency: "EUR",
      phases: [
        {
          rateCards: [
            {
              key: "base",
              price: { model: "flat", amount: "10" },
              interval: { month: 1 },
              timing: "advance",
            },
            ...USAGE,
          ],
        },
      ],
    },
  ],
});

/**
 * Publishes the plan `capped`: 10.00 in advance, and usage of four meters; `postpaid` and `prepaid`, the same usage without a fee; and
 * `unpriced`.
 */
export async function publishCappedPlan(services: AppServices): Promise<void> {
  await applyCatalog(services, OPERATOR_CONTEXT, CATALOG);
}
