import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { listPercentages } from "#platform/format-measure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { quotaAlertsQuery } from "#platform/shared-queries.ts";

/** At which shares of these quotas people are notified, with a link to change that. Keeps its height while it loads. */
export function QuotaAlertsNote({
  tenantId,
  isVisited,
}: Pick<OwnTenant, "tenantId" | "isVisited">) {
  const { api } = usePlatform();
  const settings = useQuery(quotaAlertsQuery(api, tenantId));
  const thresholds = settings.data?.thresholds;
  return (
    <p className="min-h-5 text-ink-muted text-sm">
      {thresholds !== undefined && (
        <>
          {thresholds.length === 0
            ? t`No one is notified when a quota runs out. `
            : t`Notifies at ${listPercentages(thresholds)} of each quota. `}
          <Link to="/analytics" search={{ tab: "alerts" }} className="underline underline-offset-4">
            {isVisited === true ? t`View alerts` : t`Edit notifications`}
          </Link>
        </>
      )}
    </p>
  );
}
