import { useQuery } from "@tanstack/react-query";
import { Badge } from "@turnpike/ui/badge";
import { MeterBar } from "@turnpike/ui/meter-bar";
import { Skeleton } from "@turnpike/ui/skeleton";
import type { ReactNode } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { formatCount } from "#platform/format.ts";
import { usePlatform } from "#platform/platform.tsx";
import { type Limits, operatorQueries, type TenantId } from "./operator.queries.ts";
import { toQuotaView, toRateLimitLine, toStatusRows } from "./usage.view-model.ts";

/** What a tenant has used in this period, against its quotas and by HTTP status. */
export function UsagePanel({ tenantId }: { tenantId: TenantId }) {
  const { api } = usePlatform();
  const limits = useQuery(operatorQueries.limits(api, tenantId));
  return (
    <>
      <Part title="This period against the quota">
        {limits.isError ? (
          <FailureNotice
            what="The limits could not be loaded."
            cause={limits.error}
            onRetry={() => void limits.refetch()}
          />
        ) : limits.data === undefined ? (
          <PartSkeleton label="Loading limits" />
        ) : (
          <LimitsReport limits={limits.data} />
        )}
      </Part>
      {limits.data !== undefined && (
        <StatusPart tenantId={tenantId} from={limits.data.quotas[0]?.periodStart} />
      )}
    </>
  );
}

function LimitsReport({ limits }: { limits: Limits }) {
  return (
    <>
      {limits.quotas.length === 0 && <p className="text-ink-muted">This plan has no quota.</p>}
      <ul className="space-y-3">
        {limits.quotas.map(toQuotaView).map((quota) => (
          <li key={quota.id}>
            <div className="mb-1 flex flex-wrap justify-between gap-x-4">
              <span>{quota.title}</span>
              <span className="tabular-nums text-ink-muted">
                {quota.usedLine}, {quota.resetLine}
              </span>
            </div>
            <MeterBar
              share={quota.share}
              tone={quota.tone}
              label={`${quota.title}: ${quota.usedLine}`}
            />
            {quota.forfeitedLine !== undefined && (
              <p className="mt-1 text-ink-muted text-xs">{quota.forfeitedLine}</p>
            )}
          </li>
        ))}
      </ul>
      {limits.rateLimits.length > 0 && (
        <p className="mt-3 text-ink-muted">
          Rate limit: {limits.rateLimits.map(toRateLimitLine).join("; ")}
        </p>
      )}
    </>
  );
}

function StatusPart({ tenantId, from }: { tenantId: TenantId; from: string | undefined }) {
  const { api } = usePlatform();
  const usage = useQuery(operatorQueries.usageByStatus(api, tenantId, from));
  const rows = usage.data === undefined ? [] : toStatusRows(usage.data);
  return (
    <Part title="Calls by status">
      {usage.isError ? (
        <FailureNotice
          what="The usage could not be loaded."
          cause={usage.error}
          onRetry={() => void usage.refetch()}
        />
      ) : usage.data === undefined ? (
        <PartSkeleton label="Loading usage" />
      ) : rows.length === 0 ? (
        <p className="rounded-control border border-line border-dashed px-3 py-4 text-ink-muted">
          No calls yet. Create a key above and run the call under Getting started: it appears here
          within seconds.
        </p>
      ) : (
        <table className="w-full tabular-nums">
          <thead className="text-left text-ink-muted text-xs">
            <tr>
              <th className="py-1 font-medium">Status</th>
              <th className="py-1 text-right font-medium">Calls</th>
              <th className="py-1 text-right font-medium">Share</th>
            </tr>
          </thead>
          <tbody className="divide-y divide-line border-line border-y">
            {rows.map((row) => (
              <tr key={row.status}>
                <td className="py-1.5">
                  <Badge tone={row.tone}>{row.status}</Badge>
                </td>
                <td className="py-1.5 text-right">{row.calls}</td>
                <td className="py-1.5 text-right text-ink-muted">{row.share}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr className="font-medium">
              <th className="py-1.5 text-left font-medium">All calls</th>
              <td className="py-1.5 text-right">{formatCount(usage.data.calls)}</td>
              <td />
            </tr>
          </tfoot>
        </table>
      )}
    </Part>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="mt-5">
      <h4 className="mb-2 font-medium">{title}</h4>
      {children}
    </div>
  );
}

function PartSkeleton({ label }: { label: string }) {
  return (
    <div role="status" aria-label={label} className="space-y-2">
      <Skeleton className="h-4 w-48" />
      <Skeleton className="h-2 w-full rounded-full" />
    </div>
  );
}
