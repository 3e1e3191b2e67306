import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Badge } from "@turnpike/ui/badge";
import { ButtonLink } from "@turnpike/ui/button-link";
import { Card } from "@turnpike/ui/card";
import { joinClasses } from "@turnpike/ui/join-classes";
import { Skeleton } from "@turnpike/ui/skeleton";
import { listSeats } from "#components/billing/seats.view-model.ts";
import { toStateBadges } from "#components/billing/subscription.view-model.ts";
import { FailureNotice } from "#components/failure-notice.tsx";
import {
  type BillingPlace,
  type Subscription,
  subscriptionQuery,
} from "#platform/billing-queries.ts";
import { formatCount } from "#platform/format.ts";
import { formatMoney, isZero } from "#platform/format-money.ts";
import { formatDate } from "#platform/format-period.ts";
import { usePlatform } from "#platform/platform.tsx";
import { inLanguage } from "#platform/server-words/server-words.ts";
import { catalogQuery } from "#platform/shared-queries.ts";

/** The plan in force, credit, and everything that is going to happen. */
export function SubscriptionCard({ place }: { place: BillingPlace }) {
  const { api } = usePlatform();
  const subscription = useQuery(subscriptionQuery(api, place));
  if (subscription.data === undefined) {
    return (
      <Card title={t`Plan`}>
        {subscription.isError ? (
          <FailureNotice
            what={t`The subscription could not be loaded.`}
            cause={subscription.error}
            onRetry={() => void subscription.refetch()}
          />
        ) : (
          <div role="status" aria-label={t`Loading the subscription`} className="space-y-3">
            <Skeleton className="h-7 w-32" />
            <Skeleton className="h-24 w-full" />
          </div>
        )}
      </Card>
    );
  }
  return <Facts subscription={subscription.data} />;
}

function Facts({ subscription }: { subscription: Subscription }) {
  const { api } = usePlatform();
  // Names what is bought; without it the card only says less.
  const catalog = useQuery(catalogQuery(api)).data;
  const plan = catalog?.plans.find(({ planId }) => planId === subscription.planId);
  const { planName, addOns, coupons, balance, currency } = subscription;
  const dates = subscription.dates.map(({ text, ...date }) => ({
    ...date,
    text: inLanguage(text),
  }));
  return (
    <Card
      title={t`Plan`}
      aside={
        <div className="flex flex-wrap justify-end gap-1.5">
          {toStateBadges(subscription).map(({ tone, label }) => (
            <Badge key={label} tone={tone}>
              {label}
            </Badge>
          ))}
        </div>
      }
    >
      <p className="font-semibold text-lg [overflow-wrap:anywhere]">{planName}</p>
      <ul className="mt-1 space-y-0.5 text-ink-muted">
        {listSeats(subscription, plan).map(({ card, name, quantity }) => (
          <li key={card}>
            {name}: {formatCount(quantity)}
          </li>
        ))}
        {addOns.map(({ planId, name, since }) => (
          <li key={planId}>
            <Trans>
              {name}, since {formatDate(since)}
            </Trans>
          </li>
        ))}
        {coupons.map(({ couponId, name, text }) => (
          <li key={couponId}>
            {name}: {text}
          </li>
        ))}
      </ul>
      {!isZero(balance) && (
        <p className="mt-3">
          <Trans>
            Balance{" "}
            <span className="font-medium tabular-nums">{formatMoney(balance, currency)}</span>
            <span className="block text-ink-muted text-xs">Your next invoice takes it first.</span>
          </Trans>
        </p>
      )}
      <h3 className="mt-4 mb-1 font-medium">
        <Trans>Upcoming</Trans>
      </h3>
      {dates.length === 0 ? (
        <p className="text-ink-muted">
          <Trans>No date is set.</Trans>
        </p>
      ) : (
        <ol className="space-y-1.5">
          {dates.map(({ at, kind, text }) => (
            <li key={`${at} ${kind} ${text}`} className="flex gap-3">
              <time
                dateTime={at}
                className={joinClasses(
                  "w-24 shrink-0 whitespace-nowrap tabular-nums",
                  // What is due stays in the list until it is paid.
                  at <= subscription.now ? "font-medium text-danger" : "text-ink-muted",
                )}
              >
                {formatDate(at)}
              </time>
              <span className="min-w-0">{at <= subscription.now ? t`Overdue: ${text}` : text}</span>
            </li>
          ))}
        </ol>
      )}
      <p className="mt-4">
        <ButtonLink link={<Link to="/plans" />}>
          <Trans>Compare or change plans</Trans>
        </ButtonLink>
      </p>
    </Card>
  );
}
