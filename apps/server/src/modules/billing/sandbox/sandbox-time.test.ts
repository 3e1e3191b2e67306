import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCoupon } from "#modules/catalog/coupons/manage-coupons.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { getSubscription } from "../subscriptions/get-subscription.ts";
import { act, publishPricedPlans, toBillingDeps } from "../testing/billing.fixture.ts";
import { advanceClock } from "./advance-clock.ts";

const DAY_MS = 24 * 60 * 60_000;

let database: TestDatabase;
let deps: TestServices & BillingDeps;
beforeAll(async () => {
  database = await createTestDatabase();
  deps = toBillingDeps(createTestServices(database));
  await createTestTenant(deps);
  await publishPricedPlans(deps);
});
afterAll(() => database.close());

describe("a sandbox that is ahead of the live environment", () => {
  it("tells by its own clock what is overdue, and what can no longer be redeemed, and changes nothing live", async () => {
    const { tenantId } = await createTestTenant(deps, "Two clocks");
    const live = { tenantId, environment: "live" as const };
    const sandbox = { tenantId, environment: "test" as const };
    const nowMs = deps.clock.now().getTime();
    await createCoupon(deps, OPERATOR_CONTEXT, {
      couponId: "soon-over",
      name: "Soon over",
      percent: "10",
      redeemBy: new Date(nowMs + 10 * DAY_MS).toISOString(),
    });
    await act(deps, live, { do: "subscribe", planId: "metered" });
    await act(deps, sandbox, { do: "subscribe", planId: "metered" });
    const standings: string[] = [];
    for (const days of [13, 16, 60]) {
      const to = new Date(nowMs + days * DAY_MS).toISOString();
      await advanceClock(deps, OPERATOR_CONTEXT, { tenantId, to });
      standings.push((await getSubscription(deps, OPERATOR_CONTEXT, sandbox)).standing);
    }
    expect(standings).toEqual(["current", "overdue", "blocked"]);
    const redeem = { do: "coupon" as const, couponId: "soon-over" };
    expect((await refusalOf(act(deps, sandbox, redeem))).code).toBe("INVALID_REQUEST");
    await act(deps, live, redeem);
    expect((await getSubscription(deps, OPERATOR_CONTEXT, live)).standing).toBe("current");
  });
});
