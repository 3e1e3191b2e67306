import type { SubscriptionAction } from "@turnpike/contract/subscriptions";
import { AppError } from "@turnpike/domain/errors/app-error";
import { OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { confirmAction } from "../subscriptions/confirm-action.ts";
import { quoteAction } from "../subscriptions/quote-action.ts";
import { recordUsage } from "../testing/billing.fixture.ts";
import { ADD_ON_IDS, COUPON_IDS, PLAN_IDS } from "./simulated-plans.fixture.ts";
import {
  DAY_MS,
  MINUTE_MS,
  type SimulatedTenant,
  type SimulatedWorld,
} from "./simulated-world.fixture.ts";

function chooseAction(world: SimulatedWorld): SubscriptionAction {
  const when = world.pick(["now", "period_end"] as const);
  const proration = world.oneIn(3)
    ? undefined
    : world.pick(["time", "largerOfTimeOrQuota", "nextPeriod", "none"] as const);
  const planId = world.pick(PLAN_IDS);
  return world.pick<SubscriptionAction>([
    { do: "subscribe", planId },
    { do: "subscribe", planId },
    { do: "change", planId, when, proration },
    { do: "change", planId, when, proration },
    { do: "change", planId, proration },
    {
      do: "seats",
      card: world.pick(["base", "seats", "support"]),
      quantity: world.pick(["0", "1", "3", "2.5"]),
      proration,
    },
    { do: "addOn", planId: world.pick(ADD_ON_IDS), proration },
    { do: "removeAddOn", planId: world.pick(ADD_ON_IDS), proration },
    { do: "coupon", couponId: world.pick(COUPON_IDS) },
    { do: "cancel", when, proration },
    { do: "uncancel" },
    { do: "pause", when, proration },
    { do: "resume" },
    { do: "resume" },
  ]);
}

/** @returns Why an expected refusal was one. @throws Anything that is not a refusal. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof AppError) || error.code === "INTERNAL_ERROR") {
    throw error;
  }
  return String(error.extensions["reason"] ?? error.code);
}

/** Quotes and confirms; now and then minutes pass between, in which usage goes on and periods may end. */
export async function ask(
  world: SimulatedWorld,
  tenant: SimulatedTenant,
  action: SubscriptionAction,
): Promise<string> {
  const { deps } = world;
  const input = { tenantId: tenant.tenantId, environment: "live" as const, action };
  let outcome = "done";
  try {
    let { at, hash } = await quoteAction(deps, OPERATOR_CONTEXT, input);
    if (world.oneIn(4)) {
      world.advance(world.below(12) * MINUTE_MS);
      await use(world, tenant);
    }
    try {
      await confirmAction(deps, OPERATOR_CONTEXT, { ...input, at, hash });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "QUOTE_CHANGED") {
        throw error;
      }
      world.count("quoted again");
      ({ at, hash } = await quoteAction(deps, OPERATOR_CONTEXT, input));
      await confirmAction(deps, OPERATOR_CONTEXT, { ...input, at, hash });
    }
  } catch (error) {
    outcome = reasonOf(error);
  }
  world.count(outcome === "done" ? action.do : "refused");
  world.note(`${tenant.tenantId} ${JSON.stringify(action)}: ${outcome}`);
  return outcome;
}

async function chooseInstant(
  world: SimulatedWorld,
  { tenantId }: SimulatedTenant,
): Promise<number> {
  const [account] = await world.database.sql<{ from: Date; to: Date }[]>`
    select period_from as "from", period_to as "to" from billing_accounts where tenant_id = ${tenantId}`;
  const edgeMs = world.pick([-MINUTE_MS, 0, MINUTE_MS]);
  switch (world.below(5)) {
    case 0:
      return (account?.from.getTime() ?? world.nowMs) + edgeMs;
    case 1:
      return (account?.to.getTime() ?? world.nowMs) + edgeMs;
    case 2:
      return world.nowMs - world.below(70) * DAY_MS - world.below(60) * MINUTE_MS;
    default:
      return world.nowMs - world.below(3) * MINUTE_MS;
  }
}

/** Usage of now, of either side of a boundary, or recorded late. */
async function use(world: SimulatedWorld, tenant: SimulatedTenant): Promise<void> {
  const at = new Date(Math.min(await chooseInstant(world, tenant), world.nowMs));
  const meterId = world.pick(["requests", "requests", "tokens"]);
  const quantity = 1 + world.below(world.oneIn(3) ? 400 : 20);
  const { tenantId } = tenant;
  await recordUsage(world.deps, {
    tenantId,
    at,
    meterId,
    quantity,
    keyId: world.pick(tenant.keys),
    method: "GET",
    route: world.pick(["/a", "/b", "/c"]),
  });
  world.count("usage");
  world.note(`${tenantId} uses ${String(quantity)} ${meterId} at ${at.toISOString()}`);
}

/** Now, or within weeks, now and then near the minute of something else. */
function chooseStart(world: SimulatedWorld): { startsAt?: string } {
  if (!world.oneIn(3)) {
    return {};
  }
  const startMs = world.nowMs + (1 + world.below(40)) * DAY_MS + world.below(3) * MINUTE_MS;
  return { startsAt: new Date(startMs).toISOString() };
}

/** Uses the API or changes the subscription; often something else follows at the same instant. */
export async function actAsCustomer(world: SimulatedWorld, tenant: SimulatedTenant): Promise<void> {
  if (world.oneIn(2)) {
    await use(world, tenant);
    return;
  }
  const action = chooseAction(world);
  const outcome = await ask(world, tenant, action);
  if (action.do === "cancel" && action.when === "period_end" && world.oneIn(3)) {
    await ask(world, tenant, { do: "uncancel" });
  }
  if (outcome === "no_subscription") {
    await ask(world, tenant, {
      do: "subscribe",
      planId: world.pick(PLAN_IDS),
      ...chooseStart(world),
    });
  }
  // A change of mind, or of plan and seats.
  if (world.oneIn(4)) {
    await use(world, tenant);
    await ask(world, tenant, chooseAction(world));
  }
}
