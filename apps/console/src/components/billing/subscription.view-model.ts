import { t } from "@lingui/core/macro";
import type { Tone } from "@turnpike/ui/badge";
import type { Subscription } from "#platform/billing-queries.ts";
import { formatDate } from "#platform/format-period.ts";

export type StateBadge = { tone: Tone; label: string };

const LIVES = {
  none: { tone: "neutral", label: t`No subscription` },
  scheduled: { tone: "info", label: t`Scheduled` },
  trialing: { tone: "info", label: t`Trial` },
  active: { tone: "ok", label: t`Active` },
  paused: { tone: "warning", label: t`Paused` },
  ended: { tone: "neutral", label: t`Ended` },
} as const satisfies Record<Subscription["life"], StateBadge>;

const STANDINGS = {
  current: undefined,
  out_of_credit: { tone: "danger", label: t`Out of credit` },
  overdue: { tone: "warning", label: t`Payment overdue` },
  grace: { tone: "warning", label: t`Grace period` },
  blocked: { tone: "danger", label: t`Calls denied` },
  capped: { tone: "danger", label: t`Spend cap reached` },
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

/** What someone asked for that is still to happen to the subscription, one sentence each. */
export function listPending({ pending }: Pick<Subscription, "pending">): readonly string[] {
  return [
    ...(pending.change === null
      ? []
      : [t`Changes to ${pending.change.planName} on ${formatDate(pending.change.at)}.`]),
    ...(pending.pausesAt === null ? [] : [t`Pauses on ${formatDate(pending.pausesAt)}.`]),
    ...(pending.endsAt === null
      ? []
      : [t`Ends on ${formatDate(pending.endsAt)} and does not renew.`]),
  ];
}

/** What is going to happen to the subscription by itself or because someone asked for it, one sentence each. */
export function toComing(
  subscription: Pick<Subscription, "life" | "trialEndsAt" | "pending" | "periodTo">,
): readonly string[] {
  const { life, trialEndsAt, periodTo } = subscription;
  const pending = listPending(subscription);
  return [
    ...(life === "trialing" && trialEndsAt !== null
      ? [t`The trial ends on ${formatDate(trialEndsAt)}.`]
      : []),
    ...pending,
    ...(life === "active" && pending.length === 0 && periodTo !== null
      ? [t`Renews on ${formatDate(periodTo)}.`]
      : []),
  ];
}
