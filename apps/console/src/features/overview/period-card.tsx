import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import { Card } from "@turnpike/ui/card";
import { Explanation } from "@turnpike/ui/explanation";
import { MeterBar } from "@turnpike/ui/meter-bar";
import { Skeleton } from "@turnpike/ui/skeleton";
import { FailureNotice } from "#components/failure-notice.tsx";
import { ProjectedLine } from "#components/forecast/projected-line.tsx";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { formatCount, formatDayUtc } from "#platform/format.ts";
import { mayInTenant } from "#platform/may-in-tenant.ts";
import { findMeterName } from "#platform/name-meter.ts";
import { usePlatform } from "#platform/platform.tsx";
import { catalogQuery, type Limits, TIGHT_SHARE } from "#platform/shared-queries.ts";

/** Why it is less than the requests above. */
const BILLABLE_MEANING = t`Units of calls with live keys in this period, answered with 2xx or 304. Denied calls, errors and calls with test keys cost nothing and are excluded.`;

/** What was used of each quota in the running period, with live keys. */
export function PeriodCard({
  tenant,
  limits,
}: {
  tenant: OwnTenant;
  limits: UseQueryResult<Limits>;
}) {
  return (
    <Card
      title={t`This period`}
      aside={
        <Link to="/billings" className="font-medium text-sm underline underline-offset-4">
          <Trans>Billings</Trans>
        </Link>
      }
    >
      <div className="space-y-4">
        <PeriodBody limits={limits} />
        {mayInTenant(tenant, "billing:read") && <ProjectedLine tenantId={tenant.tenantId} />}
      </div>
    </Card>
  );
}

function PeriodBody({ limits }: { limits: UseQueryResult<Limits> }) {
  const catalog = useQuery(catalogQuery(usePlatform().api));
  const nameOf = (meter: string) =>
    meter === REQUESTS_METER
      ? t`Billable requests`
      : (findMeterName(catalog.data?.meters ?? [], meter) ?? meter);
  if (limits.isError && limits.data === undefined) {
    return (
      <FailureNotice
        what={t`The limits could not be loaded.`}
        cause={limits.error}
        onRetry={() => void limits.refetch()}
      />
    );
  }
  if (limits.data === undefined) {
    return <Skeleton className="h-16 w-full" />;
  }
  const quotas = limits.data.quotas.filter(({ environment }) => environment === "live");
  if (quotas.length === 0) {
    return (
      <p className="text-ink-muted">
        <Trans>The plan has no quotas.</Trans>
      </p>
    );
  }
  return (
    <ul className="space-y-4">
      {quotas.map((quota) => {
        const share = quota.limit === 0 ? 1 : Number(quota.used) / quota.limit;
        const text = t`${formatCount(quota.used)} of ${formatCount(quota.limit)}`;
        return (
          <li key={quota.meter}>
            <div className="mb-1.5 flex items-baseline justify-between gap-3">
              <span className="inline-flex items-center gap-1 font-medium">
                {nameOf(quota.meter)}
                {quota.meter === REQUESTS_METER && (
                  <Explanation subject={nameOf(quota.meter)}>{BILLABLE_MEANING}</Explanation>
                )}
              </span>
              <span className="tabular-nums">{text}</span>
            </div>
            <MeterBar
              share={share}
              tone={share >= 1 ? "danger" : share >= TIGHT_SHARE ? "warning" : "accent"}
              label={`${nameOf(quota.meter)}: ${text}`}
            />
            <p className="mt-1.5 text-ink-muted text-xs tabular-nums">
              <Trans>
                {formatCount(quota.remaining)} left until {formatDayUtc(quota.resetAt)}, UTC
              </Trans>
            </p>
          </li>
        );
      })}
    </ul>
  );
}
