import { minuteOf, period, startOfMonth } from "@turnpike/domain/time/period";
import {
  addAdjustment,
  type BillingDeps,
  type BillingSettings,
  listBillingEvents,
  listInvoices,
  markUncollectible,
  voidInvoice,
  withClosingPaused,
} from "#modules/billing/index.ts";
import { getEntitlement } from "#modules/entitlements/index.ts";
import type { CommandSession } from "../run-command.ts";
import { toBillingDeps } from "../to-billing-deps.ts";
import {
  boughtCredit,
  highCap,
  nearCap,
  prepaidCredit,
  promotionalCredit,
} from "./credit-steps.ts";
import { at, type InstalledTenant } from "./demo-installation.ts";
import { DEMO_COUPON, ensureDemoPlans } from "./demo-plans.ts";
import { toDemoSettings } from "./demo-seller.ts";
import { act, close, type Key, type Life, PAGE, pay, type Step, withOpen } from "./demo-step.ts";
import type { DemoBilling } from "./demo-tenants.ts";
import { DAY_MS, type DemoWindow, HOUR_MS, instantAt, MINUTE_MS, STORY } from "./demo-usage.ts";

/** Days from an invoice until a tenant pays it in time. */
const PAYS_AFTER_DAYS = 3;
/** And when it is overdue already. */
const PAYS_LATE_AFTER_DAYS = 24;
/** Before the end: long enough to look at, and still in the trial. */
const TRIAL_DAYS_SEEN = 5;

const voidOpen = withOpen((deps, context, { invoiceId }) =>
  voidInvoice(deps, context, { invoiceId, reason: "Issued to the wrong company." }),
);
const writeOff = withOpen((deps, context, { invoiceId }) =>
  markUncollectible(deps, context, { invoiceId, reason: "The customer does not answer." }),
);
const chargeOnce: Step["run"] = (deps, context, key) =>
  addAdjustment(deps, context, {
    ...key,
    description: "Onboarding workshop",
    amount: "750",
    taxClass: "standard",
    when: "now",
    reason: "Agreed with the customer.",
  });

function listBoundaries({ startMs, untilMs }: Omit<Life, "planId">): number[] {
  const boundaries: number[] = [];
  for (let index = 0; ; index += 1) {
    const endMs = period(new Date(startMs), "month", index).end.getTime();
    if (endMs >= untilMs) {
      return boundaries;
    }
    boundaries.push(endMs);
  }
}

/** Closes every month a moment after its end, and at the end of the time shown. */
function closings(life: Life): Step[] {
  const months = listBoundaries(life).map((ms) => ({ atMs: ms + 2 * MINUTE_MS, run: close }));
  return [...months, { atMs: life.untilMs, run: close }];
}

/** Pays what is open some days after the start of each month. */
function payments(life: Life, days: number): Step[] {
  return [life.startMs, ...listBoundaries(life)].map((ms) => ({
    atMs: ms + days * DAY_MS + HOUR_MS,
    run: pay,
  }));
}

const subscribe = (planId: string, atMs: number): Step => ({
  atMs,
  run: act({ do: "subscribe", planId }),
});

/** What happens to a tenant, in any order. */
function listSteps(billing: DemoBilling, life: Life): Step[] {
  const { startMs, untilMs, planId } = life;
  const partMs = (part: number) => minuteOf(startMs + (untilMs - startMs) * part);
  const paid = payments(life, PAYS_AFTER_DAYS);
  const step = (atMs: number, run: Step["run"]) => ({ atMs, run });
  switch (billing) {
    case "none":
      return [];
    case "pays":
      return [subscribe(planId, startMs), ...promotionalCredit(life), ...highCap(life), ...paid];
    case "one-off":
      return [subscribe(planId, startMs), ...paid, step(untilMs - 2 * HOUR_MS, chargeOnce)];
    case "growth": {
      const trialEndMs = startMs + 14 * DAY_MS;
      const priced = { ...life, startMs: trialEndMs };
      return [
        subscribe("demo-growth", startMs),
        step(trialEndMs + 2 * MINUTE_MS, close),
        ...(partMs(0.7) <= trialEndMs
          ? []
          : [
              ...closings(priced),
              ...payments(priced, PAYS_AFTER_DAYS),
              step(partMs(0.7), act({ do: "seats", card: "seats", quantity: "8" })),
              step(partMs(0.75), act({ do: "addOn", planId: "demo-support" })),
              ...nearCap(life),
            ]),
      ];
    }
    case "volume":
      return [subscribe("demo-volume", startMs), ...boughtCredit(life), ...paid];
    case "prepaid":
      return [subscribe("demo-prepaid", startMs), ...prepaidCredit(life)];
    case "yearly":
      return [subscribe("demo-yearly", startMs), ...paid];
    case "downgrade":
      return [
        subscribe("scale", startMs),
        step(startMs + HOUR_MS, act({ do: "coupon", couponId: DEMO_COUPON })),
        ...paid.slice(0, 1),
        step(partMs(0.4), act({ do: "change", planId: "demo-volume", when: "now" })),
      ];
    case "troubled":
      return [
        subscribe(planId, startMs),
        step(startMs + DAY_MS, voidOpen),
        ...listBoundaries(life)
          .slice(0, 1)
          .map((ms) => step(ms + 20 * DAY_MS, writeOff)),
      ];
    case "late":
      return [subscribe(planId, startMs), ...payments(life, PAYS_LATE_AFTER_DAYS)];
    case "trial":
      return [subscribe("demo-growth", Math.max(startMs, untilMs - TRIAL_DAYS_SEEN * DAY_MS))];
    case "leaves":
      return [
        subscribe(planId, startMs),
        ...paid,
        step(
          partMs(0.9),
          act({ do: "cancel", when: "period_end", reason: "We build it ourselves now." }),
        ),
      ];
  }
}

