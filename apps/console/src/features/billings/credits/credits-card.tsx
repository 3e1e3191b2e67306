import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { MeterBar } from "@turnpike/ui/meter-bar";
import { Skeleton } from "@turnpike/ui/skeleton";
import { type ReactNode, useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import type { BillingPlace } from "#platform/billing-queries.ts";
import { formatMoney } from "#platform/format-money.ts";
import { formatDate } from "#platform/format-period.ts";
import { usePlatform } from "#platform/platform.tsx";
import { catalogQuery } from "#platform/shared-queries.ts";
import { CreditHistory } from "./credit-history.tsx";
import { type CreditGrant, type Credits, creditsQueries } from "./credits.queries.ts";
import {
  describeAlerts,
  describeGrant,
  listLiveGrants,
  nameKind,
  toDrawView,
} from "./credits.view-model.ts";

export type CreditsCardProps = {
  place: BillingPlace;
  /** Where there is no credit and nothing to do about it, the card is left out. */
  isAlwaysShown?: boolean;
  /** What can be done: beneath the grants. */
  actions?: (credits: Credits) => ReactNode;
  /** What can be done to one grant. */
  grantAction?: (grant: CreditGrant) => ReactNode;
};

/** What there is of credit, in the order in which invoices use it, and what expires next. */
export function CreditsCard({
  place,
  isAlwaysShown = false,
  actions,
  grantAction,
}: CreditsCardProps) {
  const credits = useQuery(creditsQueries.credits(usePlatform().api, place));
  const { data } = credits;
  if (data === undefined) {
    return credits.isError ? (
      <Card title={t`Credits`}>
        <FailureNotice
          what={t`The credits could not be loaded.`}
          cause={credits.error}
          onRetry={() => void credits.refetch()}
        />
      </Card>
    ) : (
      <div role="status" aria-label={t`Loading the credits`}>
        <Skeleton className="h-32 w-full rounded-card" />
      </div>
    );
  }
  const isNothing = data.grants.length === 0 && data.topUps === null && data.draw === null;
  if (!isAlwaysShown && isNothing) {
    return null;
  }
  return (
    <Facts credits={data} place={place} grantAction={grantAction}>
      {actions?.(data)}
    </Facts>
  );
}

type FactsProps = {
  credits: Credits;
  place: BillingPlace;
  grantAction: CreditsCardProps["grantAction"];
  children: ReactNode;
};

function Facts({ credits, place, grantAction, children }: FactsProps) {
  const [isHistoryOpen, setIsHistoryOpen] = useState(false);
  const { currency, promotional, prepaid, nextExpiry } = credits;
  const live = listLiveGrants(credits);
  return (
    <Card
      title={t`Credits`}
      description={
        credits.draw === null
          ? t`Invoices use them by themselves, in this order.`
          : t`Calls draw on them, in this order.`
      }
    >
      <LeftNow credits={credits} />
      {credits.draw !== null && (
        <p className="mb-2 text-ink-muted text-xs">
          <Trans>Held, until the invoice of the period takes what calls have drawn</Trans>
        </p>
      )}
      <dl className="grid grid-cols-2 gap-4">
        <Figure
          label={t`Promotional`}
          amount={promotional}
          note={t`Lowers charges before tax`}
          currency={currency}
        />
        <Figure
          label={t`Prepaid`}
          amount={prepaid}
          note={t`Pays charges with tax`}
          currency={currency}
        />
      </dl>
      {nextExpiry !== null && (
        <p className="mt-3 text-sm">
          <Trans>
            {formatMoney(nextExpiry.amount, currency)} expires on {formatDate(nextExpiry.at)}.
          </Trans>
        </p>
      )}
      {live.length === 0 ? (
        <p className="mt-3 text-ink-muted">
          <Trans>There is no credit at the moment.</Trans>
        </p>
      ) : (
        <ol className="mt-3 divide-y divide-line border-line border-t">
          {live.map((grant) => (
            <li key={grant.grantId} className="flex items-start justify-between gap-3 py-2">
              <div className="min-w-0">
                <p className="[overflow-wrap:anywhere]">
                  <span className="font-medium">{nameKind(grant)}</span>{" "}
                  <span className="text-ink-muted">{grant.isBought ? "" : grant.reason}</span>
                </p>
                <p className="text-ink-muted text-xs">{describeGrant(grant)}</p>
                {grantAction?.(grant)}
              </div>
              <p className="shrink-0 text-right tabular-nums">
                {formatMoney(grant.left, currency)}
                {grant.left !== grant.granted && (
                  <span className="block text-ink-muted text-xs">
                    <Trans>of {formatMoney(grant.granted, currency)}</Trans>
                  </span>
                )}
              </p>
            </li>
          ))}
        </ol>
      )}
      {children}
      {credits.grants.length > 0 && (
        <Button
          look="quiet"
          size="small"
          className="mt-3 -ml-2.5"
          onClick={() => setIsHistoryOpen(true)}
        >
          <Trans>Show the history</Trans>
        </Button>
      )}
      <CreditHistory
        place={place}
        currency={currency}
        isOpen={isHistoryOpen}
        onClose={() => setIsHistoryOpen(false)}
      />
    </Card>
  );
}

/** From this share on little is left. */
const LOW = 0.2;

/** What a prepaid plan has left, while calls draw on it. */
function LeftNow({ credits }: { credits: Credits }) {
  const catalog = useQuery({
    ...catalogQuery(usePlatform().api),
    enabled: credits.draw !== null,
  });
  const unitOf = (meterId: string) =>
    catalog.data?.meters.find((meter) => meter.meterId === meterId)?.unit ?? meterId;
  const view = toDrawView(credits, unitOf);
  if (view === undefined) {
    return null;
  }
  return (
    <div className="mb-4 border-line border-b pb-4">
      <p className="text-ink-muted text-xs">
        <Trans>Left now, to pay for usage and its tax</Trans>
      </p>
      <p className="mb-1.5 font-semibold text-2xl tabular-nums">{view.left}</p>
      <MeterBar
        share={view.share}
        tone={view.isEmpty ? "danger" : view.share < LOW ? "warning" : "accent"}
        label={t`Credit left: ${view.left}`}
      />
      <p className="mt-1.5 text-ink-muted text-xs tabular-nums">{view.drawn}</p>
      <p className={`mt-2 text-sm ${view.isEmpty ? "text-danger" : ""}`}>{view.says}</p>
      {credits.environment === "live" && (
        <p className="mt-1 text-ink-muted text-xs">{describeAlerts(credits)}</p>
      )}
    </div>
  );
}

type FigureProps = { label: string; amount: string; note: string; currency: string };

function Figure({ label, amount, note, currency }: FigureProps) {
  return (
    <div>
      <dt className="text-ink-muted text-xs">{label}</dt>
      <dd>
        <span className="block font-semibold text-xl tabular-nums">
          {formatMoney(amount, currency)}
        </span>
        <span className="text-ink-muted text-xs">{note}</span>
      </dd>
    </div>
  );
}
