import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ButtonLink } from "@turnpike/ui/button-link";
import { useState } from "react";
import { KpiRow } from "#components/usage/kpi-row.tsx";
import { RequestsCard } from "#components/usage/requests-card.tsx";
import { readOwnTimeZone } from "#platform/chart-formats.ts";
import { useCurrentEnvironment } from "#platform/current-environment.ts";
import { usePlatform } from "#platform/platform.tsx";
import { OperatorPage } from "../operator-page.tsx";
import { ChecksCard } from "./checks-card.tsx";
import { HealthCard } from "./health-card.tsx";
import { homeQueries } from "./home.queries.ts";
import { RevenueCard } from "./revenue-card.tsx";
import { SetupCard } from "./setup-card.tsx";

/** `/operator`: the installation at a glance, for those who run it. */
export function OperatorHomePage() {
  return (
    <OperatorPage
      title={t`Your API`}
      purpose={t`Usage, revenue and health over all customers in the last 28 days.`}
      action={
        <ButtonLink link={<Link to="/operator/tenants" />}>
          <Trans>All tenants</Trans>
        </ButtonLink>
      }
    >
      <OperatorHome />
    </OperatorPage>
  );
}

function OperatorHome() {
  const { api } = usePlatform();
  const [shown, setShown] = useState<"chart" | "table">("chart");
  const timeZone = readOwnTimeZone();
  const scope = { environment: useCurrentEnvironment(), timeZone };
  const figures = useQuery({
    ...homeQueries.figures(api, scope),
    placeholderData: keepPreviousData,
  });
  const outcomes = useQuery({
    ...homeQueries.outcomes(api, scope),
    placeholderData: keepPreviousData,
  });
  return (
    <div className="space-y-4">
      <SetupCard />
      <KpiRow report={figures} against={t`vs. the 28 days before`} />
      <div className="grid gap-4 lg:grid-cols-3">
        <div className="grid min-w-0 lg:col-span-2">
          <RequestsCard
            report={outcomes}
            title={t`Requests of all tenants`}
            grain="day"
            timeZone={timeZone}
            shown={shown}
            onShow={setShown}
          />
        </div>
        {/* The last of them takes what is left beside the chart. */}
        <div className="flex min-w-0 flex-col gap-4 [&>:last-child]:grow">
          <RevenueCard />
          <HealthCard />
        </div>
      </div>
      <ChecksCard />
    </div>
  );
}
