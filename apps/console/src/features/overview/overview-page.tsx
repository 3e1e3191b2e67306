import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { keepPreviousData, type UseQueryResult, useQuery } from "@tanstack/react-query";
import { Link, Navigate } from "@tanstack/react-router";
import { ButtonLink } from "@turnpike/ui/button-link";
import { useState } from "react";
import { InsightNotes } from "#components/insights/insight-notes.tsx";
import type { Insight } from "#components/insights/insights.queries.ts";
import { KINDS } from "#components/insights/insights.view-model.ts";
import { Page } from "#components/page.tsx";
import { PinnedQuestions } from "#components/questions/pinned-questions.tsx";
import { TenantGate } from "#components/tenant-gate.tsx";
import { KpiRow } from "#components/usage/kpi-row.tsx";
import { RequestsCard } from "#components/usage/requests-card.tsx";
import { readOwnTimeZone } from "#platform/chart-formats.ts";
import { useCurrentEnvironment } from "#platform/current-environment.ts";
import { type OwnTenant, useTenantVisit } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { limitsQuery } from "#platform/shared-queries.ts";
import { useVerifiedUser } from "#platform/verified-user.ts";
import { ActivityCard } from "./activity-card.tsx";
import { AttentionCard } from "./attention-card.tsx";
import { overviewQueries, REFRESH_MS } from "./overview.queries.ts";
import { toOverviewFailure } from "./overview-failure.ts";
import { PeriodCard } from "./period-card.tsx";
import { SetupProgress } from "./setup-progress.tsx";

/** `/overview`: this period at a glance. */
export function OverviewPage() {
  const { user, tenants } = useVerifiedUser();
  const visit = useTenantVisit();
  if (user.isOperator && tenants.length === 0 && visit.state === "none") {
    // Their glance is at the whole installation.
    return <Navigate to="/operator" replace />;
  }
  return (
    <Page
      title={t`Overview`}
      purpose={t`Traffic, reliability and open issues: the last 30 days and the current period at a glance.`}
      action={
        <ButtonLink link={<Link to="/analytics" />}>
          <Trans>Open analytics</Trans>
        </ButtonLink>
      }
    >
      <TenantGate>{(tenant) => <Overview key={tenant.tenantId} tenant={tenant} />}</TenantGate>
    </Page>
  );
}

function Overview({ tenant }: { tenant: OwnTenant }) {
  const { api } = usePlatform();
  const [shown, setShown] = useState<"chart" | "table">("chart");
  const environment = useCurrentEnvironment();
  const timeZone = readOwnTimeZone();
  const scope = { tenantId: tenant.tenantId, environment, timeZone };
  const limits = useQuery(limitsQuery(api, tenant.tenantId, { refetchMs: REFRESH_MS }));
  const figures = useQuery({
    ...overviewQueries.figures(api, scope),
    placeholderData: keepPreviousData,
  });
  const outcomes = useQuery({
    ...overviewQueries.outcomes(api, scope),
    placeholderData: keepPreviousData,
  });
  const isNew = figures.data?.totals.requests === 0;
  return (
    <div className="space-y-4">
      {tenant.isVisited !== true && (
        <SetupProgress
          tenantId={tenant.tenantId}
          createdAt={tenant.createdAt}
          hasCalls={figures.data && (figures.data.totals.requests ?? 0) > 0}
        />
      )}
      <KpiRow
        report={withFollowableAdvice(figures)}
        against={t`vs. previous period, same weekdays`}
        link={<Link to="/analytics" />}
      />
      <div className="grid gap-4 lg:grid-cols-3">
        <div className="grid min-w-0 lg:col-span-2">
          <RequestsCard
            report={withFollowableAdvice(outcomes)}
            title={t`Requests in the last 30 days`}
            ask="requests per day"
            grain="day"
            timeZone={timeZone}
            shown={shown}
            onShow={setShown}
            empty={isNew ? <FirstCallHint isVisited={tenant.isVisited === true} /> : undefined}
          />
        </div>
        {/* The last of them takes what is left beside the chart. */}
        <div className="flex min-w-0 flex-col gap-4 [&>:last-child]:grow">
          <PeriodCard tenant={tenant} limits={limits} />
          <AttentionCard tenant={tenant} limits={limits.data} />
        </div>
      </div>
      <InsightNotes tenant={tenant} title={t`What changed`} isShown={isBesideAttention} />
      <PinnedQuestions tenant={tenant} />
      <ActivityCard tenant={tenant} />
    </div>
  );
}

/** "Needs attention" tells of quotas and of keys that expire. */
function isBesideAttention({ kind }: Insight): boolean {
  return KINDS[kind].topic !== "plan" && kind !== "key_expiring";
}

function withFollowableAdvice<Result extends UseQueryResult>(report: Result): Result {
  return { ...report, error: toOverviewFailure(report.error) };
}

function FirstCallHint({ isVisited }: { isVisited: boolean }) {
  return isVisited ? (
    <p className="text-ink-muted">
      <Trans>No calls yet.</Trans>
    </p>
  ) : (
    <p className="text-ink-muted">
      <Trans>
        No calls yet. The{" "}
        <Link to="/quickstart" className="font-medium text-ink underline underline-offset-4">
          quickstart
        </Link>{" "}
        has one to copy.
      </Trans>
    </p>
  );
}
