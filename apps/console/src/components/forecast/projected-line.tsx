import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Skeleton } from "@turnpike/ui/skeleton";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { invoiceForecastQuery } from "#platform/forecast-queries.ts";
import { usePlatform } from "#platform/platform.tsx";
import { describeProjection } from "./projection.view-model.ts";

/** What the next invoice will most likely come to, in one line; nothing while it cannot be said. */
export function ProjectedLine({ tenantId }: Pick<OwnTenant, "tenantId">) {
  const { data, isPending } = useQuery(invoiceForecastQuery(usePlatform().api, tenantId));
  if (isPending) {
    return <Skeleton className="h-5 w-36" />;
  }
  const [next] = data?.invoices ?? [];
  return data === undefined || next === undefined ? null : (
    <p className="text-ink-muted text-sm tabular-nums">
      <Link to="/ai-intelligence" className="font-medium text-ink underline underline-offset-4">
        <Trans>Projected</Trans>
      </Link>
      : {describeProjection(next.total, data.currency)}
    </p>
  );
}
