import { compareExact } from "../../money/exact.ts";
import type { Account, RunningAccount } from "../account/account.ts";
import type { BillingPlan } from "../catalog/billing-plan.ts";
import { beginAddOn, endAddOn } from "../lifecycle/add-ons.ts";
import { changePlan } from "../lifecycle/change-plan.ts";
import { changeSeats, findFee } from "../lifecycle/change-seats.ts";
import { endSubscription } from "../lifecycle/end-subscription.ts";
import { resume } from "../lifecycle/resume.ts";
import { scheduleSubscription } from "../lifecycle/schedule.ts";
import { subscribe } from "../lifecycle/subscribe.ts";
import { monthlyCost } from "../subscription/plan-interval.ts";
import { requirePlan, requireRunning } from "./require.ts";
import {
  badValue,
  readInstant,
  readMode,
  readQuantity,
  readWord,
  type StepAction,
  StepRefused,
} from "./step.ts";

const WHEN = ["now", "period_end"] as const;

/** What to do before another subscription may begin. */
const INSTEAD = {
  scheduled: "A plan is to begin already: cancel it first.",
  running: "A plan runs already: change it, or cancel it first.",
  paused: "The subscription is paused: resume it, or cancel it first.",
};

export const subscribeStep: StepAction = (account, { members, atMs }) => {
  const state = account.subscription?.state ?? "ended";
  if (state !== "ended") {
    throw new StepRefused("already_subscribed", INSTEAD[state]);
  }
  const plan = requirePlan(account, members);
  const anchorMs = readInstant(members, "anchor");
  const startMs = readInstant(members, "start") ?? atMs;
  if (startMs < atMs) {
    throw badValue("start", "use an instant that is not over.");
  }
  return startMs === atMs
    ? subscribe(account, { plan, atMs, anchorMs })
    : scheduleSubscription(account, { plan, startMs, anchorMs });
};

/** An upgrade is now, a downgrade at the end of the period. */
function isUpgrade({ subscription }: RunningAccount, plan: BillingPlan): boolean {
  const { run } = subscription;
  const seats = (key: string, standard: bigint) => run.seats.get(key) ?? standard;
  return compareExact(monthlyCost(plan, seats), monthlyCost(run.plan, seats)) >= 0;
}

export const changeStep: StepAction = (given, { members, atMs }) => {
  const account = requireRunning(given);
  const plan = requirePlan(account, members);
  const mode = readMode(account, members);
  const when = readWord(members, "when", WHEN);
  const { subscription } = account;
  if (plan === subscription.run.plan) {
    if (subscription.pendingChange === undefined) {
      throw new StepRefused("same_plan", `The plan ${plan.planId} is in force already.`);
    }
    return { ...account, subscription: { ...subscription, pendingChange: undefined } };
  }
  const isNow = when === "now" || (when === undefined && isUpgrade(account, plan));
  return isNow
    ? changePlan(account, { plan, mode, atMs, isAtEnd: false })
    : { ...account, subscription: { ...subscription, pendingChange: { plan, mode } } };
};

export const seatsStep: StepAction = (given, { members, atMs }) => {
  const account = requireRunning(given);
  const key = String(members["card"]);
  const fee = findFee(account, key);
  if (fee === undefined) {
    throw new StepRefused(
      "unknown_card",
      `There is no fee ${key} in the plan: name the key of a card without a meter.`,
    );
  }
  const mode = readMode(account, members);
  const quantity = readQuantity(members, "quantity", { allowsZero: true });
  return changeSeats(account, { run: fee.run, key, quantity, atMs, mode });
};

export const addOnStep: StepAction = (given, { members, atMs }) => {
  const account = requireRunning(given);
  const plan = requirePlan(account, members);
  const mode = readMode(account, members);
  const { run, addOns } = account.subscription;
  // Another version of it is the same add-on.
  if ([run, ...addOns].some((running) => running.plan.planId === plan.planId)) {
    throw new StepRefused("already_subscribed", `${plan.planId} runs already.`);
  }
  return beginAddOn(account, plan, { atMs, mode });
};

function cancelAddOn(
  account: RunningAccount,
  { members, atMs }: Parameters<StepAction>[1],
): Account {
  const plan = requirePlan(account, members);
  const addOn = account.subscription.addOns.find((run) => run.plan === plan);
  if (addOn === undefined) {
    throw new StepRefused(
      "unknown_plan",
      `${plan.planId} does not run as an add-on: leave the plan out to cancel everything.`,
    );
  }
  readWord(members, "when", WHEN);
  return endAddOn(account, addOn, { atMs, mode: readMode(account, members) });
}

export const cancelStep: StepAction = (given, step) => {
  const { members, atMs } = step;
  if (given.subscription?.state === "paused" || given.subscription?.state === "scheduled") {
    return { ...given, subscription: { ...given.subscription, state: "ended" } };
  }
  const account = requireRunning(given);
  if (members["plan"] !== undefined && members["plan"] !== null) {
    return cancelAddOn(account, step);
  }
  const mode = readMode(account, members);
  if (readWord(members, "when", WHEN) === "now") {
    return endSubscription(account, { atMs, mode, into: "ended", isAtEnd: false });
  }
  return { ...account, subscription: { ...account.subscription, pendingEnd: { mode } } };
};

export const uncancelStep: StepAction = (given) => {
  const account = requireRunning(given);
  if (account.subscription.pendingEnd === undefined) {
    throw new StepRefused("nothing_pending", "No cancellation is pending.");
  }
  return { ...account, subscription: { ...account.subscription, pendingEnd: undefined } };
};

export const pauseStep: StepAction = (given, { members, atMs }) => {
  const account = requireRunning(given);
  const mode = readMode(account, members);
  if (readWord(members, "when", WHEN) === "now") {
    return endSubscription(account, { atMs, mode, into: "paused", isAtEnd: false });
  }
  return { ...account, subscription: { ...account.subscription, pendingPause: { mode } } };
};

export const resumeStep: StepAction = (account, { atMs }) => {
  const { subscription } = account;
  if (subscription?.state === "paused") {
    return resume(account, subscription, atMs);
  }
  const running = requireRunning(account);
  if (running.subscription.pendingPause === undefined) {
    throw new StepRefused("not_paused", "The subscription is not paused, and no pause is pending.");
  }
  return { ...running, subscription: { ...running.subscription, pendingPause: undefined } };
};