/**
 * When a tenant subscribes: with the first month that begins after it has joined, because its quotas are counted by the month. In a
 * short demo, as it joins.
 */
function toLife({ tenant, joinedAtMs }: InstalledTenant, window: DemoWindow): Life {
  const { untilMs } = window;
  const sinceMs =
    tenant.story === "upgrade" ? instantAt(window, STORY.upgrade) + HOUR_MS : joinedAtMs;
  const month = startOfMonth(new Date(sinceMs));
  const nextMs = period(month, "month", 1).start.getTime();
  const startMs = month.getTime() === sinceMs ? sinceMs : nextMs;
  const planId = tenant.story === "upgrade" ? "pro" : tenant.planId;
  return { startMs: startMs < untilMs - DAY_MS ? startMs : sinceMs, untilMs, planId };
}

async function findLastMs(session: CommandSession, key: Key): Promise<number> {
  const { items } = await listBillingEvents(toBillingDeps(session), session.context, {
    ...key,
    limit: 1,
  });
  const [last] = items;
  return last === undefined ? -1 : Date.parse(last.at);
}

/** Services of billing at an instant of the past: what was recorded by then is usage, later usage is not there yet. */
function billingAt(
  session: CommandSession,
  epochMs: number,
  settings: BillingSettings,
): BillingDeps {
  return {
    ...toBillingDeps(session),
    ...at(session, epochMs),
    billing: settings,
    cutOff: () => new Date(epochMs),
  };
}

/**
 * Takes the steps of a tenant in their order, each at its instant. Steps up to the last thing that has happened were taken by an
 * earlier run.
 *
 * @returns How many invoices were added.
 */
export async function takeSteps(
  session: CommandSession,
  key: Key,
  { steps, life, settings }: { steps: readonly Step[]; life: Life; settings: BillingSettings },
): Promise<number> {
  const lastMs = await findLastMs(session, key);
  const before = await countInvoices(session, key);
  // A running product would close the periods up to now, and leave the rest of the steps behind.
  await withClosingPaused(session.deps, key.tenantId, async (renew) => {
    for (const { atMs, run } of steps.toSorted((a, b) => a.atMs - b.atMs)) {
      session.signal.throwIfAborted();
      await renew();
      if (atMs > lastMs && atMs >= life.startMs && atMs <= life.untilMs) {
        await run(billingAt(session, atMs, settings), session.context, key);
      }
    }
  });
  return (await countInvoices(session, key)) - before;
}

/**
 * Lets demo tenants subscribe, use, change and pay over the time that the demo shows, through the use cases of the API at instants of the
 * past. What has happened to a tenant does not happen again, and an interrupted run continues.
 *
 * @returns How many invoices were added.
 */
export async function fillBilling(
  session: CommandSession,
  installed: readonly InstalledTenant[],
  window: DemoWindow,
): Promise<number> {
  const settings = toDemoSettings(toBillingDeps(session).billing);
  await ensureDemoPlans(session, window);
  let added = 0;
  for (const one of installed) {
    const key: Key = { tenantId: one.reply.tenantId, environment: "live" };
    const life = toLife(one, window);
    const own = listSteps(one.tenant.billing, life);
    const steps = own.length === 0 ? [] : [...own, ...closings(life)];
    added += await takeSteps(session, key, { steps, life, settings });
  }
  return added;
}

async function countInvoices({ deps, context }: CommandSession, key: Key): Promise<number> {
  let count = 0;
  let cursor: string | undefined;
  do {
    const page = await listInvoices(deps, context, { ...key, limit: PAGE, cursor });
    count += page.items.length;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return count;
}

/** The plan that a demo tenant has now. */
export async function readPlanId(
  { deps, context }: CommandSession,
  { reply }: Pick<InstalledTenant, "reply">,
): Promise<string> {
  return (await getEntitlement(deps, context, { tenantId: reply.tenantId })).planId;
}
