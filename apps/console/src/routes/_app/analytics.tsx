import { createFileRoute } from "@tanstack/react-router";
import { MEMBERS_OWN, type Scope } from "@turnpike/domain/access/scopes";
import { TenantGate } from "#components/tenant-gate.tsx";
import { parseAlertsSearch } from "#features/analytics/alerts/alerts-search.view-model.ts";
import { ANALYTICS_PAGE } from "#features/analytics/analytics-heading.ts";
import { AnalyticsPage } from "#features/analytics/analytics-page.tsx";
import { parseAnalyticsSearch } from "#features/analytics/analytics-search.view-model.ts";
import { withOwnEnvironment } from "#platform/current-environment.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { mayInTenant } from "#platform/may-in-tenant.ts";
import { useVerifiedUser } from "#platform/verified-user.ts";

export const Route = createFileRoute("/_app/analytics")({
  validateSearch: (search: Record<string, unknown>) => ({
    ...parseAnalyticsSearch(search),
    ...parseAlertsSearch(search),
  }),
  component: AnalyticsRoute,
});

function AnalyticsRoute() {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  const { user } = useVerifiedUser();
  const may = (tenant: OwnTenant, scope: Scope) =>
    mayInTenant(tenant, scope) ||
    (user.isOperator && tenant.isVisited !== true && !MEMBERS_OWN.includes(scope));
  return (
    <TenantGate page={ANALYTICS_PAGE}>
      {(tenant) => (
        <AnalyticsPage
          key={tenant.tenantId}
          tenantId={tenant.tenantId}
          userId={user.userId}
          mayEndExportsOfOthers={may(tenant, "tenants:write")}
          mayChangeAlerts={may(tenant, "alerts:write")}
          maySeeCosts={may(tenant, "billing:read")}
          maySaveViews={may(tenant, "documents:write")}
          search={search}
          onSearchChange={(next) => {
            void navigate({
              to: ".",
              search: ({ tenant: slug }) =>
                withOwnEnvironment({ ...next, ...(slug === undefined ? {} : { tenant: slug }) }),
              resetScroll: false,
            });
          }}
        />
      )}
    </TenantGate>
  );
}
