import type { Tone } from "@turnpike/ui/badge";
import type { Subscription } from "#platform/billing-queries.ts";
import { formatDate } from "#platform/format-period.ts";

export type StateBadge = { tone: Tone; label: string };

const LIVES = {
  none: { tone: "neutral", label: "No subscription" },
  scheduled: { tone: "info", label: "Scheduled" },
  trialing: { tone: "info", label: "Trial" },
  active: { tone: "ok", label: "Active" },
  paused: { tone: "warning", label: "Paused" },
  ended: { tone: "neutral", label: "Ended" },
} as const satisfies Record<Subscription["life"], StateBadge>;

const STANDINGS = {
  current: undefined,
  out_of_credit: { tone: "danger", label: "Out of credit" },
  overdue: { tone: "warning", label: "Payment overdue" },
  grace: { tone: "warning", label: "Grace period" },
  blocked: { tone: "danger", label: "Calls refused" },
  capped: { tone: "danger", label: "Spend cap reached" },
} as const satisfies Record<Subscription["standing"], StateBadge | undefined>;

/** The badge of a payment standing; undefined for one that is in order. */
export function findStandingBadge(standing: Subscription["standing"]): StateBadge | undefined {
  return STANDINGS[standing];
}

/** The states of a subscription: its life, and its standing where it is not in order. */
export function toStateBadges({
  life,
  standing,
}: Pick<Subscription, "life" | "standing">): readonly StateBadge[] {
  const second = findStandingBadge(standing);
  return second === undefined ? [LIVES[life]] : [LIVES[life], second];
}

/** True while there is a subscription that can be changed. */
export function isSubscribed({ life }: Pick<Subscription, "life">): boolean {
  return life !== "none" && life !== "ended";
}

/**
 * What is going to happen to the subscription by itself or because someone asked for it, one sentence each.
 *
 * @param nameOf - The name of a plan by its id.
 */
export function toComing(
  subscription: Pick<Subscription, "life" | "trialEndsAt" | "pending" | "periodTo">,
  nameOf: (planId: string) => string,
): readonly string[] {
  const { life, trialEndsAt, pending, periodTo } = subscription;
  const hasPending = Object.values(pending).some((what) => what !== null);
  return [
    ...(life === "trialing" && trialEndsAt !== null
      ? [`The trial ends on ${formatDate(trialEndsAt)}.`]
      : []),
    ...(pending.change === null
      ? []
      : [`Changes to ${nameOf(pending.change.planId)} on ${formatDate(pending.change.at)}.`]),
    ...(pending.pausesAt === null ? [] : [`Pauses on ${formatDate(pending.pausesAt)}.`]),
    ...(pending.endsAt === null
      ? []
      : [`Ends on ${formatDate(pending.endsAt)} and does not renew.`]),
    ...(life === "active" && !hasPending && periodTo !== null
      ? [`Renews on ${formatDate(periodTo)}.`]
      : []),
  ];
}
