import { catalogInput } from "@turnpike/contract/catalog";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import { applyCatalog, archivePlan, listPlans, restorePlan } from "#modules/catalog/index.ts";
import type { CommandSession } from "../run-command.ts";
import type { DemoWindow } from "./demo-usage.ts";

const monthly = { interval: { month: 1 } } as const;
const fee = (name: string, amount: string, interval: object = monthly.interval) => ({
  key: "base",
  name,
  price: { model: "flat", amount },
  interval,
  timing: "advance",
});
const requests = (price: object) => ({
  key: "requests",
  name: "Requests",
  meter: REQUESTS_METER,
  ...monthly,
  timing: "arrears",
  price,
});

/** The coupon that a demo tenant redeems. */
export const DEMO_COUPON = "demo-welcome";

/** Plans that price usage, which the sample catalogue has none of. They are private, so customers do not see them. */
const INPUT = catalogInput.parse({
  meters: [],
  coupons: [
    { couponId: DEMO_COUPON, name: "Welcome: 20 % off two months", percent: "20", periods: 2 },
  ],
  plans: [
    {
      planId: "demo-growth",
      name: "Growth (demo)",
      description: "A trial, then a fee, seats and usage by graduated tiers.",
      phases: [
        { name: "Trial", duration: { days: 14 }, rateCards: [] },
        {
          rateCards: [
            fee("Base fee", "29"),
            {
              ...{ key: "seats", name: "Seats", ...monthly, timing: "advance", quantity: "3" },
              price: { model: "per_unit", unitAmount: "9" },
            },
            requests({
              model: "graduated",
              included: "100000",
              tiers: [
                { upTo: "400000", unitAmount: "0.0004" },
                { upTo: null, unitAmount: "0.00025" },
              ],
            }),
          ],
        },
      ],
    },
    {
      planId: "demo-volume",
      name: "Volume (demo)",
      description: "A fee, and all usage at the price of the tier that it reaches.",
      phases: [
        {
          rateCards: [
            fee("Base fee", "99"),
            requests({
              model: "volume",
              included: "200000",
              tiers: [
                { upTo: "500000", unitAmount: "0.0005" },
                { upTo: null, unitAmount: "0.0003" },
              ],
            }),
          ],
        },
      ],
    },
    {
      planId: "demo-prepaid",
      name: "Prepaid (demo)",
      description: "Calls draw on credit as they happen.",
      isPrepaid: true,
      phases: [{ rateCards: [requests({ model: "per_unit", unitAmount: "0.002" })] }],
    },
    {
      planId: "demo-yearly",
      name: "Yearly (demo)",
      description: "A fee for a year in advance, and usage by the month.",
      phases: [
        {
          rateCards: [
            fee("Yearly fee", "4990", { year: 1 }),
            requests({ model: "per_unit", unitAmount: "0.0002", included: "1000000" }),
          ],
        },
      ],
    },
    {
      planId: "demo-support",
      name: "Support (demo)",
      description: "Answers within four hours.",
      isAddOn: true,
      phases: [{ rateCards: [fee("Support", "49")] }],
    },
  ].map((plan) => ({ currency: "USD", visibility: "private", ...plan })),
});

/** The coupon of invoices with discounts. */
export const DOCUMENTS_COUPON = "demo-loyal";

/** What is charged each day, so that a customer has an invoice for each. */
const DAY = { day: 1 };
const seats = (unitAmount: string) => ({
  ...{ key: "seats", name: "Seats", interval: DAY, timing: "advance", quantity: "3" },
  price: { model: "per_unit", unitAmount },
});

/** Plans of the customers whose invoices show every kind of document. */
const DOCUMENTS_INPUT = catalogInput.parse({
  meters: [],
  coupons: [{ couponId: DOCUMENTS_COUPON, name: "Loyal: 7.5 % off", percent: "7.5" }],
  plans: [
    {
      planId: "demo-daily",
      name: "Daily (demo)",
      currency: "EUR",
      description: "A fee and seats by the day.",
      phases: [{ rateCards: [fee("Access", "49.99", DAY), seats("3.33")] }],
    },
    {
      planId: "demo-daily-rates",
      name: "Daily, two rates (demo)",
      currency: "EUR",
      description: "A fee at the standard rate and books at the reduced one, by the day.",
      phases: [
        {
          rateCards: [
            fee("Access", "19.95", DAY),
            seats("1.11"),
            { ...fee("Handbook", "12.37", DAY), key: "book", taxClass: "reduced" },
          ],
        },
      ],
    },
    {
      planId: "demo-daily-yen",
      name: "Daily in yen (demo)",
      currency: "JPY",
      description: "A fee and seats by the day, in a currency without decimals.",
      phases: [{ rateCards: [fee("Access", "1999", DAY), seats("333")] }],
    },
  ].map((plan) => ({ visibility: "private", ...plan })),
});

type PlansInput = typeof INPUT;

/**
 * Publishes the demo's plans and coupon, and offers those again that a removal has archived. The coupon can be redeemed until the end of
 * the time that the demo shows: by invented tenants in the past, and by no customer.
 */
export function ensureDemoPlans(session: CommandSession, window: DemoWindow): Promise<void> {
  return ensurePlans(session, window, INPUT);
}

/** The same for the plans of {@link DOCUMENTS_INPUT}. */
export function ensureDocumentPlans(session: CommandSession, window: DemoWindow): Promise<void> {
  return ensurePlans(session, window, DOCUMENTS_INPUT);
}

async function ensurePlans(
  { deps, context }: CommandSession,
  { untilMs }: DemoWindow,
  input: PlansInput,
): Promise<void> {
  const redeemBy = new Date(untilMs).toISOString();
  const coupons = input.coupons?.map((coupon) => ({ ...coupon, redeemBy })) ?? [];
  await applyCatalog(deps, context, { ...input, coupons });
  const { items } = await listPlans(deps, context);
  for (const { planId } of input.plans) {
    if (items.some((plan) => plan.planId === planId && plan.archivedAt !== null)) {
      await restorePlan(deps, context, { planId });
    }
  }
}

/** Archives the demo's plans: a version that was published stays, and is offered to no one. */
export async function archiveDemoPlans({ deps, context }: CommandSession): Promise<string[]> {
  const { items } = await listPlans(deps, context);
  const offered = [...INPUT.plans, ...DOCUMENTS_INPUT.plans]
    .map(({ planId }) => planId)
    .filter((planId) => items.some((plan) => plan.planId === planId && plan.archivedAt === null));
  for (const planId of offered) {
    await archivePlan(deps, context, { planId });
  }
  return offered;
}
