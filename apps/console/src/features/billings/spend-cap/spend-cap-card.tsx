import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { Card } from "@turnpike/ui/card";
import { MeterBar } from "@turnpike/ui/meter-bar";
import { Skeleton } from "@turnpike/ui/skeleton";
import type { ReactNode } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import type { BillingPlace } from "#platform/billing-queries.ts";
import { formatMoney } from "#platform/format-money.ts";
import { usePlatform } from "#platform/platform.tsx";
import { type SpendCap, spendCapQuery } from "./spend-cap.queries.ts";
import { describeShares, describeSource, toCapInForce, toneOf } from "./spend-cap.view-model.ts";

export type SpendCapCardProps = {
  place: BillingPlace;
  /** What can be done: beneath the state. */
  actions: (cap: SpendCap) => ReactNode;
};

/** What a tenant may spend in a period, how far it is, and what stops there. There is no cap in the sandbox. */
export function SpendCapCard({ place, actions }: SpendCapCardProps) {
  const { api } = usePlatform();
  const isLive = place.environment === "live";
  const query = useQuery({ ...spendCapQuery(api, place), enabled: isLive });
  if (!isLive) {
    return null;
  }
  if (query.data === undefined) {
    return query.isError ? (
      <Card title={t`Spend cap`}>
        <FailureNotice
          what={t`The spend cap could not be loaded.`}
          cause={query.error}
          onRetry={() => void query.refetch()}
        />
      </Card>
    ) : (
      <div role="status" aria-label={t`Loading the spend cap`}>
        <Skeleton className="h-28 w-full rounded-card" />
      </div>
    );
  }
  return (
    <Card title={t`Spend cap`} description={t`Before credits and tax, in a billing period.`}>
      <State cap={query.data} />
      {actions(query.data)}
    </Card>
  );
}

function State({ cap }: { cap: SpendCap }) {
  const inForce = toCapInForce(cap);
  const source = describeSource(cap);
  if (inForce === undefined) {
    return (
      <p className="text-ink-muted">
        {cap.cap === null
          ? t`There is no cap: usage is charged as it comes.`
          : t`The cap of ${formatMoney(cap.cap, cap.currency)} counts as soon as a plan with a price runs.`}
      </p>
    );
  }
  return (
    <>
      <p className="mb-1.5 font-semibold tabular-nums">{inForce.spent}</p>
      <MeterBar
        share={inForce.share}
        tone={toneOf(inForce)}
        label={t`Spend cap: ${inForce.spent}`}
      />
      <p className={`mt-2 text-sm ${inForce.isReached ? "text-danger" : ""}`}>{inForce.says}</p>
      <p className="mt-1.5 text-ink-muted text-xs">{describeShares(cap.shares)}</p>
      {source !== undefined && <p className="mt-1 text-ink-muted text-xs">{source}</p>}
    </>
  );
}
