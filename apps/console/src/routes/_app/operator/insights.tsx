import { createFileRoute } from "@tanstack/react-router";
import { OperatorInsightsPage } from "#features/tenants/operator/insights-page.tsx";
import { parseOperatorSearch } from "#features/tenants/operator/operator-search.view-model.ts";

export const Route = createFileRoute("/_app/operator/insights")({
  validateSearch: parseOperatorSearch,
  component: OperatorInsightsRoute,
});

function OperatorInsightsRoute() {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <OperatorInsightsPage
      search={search}
      onSearchChange={(next) => {
        void navigate({ to: ".", search: () => next, resetScroll: false });
      }}
    />
  );
}
