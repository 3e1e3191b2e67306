import { createFileRoute } from "@tanstack/react-router";
import { TenantGate } from "#components/tenant-gate.tsx";
import { ANALYTICS_PAGE } from "#features/analytics/analytics-heading.ts";
import { AnalyticsPage } from "#features/analytics/analytics-page.tsx";
import { parseAnalyticsSearch } from "#features/analytics/analytics-search.view-model.ts";
import { withOwnEnvironment } from "#platform/current-environment.ts";

export const Route = createFileRoute("/_app/analytics")({
  validateSearch: parseAnalyticsSearch,
  component: AnalyticsRoute,
});

function AnalyticsRoute() {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <TenantGate page={ANALYTICS_PAGE}>
      {({ tenantId }) => (
        <AnalyticsPage
          key={tenantId}
          tenantId={tenantId}
          search={search}
          onSearchChange={(next) => {
            void navigate({
              to: ".",
              search: ({ tenant }) =>
                withOwnEnvironment({ ...next, ...(tenant === undefined ? {} : { tenant }) }),
              resetScroll: false,
            });
          }}
        />
      )}
    </TenantGate>
  );
}
