import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { SegmentedControl } from "@turnpike/ui/segmented-control";
import { Skeleton } from "@turnpike/ui/skeleton";
import { useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import type { InsightDialogs } from "#components/insights/insight-dialogs.ts";
import { type Insight, insightsQueries } from "#components/insights/insights.queries.ts";
import { rankInsights } from "#components/insights/insights.view-model.ts";
import { useKeyNames } from "#components/insights/use-key-names.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { mayInTenant } from "#platform/may-in-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { DigestChoice } from "./digest-choice.tsx";
import { InsightItem } from "./insight-item.tsx";
import { HistoryProgress, NoInsights } from "./no-insights.tsx";
import { RaisedNotice } from "./raised-notice.tsx";
import { useCheckNow } from "./use-check-now.ts";

export type InsightFeedProps = {
  tenant: OwnTenant;
  dialogs: InsightDialogs;
  /** The insight that a link names: shown first, with its evidence. */
  named?: string | undefined;
};

/** What changed in the usage of a tenant and what needs attention, each with its evidence and one action. */
export function InsightFeed(props: InsightFeedProps) {
  const { tenant } = props;
  const insights = useQuery(insightsQueries.open(usePlatform().api, tenant.tenantId));
  const { data } = insights;
  const [shown, setShown] = useState<"open" | "past">("open");
  if (data === undefined) {
    return insights.isError ? (
      <FailureNotice
        what={t`The insights could not be loaded.`}
        cause={insights.error}
        onRetry={() => void insights.refetch()}
      />
    ) : (
      <FeedSkeleton />
    );
  }
  return (
    <Card
      title={t`What changed`}
      description={
        data.checkedAt === null ? (
          t`Not checked yet: usage is checked each hour.`
        ) : (
          <Trans>
            Checked <RelativeTime at={data.checkedAt} />, each hour while there are calls.
          </Trans>
        )
      }
      aside={
        <div className="flex flex-wrap items-center gap-2">
          <DigestChoice tenant={tenant} />
          {mayInTenant(tenant, "alerts:write") && <CheckNow tenant={tenant} />}
        </div>
      }
    >
      <div className="mb-4">
        <SegmentedControl
          label={t`Which insights`}
          segments={[
            { value: "open", label: t`Open (${String(data.items.length)})` },
            { value: "past", label: t`Ended and dismissed` },
          ]}
          value={shown}
          onValueChange={setShown}
        />
      </div>
      {shown === "past" ? (
        <PastInsights {...props} />
      ) : data.items.length === 0 ? (
        <NoInsights tenant={tenant} list={data} />
      ) : (
        <InsightItems {...props} items={rankInsights(data.items)} opensFirst />
      )}
      {shown === "open" && <HistoryProgress list={data} />}
      <RaisedNotice tenant={tenant} />
    </Card>
  );
}

const SHOWN_AT_FIRST = 8;

type InsightItemsProps = InsightFeedProps & {
  items: readonly Insight[];
  /** Whether the evidence of the first anomaly is in sight. */
  opensFirst?: boolean;
};

function InsightItems({ items, opensFirst = false, named, ...props }: InsightItemsProps) {
  const [isWhole, setIsWhole] = useState(false);
  const first = items.filter(({ insightId }) => insightId === named);
  const ordered = [...first, ...items.filter(({ insightId }) => insightId !== named)];
  const openId = opensFirst
    ? ordered.find(({ evidence }) => evidence !== null)?.insightId
    : undefined;
  const shown = isWhole ? ordered : ordered.slice(0, SHOWN_AT_FIRST);
  const names = useKeyNames(props.tenant, shown);
  return (
    <>
      <ul className="divide-y divide-line">
        {shown.map((insight) => (
          <InsightItem
            key={insight.insightId}
            {...props}
            insight={insight}
            names={names}
            isOpenAtFirst={insight.insightId === openId}
          />
        ))}
      </ul>
      {shown.length < ordered.length && (
        <Button className="mt-4" onClick={() => setIsWhole(true)}>
          <Trans>Show {String(ordered.length - shown.length)} more</Trans>
        </Button>
      )}
    </>
  );
}

function PastInsights(props: InsightFeedProps) {
  const all = useQuery(insightsQueries.all(usePlatform().api, props.tenant.tenantId));
  if (all.data === undefined) {
    return all.isError ? (
      <FailureNotice
        what={t`The past insights could not be loaded.`}
        cause={all.error}
        onRetry={() => void all.refetch()}
      />
    ) : (
      <Skeleton className="h-32 w-full opacity-50" />
    );
  }
  const past = all.data.items.filter(
    ({ endedAt, dismissedAt }) => endedAt !== null || dismissedAt !== null,
  );
  return past.length === 0 ? (
    <p className="text-ink-muted">
      <Trans>Nothing has ended or was dismissed in the last 90 days.</Trans>
    </p>
  ) : (
    <InsightItems {...props} items={past} />
  );
}

function FeedSkeleton() {
  return (
    <div
      role="status"
      aria-label={t`Loading the insights`}
      className="space-y-4 rounded-card border border-line bg-surface p-5"
    >
      <Skeleton className="h-5 w-40" />
      <Skeleton className="h-8 w-56" />
      <Skeleton className="h-16 w-full opacity-50" />
      <Skeleton className="h-[260px] w-full opacity-50" />
    </div>
  );
}

function CheckNow({ tenant }: { tenant: OwnTenant }) {
  const check = useCheckNow(tenant);
  return (
    <div className="text-right">
      <Button progress={check.isPending ? t`Checking…` : undefined} onClick={() => check.mutate()}>
        <Trans>Check now</Trans>
      </Button>
      {check.isError && (
        <p role="alert" className="mt-1 text-danger text-xs">
          {toErrorMessage(check.error)}
        </p>
      )}
    </div>
  );
}
