import { useQuery } from "@tanstack/react-query";
import { MeterBar } from "@turnpike/ui/meter-bar";
import { Skeleton } from "@turnpike/ui/skeleton";
import { toErrorMessage } from "#platform/error-message.ts";
import { formatCount } from "#platform/format.ts";
import { usePlatform } from "#platform/platform.tsx";
import { limitsQuery } from "#platform/shared-queries.ts";
import { type TenantId, tenantsQueries } from "../tenants.queries.ts";
import { toPeriodUsage } from "./usage-of-period.view-model.ts";

/** The usage of a tenant in its running period. A tenant whose usage is not known is shown all the same. */
export function TenantUsage({ tenantId }: { tenantId: TenantId }) {
  const { api } = usePlatform();
  const limits = useQuery(limitsQuery(api, tenantId));
  const usage = limits.data === undefined ? undefined : toPeriodUsage(limits.data);
  const requests = useQuery({
    ...tenantsQueries.requestsOfPeriod(api, tenantId),
    enabled: limits.data !== undefined && usage === undefined,
  });
  const failed = [limits, requests].find(({ isError }) => isError);
  return (
    <div className="min-h-[3.75rem]">
      <p className="text-ink-muted text-xs">Requests of this period</p>
      {failed !== undefined ? (
        <p className="mt-1 text-xs">
          Not known: {toErrorMessage(failed.error)}{" "}
          <button
            type="button"
            onClick={() => void failed.refetch()}
            className="cursor-pointer font-medium underline underline-offset-4"
          >
            Try again
          </button>
        </p>
      ) : usage !== undefined ? (
        <>
          <p className="mb-1.5 font-medium tabular-nums">{usage.text}</p>
          <MeterBar share={usage.share} tone={usage.tone} label={`Requests: ${usage.text}`} />
          <p className="mt-1.5 text-ink-muted text-xs tabular-nums">{usage.note}</p>
        </>
      ) : requests.data !== undefined ? (
        <>
          <p className="font-medium tabular-nums">{formatCount(requests.data)}</p>
          <p className="mt-1.5 text-ink-muted text-xs">This plan has no quota.</p>
        </>
      ) : (
        <Skeleton className="mt-1 h-9 w-full" />
      )}
    </div>
  );
}
