import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { MeterBar } from "@turnpike/ui/meter-bar";
import { Skeleton } from "@turnpike/ui/skeleton";
import { FailureNotice } from "#components/failure-notice.tsx";
import {
  type InsightList,
  insightsKey,
  insightsQueries,
} from "#components/insights/insights.queries.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { formatMinute } from "#platform/format-period.ts";
import { mayInTenant } from "#platform/may-in-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { InsightItem } from "./insight-item.tsx";

/** What changed in the usage of a tenant and what needs attention, each with its evidence and one action. */
export function InsightFeed({ tenant }: { tenant: OwnTenant }) {
  const insights = useQuery(insightsQueries.open(usePlatform().api, tenant.tenantId));
  const { data } = insights;
  if (data === undefined) {
    return insights.isError ? (
      <FailureNotice
        what="The insights could not be loaded."
        cause={insights.error}
        onRetry={() => void insights.refetch()}
      />
    ) : (
      <div role="status" aria-label="Loading the insights">
        <Skeleton className="h-64 w-full rounded-card" />
      </div>
    );
  }
  return (
    <Card
      title="What changed"
      description={
        data.checkedAt === null
          ? "Not checked yet: usage is checked each hour."
          : `Checked ${formatMinute(data.checkedAt)}, each hour while there are calls.`
      }
      {...(mayInTenant(tenant, "alerts:write") && { aside: <CheckNow tenant={tenant} /> })}
    >
      {data.items.length === 0 ? (
        data.checkedAt !== null && <p className="text-ink-muted">Nothing needs attention.</p>
      ) : (
        <ul className="divide-y divide-line">
          {data.items.map((insight) => (
            <InsightItem key={insight.insightId} tenant={tenant} insight={insight} />
          ))}
        </ul>
      )}
      <History list={data} />
    </Card>
  );
}

/** Until there is enough history, what is missing; nothing afterwards. */
function History({ list: { history } }: { list: InsightList }) {
  const { hours, needed } = history;
  if (hours >= needed) {
    return null;
  }
  const progress = `${String(hours)} of ${String(needed)} hours`;
  return (
    <div className="mt-4 max-w-sm border-line border-t pt-4">
      <p>Unusual usage is recognised once there is enough history to say what is usual.</p>
      <p className="mt-1 mb-1.5 text-ink-muted text-xs tabular-nums">{progress} of history</p>
      <MeterBar share={hours / needed} tone="accent" label={`${progress} of history`} />
    </div>
  );
}

function CheckNow({ tenant: { tenantId } }: { tenant: OwnTenant }) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const check = useMutation({
    mutationKey: ["insights", "refresh"],
    mutationFn: () => api.insights.refresh({ tenantId }),
    onSuccess: (list) => client.setQueryData(insightsQueries.open(api, tenantId).queryKey, list),
    onSettled: () => client.invalidateQueries({ queryKey: insightsKey(tenantId) }),
  });
  return (
    <div className="text-right">
      <Button progress={check.isPending ? "Checking…" : undefined} onClick={() => check.mutate()}>
        Check now
      </Button>
      {check.isError && (
        <p role="alert" className="mt-1 text-danger text-xs">
          {toErrorMessage(check.error)}
        </p>
      )}
    </div>
  );
}
