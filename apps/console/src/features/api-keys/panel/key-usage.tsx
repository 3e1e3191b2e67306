import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { BarList } from "@turnpike/ui/charts/bar-list";
import { Skeleton } from "@turnpike/ui/skeleton";
import { useState } from "react";
import { ReportCard } from "#components/usage/report-card.tsx";
import { RequestsCard } from "#components/usage/requests-card.tsx";
import { readOwnTimeZone } from "#platform/chart-formats.ts";
import { formatCount, formatShare } from "#platform/format.ts";
import { usePlatform } from "#platform/platform.tsx";
import { type KeyId, keysQueries, type TenantId } from "../api-keys.queries.ts";
import { toDenials } from "./denials.view-model.ts";

export type KeyUsageProps = { tenantId: TenantId; keyId: KeyId; name: string };

/** The calls of one key in the last 30 days, and the reasons for denials. */
export function KeyUsage({ tenantId, keyId, name }: KeyUsageProps) {
  const { api } = usePlatform();
  const [shown, setShown] = useState<"chart" | "table">("chart");
  const timeZone = readOwnTimeZone();
  const report = useQuery({
    ...keysQueries.usage(api, tenantId, keyId, timeZone),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <RequestsCard
        title={t`Requests in the last 30 days`}
        report={report}
        ask={`requests per day of the key ${name} in the last 30 days`}
        grain="day"
        timeZone={timeZone}
        shown={shown}
        onShow={setShown}
      />
      <ReportCard
        title={t`Denials by reason`}
        description={t`Calls denied in the last 30 days.`}
        report={report}
        ask={`denied requests per day of the key ${name} in the last 30 days`}
        failure={t`The denials could not be loaded.`}
        skeleton={<Skeleton className="h-8 w-full opacity-50" />}
      >
        {(data) => {
          const { items, total } = toDenials(data);
          return items.length === 0 ? (
            <p className="text-ink-muted">
              <Trans>Nothing was denied.</Trans>
            </p>
          ) : (
            <BarList
              label={t`Denials by reason`}
              nameHeading={t`Reason`}
              valueHeading={t`Denied`}
              items={items}
              total={total}
              formatValue={formatCount}
              formatShare={formatShare}
            />
          );
        }}
      </ReportCard>
    </>
  );
}
