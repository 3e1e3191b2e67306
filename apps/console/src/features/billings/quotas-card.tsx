import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { Card } from "@turnpike/ui/card";
import { MeterBar } from "@turnpike/ui/meter-bar";
import { Skeleton } from "@turnpike/ui/skeleton";
import { FailureNotice } from "#components/failure-notice.tsx";
import type { Environment } from "#platform/current-environment.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { catalogQuery, limitsQuery } from "#platform/shared-queries.ts";
import { REFRESH_MS } from "./billings.queries.ts";
import { formatPeriod, type Period, toPeriod } from "./billings.view-model.ts";
import { QuotaAlertsNote } from "./quota-alerts-note.tsx";
import { UsageByKey } from "./usage-by-key.tsx";

export type QuotasCardProps = { tenant: OwnTenant; environment: Environment };

/** What is used of each quota, and which keys used it. Nothing for a plan without quotas. */
export function QuotasCard({ tenant, environment }: QuotasCardProps) {
  const { api } = usePlatform();
  const limits = useQuery(limitsQuery(api, tenant.tenantId, { refetchMs: REFRESH_MS }));
  const catalog = useQuery(catalogQuery(api));
  const failed = [limits, catalog].find((query) => query.isError && query.data === undefined);
  if (failed !== undefined) {
    return (
      <FailureNotice
        what={t`The quotas could not be loaded.`}
        cause={failed.error}
        onRetry={() => void failed.refetch()}
      />
    );
  }
  if (limits.data === undefined || catalog.data === undefined) {
    return (
      <div role="status" aria-label={t`Loading the quotas`}>
        <Skeleton className="h-40 w-full rounded-card" />
      </div>
    );
  }
  const period = toPeriod(limits.data, catalog.data.meters, environment);
  if (period === undefined) {
    return null;
  }
  return (
    <>
      <Quotas period={period} tenant={tenant} />
      {period.lines.map((line) => (
        <UsageByKey
          key={line.meterId}
          tenantId={tenant.tenantId}
          environment={environment}
          meter={{ meterId: line.meterId, name: line.name }}
          from={period.from}
        />
      ))}
    </>
  );
}

function Quotas({ period, tenant }: { period: Period; tenant: OwnTenant }) {
  return (
    <Card title={t`Quotas`} description={t`${formatPeriod(period)}, UTC`}>
      <ul className="space-y-5">
        {period.lines.map((line) => (
          <li key={line.meterId}>
            <div className="mb-1.5 flex flex-wrap items-baseline justify-between gap-x-4">
              <h3 className="font-medium">{line.name}</h3>
              <p className="tabular-nums">{line.quantity}</p>
            </div>
            <MeterBar
              share={line.share}
              tone={line.tone}
              label={`${line.name}: ${line.quantity}`}
            />
            <p className="mt-1.5 text-ink-muted text-xs">{line.beyond}</p>
            {line.forfeited !== undefined && (
              <p className="mt-1 text-warning text-xs">{line.forfeited}</p>
            )}
          </li>
        ))}
      </ul>
      <div className="mt-5 border-line border-t pt-3">
        <QuotaAlertsNote {...tenant} />
      </div>
    </Card>
  );
}
