import { t } from "@lingui/core/macro";
import type { Subscription } from "#platform/billing-queries.ts";
import type { Plan } from "#platform/shared-queries.ts";
import { listSeats } from "../seats.view-model.ts";
import { isSubscribed } from "../subscription.view-model.ts";
import type { ChangeRequest } from "./change-request.view-model.ts";

export type LabelledRequest = { key: string; label: string; request: ChangeRequest };

type Subject = Pick<
  Subscription,
  "life" | "planId" | "planName" | "phase" | "pending" | "seats" | "addOns"
>;

/**
 * Lists what can be done to a subscription as it is, what undoes something first.
 *
 * @param plans - Of the catalogue, which name what is bought.
 * @returns Empty without a subscription: then a plan is chosen.
 */
export function listSubscriptionActions(
  subscription: Subject,
  plans: readonly Pick<Plan, "planId" | "name" | "phases">[],
): readonly LabelledRequest[] {
  const { life, planName: name, pending } = subscription;
  if (!isSubscribed(subscription)) {
    return [];
  }
  const cancel: LabelledRequest = {
    ...{ key: "cancel", label: t`Cancel plan`, request: { do: "cancel", name } },
  };
  if (life === "scheduled") {
    return [{ key: "cancel", label: t`Cancel start`, request: { do: "cancelStart", name } }];
  }
  if (life === "paused") {
    const resume: LabelledRequest = {
      ...{ key: "resume", label: t`Resume plan` },
      request: { do: "resume", name, isPending: false },
    };
    return [resume, cancel];
  }
  return [
    ...listUndoing(subscription),
    ...listChanges(
      subscription,
      plans.find(({ planId }) => planId === subscription.planId),
    ),
    ...(pending.pausesAt === null && pending.endsAt === null
      ? [{ key: "pause", label: t`Pause plan`, request: { do: "pause", name } as const }]
      : []),
    ...(pending.endsAt === null ? [cancel] : []),
  ];
}

function listUndoing({ planId, planName: name, pending }: Subject): readonly LabelledRequest[] {
  return [
    ...(pending.endsAt === null
      ? []
      : [
          {
            key: "uncancel",
            label: t`Undo cancellation`,
            request: { do: "uncancel", name } as const,
          },
        ]),
    ...(pending.change === null
      ? []
      : [
          {
            key: "keep",
            label: t`Keep ${name}, do not change to ${pending.change.planName}`,
            request: { do: "keep", planId, name } as const,
          },
        ]),
    ...(pending.pausesAt === null
      ? []
      : [
          {
            key: "unpause",
            label: t`Undo pause`,
            request: { do: "resume", name, isPending: true } as const,
          },
        ]),
  ];
}

function listChanges(
  subscription: Subject,
  plan: Pick<Plan, "phases"> | undefined,
): readonly LabelledRequest[] {
  return [
    ...listSeats(subscription, plan).map(({ card, name, quantity }) => ({
      key: `seats ${card}`,
      label: t`Change ${name}`,
      request: { do: "seats", card, name, quantity } as const,
    })),
    ...subscription.addOns.map(({ planId, name }) => ({
      key: `add-on ${planId}`,
      label: t`Remove ${name}`,
      request: { do: "removeAddOn", planId, name } as const,
    })),
    { key: "coupon", label: t`Redeem coupon`, request: { do: "coupon" } as const },
  ];
}

/**
 * What can be done with a plan that is offered.
 *
 * @param subscription - Undefined while it loads.
 * @returns Undefined for nothing: it is in force, or the subscription must begin or be resumed first. What costs nothing is in force
 *   without a subscription.
 */
export function toOfferAction(
  plan: Pick<Plan, "planId" | "name" | "isAddOn" | "phases">,
  subscription: Subject | undefined,
): LabelledRequest | undefined {
  const { planId, name, isAddOn } = plan;
  const { life } = subscription ?? {};
  if (subscription === undefined || life === "paused" || life === "scheduled") {
    return;
  }
  if (isAddOn) {
    return isSubscribed(subscription) && !subscription.addOns.some((one) => one.planId === planId)
      ? { key: planId, label: t`Add ${name}`, request: { do: "addOn", planId, name } }
      : undefined;
  }
  if (!isSubscribed(subscription)) {
    return subscription.planId === planId && costsNothing(plan)
      ? undefined
      : { key: planId, label: t`Choose ${name}`, request: { do: "subscribe", planId, name } };
  }
  const isComing = subscription.pending.change?.planId === planId;
  return subscription.planId === planId || isComing
    ? undefined
    : { key: planId, label: t`Change to ${name}`, request: { do: "change", planId, name } };
}

function costsNothing({ phases }: Pick<Plan, "phases">): boolean {
  return phases.every(({ rateCards }) => rateCards.every(({ price }) => price === undefined));
}
