import { catalogInput } from "@turnpike/contract/catalog";

type Card = Readonly<Record<string, unknown>>;

const MONTH = { month: 1 };

const fee = (amount: string, more: Card = {}): Card => ({
  key: "base",
  price: { model: "flat", amount },
  interval: MONTH,
  timing: "advance",
  ...more,
});

const usage = (meter: string, price: Card, more: Card = {}): Card => ({
  key: meter,
  meter,
  price,
  interval: MONTH,
  timing: "arrears",
  ...more,
});

const single = (...rateCards: readonly Card[]) => [{ rateCards }];

const GRADUATED = {
  model: "graduated",
  tiers: [
    { upTo: "100", unitAmount: "0" },
    { upTo: "500", unitAmount: "0.013", flatAmount: "1.5" },
    { upTo: null, unitAmount: "0.0071" },
  ],
};
const VOLUME = {
  model: "volume",
  tiers: [
    { upTo: "200", unitAmount: "0.05", flatAmount: "2" },
    { upTo: "1000", unitAmount: "0.02" },
    { upTo: null, unitAmount: "0.011" },
  ],
};

/**
 * The catalogue of a simulation: plans of every price model, interval and timing, trials, minimums, limits, add-ons, and a second
 * currency.
 *
 * @param edition - Prices of fees rise with it: a later edition is published as new versions.
 */
export function simulatedCatalog(edition: number) {
  const risen = (amount: number) => String(amount + edition);
  const plans = [
    {
      planId: "per-unit",
      phases: single(
        fee(risen(19)),
        {
          key: "seats",
          price: { model: "per_unit", unitAmount: "4.99" },
          quantity: "2",
          interval: MONTH,
          timing: "advance",
        },
        usage("requests", { model: "per_unit", unitAmount: "0.0133" }),
      ),
    },
    {
      planId: "graduated",
      phases: single(
        fee(risen(110), { interval: { quarter: 1 } }),
        usage("requests", GRADUATED, {
          interval: { week: 1 },
          entitlement: { kind: "soft", limit: "400", refill: MONTH },
        }),
      ),
    },
    {
      planId: "volume",
      phases: single(
        fee(risen(7), { timing: "arrears" }),
        usage("tokens", VOLUME),
        usage("requests", { model: "per_unit", unitAmount: "0.004", included: "50" }),
      ),
    },
    {
      planId: "package",
      phases: single(
        fee(risen(12)),
        usage(
          "requests",
          { model: "package", amount: "3.33", size: "10", included: "15" },
          { entitlement: { kind: "hard", limit: "300" } },
        ),
      ),
    },
    {
      planId: "percentage",
      phases: single(
        usage("tokens", { model: "percentage", rate: "2.5", minimum: "10", maximum: "500" }),
      ),
    },
    {
      planId: "phased",
      phases: [
        { duration: { days: 14 }, rateCards: [] },
        { duration: { months: 2 }, rateCards: [fee("5"), usage("requests", GRADUATED)] },
        {
          minimum: "60",
          rateCards: [
            fee(risen(25)),
            usage("requests", { model: "per_unit", unitAmount: "0.02" }, { interval: { day: 10 } }),
          ],
        },
      ],
    },
    {
      planId: "yearly",
      phases: single(
        fee(risen(1200), { interval: { year: 1 } }),
        usage("requests", { model: "per_unit", unitAmount: "0.009" }),
        usage("tokens", VOLUME, { interval: { quarter: 1 } }),
      ),
    },
    {
      planId: "usage-only",
      phases: single(usage("requests", GRADUATED), usage("tokens", GRADUATED)),
    },
    { planId: "yen", currency: "JPY", phases: single(fee(risen(1935)), usage("requests", VOLUME)) },
    { planId: "support", isAddOn: true, phases: single(fee(risen(9), { key: "support" })) },
    {
      planId: "extra-tokens",
      isAddOn: true,
      phases: single(
        fee("3.5", { key: "extra", interval: { week: 2 } }),
        usage("tokens", { model: "per_unit", unitAmount: "0.001" }),
      ),
    },
  ];
  return catalogInput.parse({
    meters: [
      { meterId: "tokens", name: "Tokens", unit: "token", aggregation: "sum", valueMax: "1000" },
    ],
    plans: plans.map((plan) => ({ name: plan.planId, ...plan })),
    coupons: COUPONS,
  });
}

/** Shares and sums, of cards and of the whole, for some periods and for all. */
const COUPONS = [
  { couponId: "tenth", name: "A tenth", percent: "10", periods: 3 },
  { couponId: "third-of-requests", name: "Requests", percent: "33.3", cards: ["requests"] },
  { couponId: "free-month", name: "Free", percent: "100", periods: 1 },
  { couponId: "five", name: "Five off", amount: "5", currency: "USD" },
  {
    couponId: "base",
    name: "Off the fee",
    amount: "20",
    currency: "USD",
    periods: 2,
    cards: ["base"],
  },
  { couponId: "scarce", name: "Scarce", percent: "50", periods: 6, maxRedemptions: 2 },
];

export const PLAN_IDS = [
  "per-unit",
  "graduated",
  "volume",
  "package",
  "percentage",
  "phased",
  "yearly",
  "usage-only",
  "yen",
  "pro",
];
export const ADD_ON_IDS = ["support", "extra-tokens"];
export const COUPON_IDS = COUPONS.map(({ couponId }) => couponId);
