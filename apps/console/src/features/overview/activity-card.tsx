import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Card } from "@turnpike/ui/card";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { Skeleton } from "@turnpike/ui/skeleton";
import { toActivityObject } from "#components/activity.view-model.ts";
import { toActivityTitle } from "#components/activity-titles.ts";
import { FailureNotice } from "#components/failure-notice.tsx";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { mayInTenant } from "#platform/may-in-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { overviewQueries } from "./overview.queries.ts";

/** What happened last, for those who may read the audit trail. */
export function ActivityCard({ tenant }: { tenant: OwnTenant }) {
  return mayInTenant(tenant, "audit:read") ? <Activity tenant={tenant} /> : null;
}

function Activity({ tenant }: { tenant: OwnTenant }) {
  const { api } = usePlatform();
  const activity = useQuery(overviewQueries.activity(api, tenant.tenantId));
  const people = useQuery(overviewQueries.people(api, tenant.tenantId));
  return (
    <Card title={t`Recent activity`}>
      {activity.isError ? (
        <FailureNotice
          what={t`The activity could not be loaded.`}
          cause={activity.error}
          onRetry={() => void activity.refetch()}
        />
      ) : activity.data === undefined ? (
        <Skeleton className="h-24 w-full" />
      ) : activity.data.length === 0 ? (
        <p className="text-ink-muted">
          <Trans>Nothing has happened yet.</Trans>
        </p>
      ) : (
        <ul className="grid gap-x-10 gap-y-2.5 lg:grid-cols-2">
          {activity.data.map((entry) => (
            <li key={entry.auditId} className="flex items-baseline justify-between gap-3">
              <span className="min-w-0 [overflow-wrap:anywhere]">
                {toActivityTitle(entry.action, entry.details)}
                <span className="text-ink-muted"> {toActivityObject(entry, people.data)}</span>
              </span>
              <span className="shrink-0 text-ink-muted text-xs">
                <RelativeTime at={entry.occurredAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
