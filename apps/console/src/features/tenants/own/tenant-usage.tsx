import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { MeterBar } from "@turnpike/ui/meter-bar";
import { Skeleton } from "@turnpike/ui/skeleton";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { catalogQuery, limitsQuery } from "#platform/shared-queries.ts";
import type { TenantId } from "../tenants.queries.ts";
import { toPeriodUsage } from "./usage-of-period.view-model.ts";

/** The usage of a tenant in its current period. The tenant is shown even when its usage is unknown. */
export function TenantUsage({ tenantId }: { tenantId: TenantId }) {
  const { api } = usePlatform();
  const limits = useQuery(limitsQuery(api, tenantId));
  const catalog = useQuery(catalogQuery(api));
  // Without the catalogue, a meter's id is its name.
  const usage =
    limits.data === undefined || catalog.isPending
      ? undefined
      : toPeriodUsage(limits.data, catalog.data?.meters ?? []);
  return (
    <div className="min-h-[3.75rem]">
      <p className="text-ink-muted text-xs">
        <Trans>{usage?.meter ?? t`Usage`} of this period</Trans>
      </p>
      {limits.isError ? (
        <p className="mt-1 text-xs">
          <Trans>
            Unknown: {toErrorMessage(limits.error)}{" "}
            <button
              type="button"
              onClick={() => void limits.refetch()}
              className="cursor-pointer font-medium underline underline-offset-4"
            >
              Try again
            </button>
          </Trans>
        </p>
      ) : usage !== undefined ? (
        <>
          <p className="mb-1.5 font-medium tabular-nums">{usage.text}</p>
          {usage.bar !== undefined && (
            <MeterBar {...usage.bar} label={`${usage.meter}: ${usage.text}`} />
          )}
          <p className="mt-1.5 text-ink-muted text-xs tabular-nums">{usage.note}</p>
        </>
      ) : (
        <Skeleton className="mt-1 h-9 w-full" />
      )}
    </div>
  );
}
