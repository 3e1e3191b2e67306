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

/**
 * Publishes the demo's plans and coupon, and offers those again that a removal has archived. The coupon can be redeemed until the end of
 * the time that the demo shows: by invented tenants in the past, and by no customer.
 */
export async function ensureDemoPlans(
  { deps, context }: CommandSession,
  { untilMs }: DemoWindow,
): Promise<void> {
  const redeemBy = new Date(untilMs).toISOString();
  const coupons = INPUT.coupons?.map((coupon) => ({ ...coupon, redeemBy })) ?? [];
  await applyCatalog(deps, context, { ...INPUT, coupons });
  const { items } = await listPlans(deps, context);
  for (const { planId } of INPUT.plans) {
    if (items.some((plan) => plan.planId === planId && plan.archivedAt !== null)) {
      await restorePlan(deps, context, { planId });
    }
  }
}

/** Archives the demo's plans: a version that was published stays, and is offered to no one. */
export async function archiveDemoPlans({ deps, context }: CommandSession): Promise<string[]> {
  const { items } = await listPlans(deps, context);
  const offered = INPUT.plans
    .map(({ planId }) => planId)
    .filter((planId) => items.some((plan) => plan.planId === planId && plan.archivedAt === null));
  for (const planId of offered) {
    await archivePlan(deps, context, { planId });
  }
  return offered;
}
