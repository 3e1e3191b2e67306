import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { Skeleton } from "@turnpike/ui/skeleton";
import type { RefObject } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import {
  type BillingPlace,
  type Subscription,
  subscriptionQuery,
} from "#platform/billing-queries.ts";
import { formatCount } from "#platform/format.ts";
import { formatMoney, isZero } from "#platform/format-money.ts";
import { formatDate, formatSpan } from "#platform/format-period.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { Plan } from "#platform/shared-queries.ts";
import { listSeats } from "../seats.view-model.ts";
import { toComing, toStateBadges } from "../subscription.view-model.ts";
import type { ChangeRequest } from "./change-request.view-model.ts";
import { listSubscriptionActions } from "./subscription-actions.view-model.ts";

export type SubscriptionPanelProps = {
  place: BillingPlace;
  /** Of the catalogue, which name what is bought. */
  plans: readonly Plan[];
  /** Why the person cannot change the plan, and who can; undefined when they can. */
  refusal: string | undefined;
  /** Takes the heading, which has the focus after a change. */
  headingRef: RefObject<HTMLHeadingElement | null>;
  onRequest: (request: ChangeRequest) => void;
};

/** The plan in force, what happens to it next, and everything that can be done to it. */
export function SubscriptionPanel(props: SubscriptionPanelProps) {
  const { place, plans, refusal, headingRef, onRequest } = props;
  const { api } = usePlatform();
  const subscription = useQuery(subscriptionQuery(api, place));
  if (subscription.data === undefined) {
    return subscription.isError ? (
      <div className="mb-4">
        <FailureNotice
          what={t`Your subscription could not be loaded.`}
          cause={subscription.error}
          onRetry={() => void subscription.refetch()}
        />
      </div>
    ) : (
      <div role="status" aria-label={t`Loading your subscription`} className="mb-4">
        <Skeleton className="h-40 w-full rounded-card" />
      </div>
    );
  }
  const { data } = subscription;
  const actions = listSubscriptionActions(data, plans);
  return (
    <Card
      title={data.planName}
      headingRef={headingRef}
      className="mb-4"
      description={toPeriodText(data)}
      aside={
        <div className="flex flex-wrap gap-1.5">
          {toStateBadges(data).map(({ tone, label }) => (
            <Badge key={label} tone={tone}>
              {label}
            </Badge>
          ))}
        </div>
      }
    >
      <Facts subscription={data} plans={plans} />
      {refusal === undefined && actions.length > 0 && (
        <div className="mt-4 flex flex-wrap gap-2">
          {actions.map(({ key, label, request }) => (
            <Button key={key} onClick={() => onRequest(request)}>
              {label}
            </Button>
          ))}
        </div>
      )}
      {refusal !== undefined && <p className="mt-4 max-w-[72ch] text-ink-muted">{refusal}</p>}
    </Card>
  );
}

function toPeriodText({ life, startedAt, periodFrom, periodTo }: Subscription): string {
  const span = formatSpan(periodFrom, periodTo);
  if (life === "none") {
    return t`These terms apply because you have no subscription. Choose a plan below to subscribe.`;
  }
  if (life === "scheduled" && startedAt !== null) {
    return t`Begins on ${formatDate(startedAt)}, UTC. Until then your limits stay as they are.`;
  }
  return span === undefined ? t`No period is running.` : t`This period: ${span}, UTC.`;
}

type FactsProps = Pick<SubscriptionPanelProps, "plans"> & { subscription: Subscription };

function Facts({ subscription, plans }: FactsProps) {
  const plan = plans.find(({ planId }) => planId === subscription.planId);
  const { addOns, coupons, balance, currency } = subscription;
  const facts = [
    ...toComing(subscription),
    ...listSeats(subscription, plan).map(
      ({ name, quantity }) => `${name}: ${formatCount(quantity)}`,
    ),
    ...addOns.map(({ name, since }) => t`Add-on ${name}, since ${formatDate(since)}`),
    ...coupons.map(({ name, text }) => t`Coupon ${name}: ${text}`),
    ...(isZero(balance)
      ? []
      : [t`Balance: ${formatMoney(balance, currency)}, which the next invoice takes first`]),
  ];
  return facts.length === 0 ? null : (
    <ul className="space-y-1 tabular-nums">
      {facts.map((fact) => (
        <li key={fact}>{fact}</li>
      ))}
    </ul>
  );
}
