import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Card } from "@turnpike/ui/card";
import { BarList } from "@turnpike/ui/charts/bar-list";
import { Skeleton } from "@turnpike/ui/skeleton";
import { FailureNotice } from "#components/failure-notice.tsx";
import { AskLink } from "#components/questions/ask-link.tsx";
import type { Environment } from "#platform/current-environment.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { formatCount, formatShare } from "#platform/format.ts";
import { nameMeter } from "#platform/name-meter.ts";
import { usePlatform } from "#platform/platform.tsx";
import { billingsQueries } from "./billings.queries.ts";

export type UsageByKeyProps = {
  tenantId: OwnTenant["tenantId"];
  environment: Environment;
  meter: { meterId: string; name: string };
  /** Start of the period. */
  from: string;
};

/** Which keys the quantity of a line comes from: their sum is the line. */
export function UsageByKey({ tenantId, environment, meter, from }: UsageByKeyProps) {
  const { api } = usePlatform();
  const usage = useQuery(
    billingsQueries.byKey(api, { tenantId, environment, meterId: meter.meterId, from }),
  );
  return (
    <Card
      title={t`${nameMeter(meter)} by key`}
      description={t`Billable units of this period, ${environment} keys.`}
      aside={<AskLink question={`${meter.name} by key in this billing period`} />}
    >
      {usage.isError ? (
        <FailureNotice
          what={t`The keys could not be loaded.`}
          cause={usage.error}
          onRetry={() => void usage.refetch()}
        />
      ) : usage.data === undefined ? (
        <Skeleton className="h-24 w-full" />
      ) : usage.data.rows.length === 0 ? (
        <p className="text-ink-muted">
          <Trans>No usage in this period yet.</Trans>
        </p>
      ) : (
        <BarList
          label={t`${nameMeter(meter)} by key`}
          nameHeading={t`Key`}
          valueHeading={t`Units`}
          items={usage.data.rows.map((row) => {
            const keyId = row.group.key ?? "";
            return {
              key: keyId,
              // Events that came with a service key belong to no key of the tenant.
              label:
                keyId === "" ? t`Sent by the operator` : (usage.data.names.get(keyId) ?? keyId),
              value: Number(row.values.billable ?? 0),
            };
          })}
          total={Number(usage.data.total)}
          formatValue={formatCount}
          formatShare={formatShare}
        />
      )}
    </Card>
  );
}
