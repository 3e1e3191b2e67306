import { t } from "@lingui/core/macro";
import type { Subscription, SubscriptionAction } from "#platform/billing-queries.ts";
import { formatDate } from "#platform/format-period.ts";

/** What a person asked to change, before the details are known. */
export type ChangeRequest =
  | { do: "subscribe"; planId: string; name: string }
  | { do: "change"; planId: string; name: string }
  /** Drops the change that is pending. */
  | { do: "keep"; planId: string; name: string }
  | { do: "seats"; card: string; name: string; quantity: string }
  | { do: "addOn"; planId: string; name: string }
  | { do: "removeAddOn"; planId: string; name: string }
  | { do: "cancel"; name: string }
  /** Cancels a plan that has not begun. */
  | { do: "cancelStart"; name: string }
  | { do: "uncancel"; name: string }
  | { do: "pause"; name: string }
  | { do: "resume"; name: string; isPending: boolean }
  | { do: "coupon" };

export type When = "now" | "period_end";

/** What is typed or chosen in the dialog of a change. */
export type ChangeDetails = {
  /** Undefined: the billing engine decides, an upgrade now and a downgrade at the end. */
  when: When | undefined;
  /** The day on which a plan begins, such as 2026-12-01, at midnight UTC; empty: at once. */
  startsOn: string;
  /** New number of seats; null while nothing is typed. */
  seats: number | null;
  couponId: string;
  /** Why the plan is cancelled, for the operator. */
  reason: string;
};

/** The details that a dialog begins with. */
export function toFirstDetails(request: ChangeRequest): ChangeDetails {
  return {
    when: request.do === "cancel" || request.do === "pause" ? "period_end" : undefined,
    startsOn: "",
    seats: request.do === "seats" ? Number(request.quantity) : null,
    couponId: "",
    reason: "",
  };
}

/**
 * What is asked of the billing engine.
 *
 * @returns Undefined while something is missing.
 */
export function toAction(
  request: ChangeRequest,
  { when, startsOn, seats, couponId, reason }: ChangeDetails,
): SubscriptionAction | undefined {
  switch (request.do) {
    case "subscribe":
      return {
        ...{ do: "subscribe", planId: request.planId },
        ...(startsOn === "" ? {} : { startsAt: `${startsOn}T00:00:00Z` }),
      };
    case "addOn":
    case "removeAddOn":
      return { do: request.do, planId: request.planId };
    case "keep":
      return { do: "change", planId: request.planId };
    case "change":
      return { do: "change", planId: request.planId, ...(when === undefined ? {} : { when }) };
    case "seats":
      return seats === null ||
        !Number.isInteger(seats) ||
        seats < 0 ||
        String(seats) === request.quantity
        ? undefined
        : { do: "seats", card: request.card, quantity: String(seats) };
    case "cancel":
      return {
        do: "cancel",
        when: when ?? "period_end",
        ...(reason.trim() === "" ? {} : { reason: reason.trim() }),
      };
    case "cancelStart":
      return { do: "cancel", when: "now" };
    case "pause":
      return { do: "pause", when: when ?? "period_end" };
    case "uncancel":
    case "resume":
      return { do: request.do };
    case "coupon":
      return couponId.trim() === "" ? undefined : { do: "coupon", couponId: couponId.trim() };
    default:
      return request satisfies never;
  }
}

/** The heading of the dialog of a change. */
export function toChangeTitle(request: ChangeRequest): string {
  switch (request.do) {
    case "subscribe":
      return t`Choose ${request.name}`;
    case "change":
      return t`Change to ${request.name}`;
    case "keep":
      return t`Keep ${request.name}`;
    case "seats":
      return t`Change ${request.name}`;
    case "addOn":
      return t`Add ${request.name}`;
    case "removeAddOn":
      return t`Remove ${request.name}`;
    case "cancel":
    case "cancelStart":
      return t`Cancel ${request.name}`;
    case "uncancel":
      return t`Keep ${request.name}`;
    case "pause":
      return t`Pause ${request.name}`;
    case "resume":
      return request.isPending ? t`Do not pause ${request.name}` : t`Resume ${request.name}`;
    case "coupon":
      return t`Redeem a coupon`;
    default:
      return request satisfies never;
  }
}

/** What is said once it is done. */
export function toDoneText(
  request: ChangeRequest,
  { planName, pending, life, startedAt }: Subscription,
): string {
  switch (request.do) {
    case "subscribe":
      return life === "scheduled" && startedAt !== null
        ? t`${request.name} begins on ${formatDate(startedAt)}.`
        : t`${request.name} is your plan now.`;
    case "change":
      return pending.change === null
        ? t`${request.name} is your plan now.`
        : t`${planName} changes to ${request.name} at the end of the period.`;
    case "keep":
    case "uncancel":
      return t`${request.name} stays your plan.`;
    case "seats":
      return t`${request.name} changed.`;
    case "addOn":
      return t`${request.name} was added.`;
    case "removeAddOn":
      return t`${request.name} was removed.`;
    case "cancel":
      return pending.endsAt === null
        ? t`${request.name} has ended.`
        : t`${request.name} ends with the period.`;
    case "cancelStart":
      return t`${request.name} does not begin.`;
    case "pause":
      return pending.pausesAt === null
        ? t`${request.name} is paused.`
        : t`${request.name} pauses with the period.`;
    case "resume":
      return request.isPending ? t`${request.name} goes on.` : t`${request.name} is active again.`;
    case "coupon":
      return t`The coupon was redeemed.`;
    default:
      return request satisfies never;
  }
}
