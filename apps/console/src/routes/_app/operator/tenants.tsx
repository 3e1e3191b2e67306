import { createFileRoute } from "@tanstack/react-router";
import { AllTenantsPage } from "#features/tenants/operator/all-tenants-page.tsx";
import { parseOperatorSearch } from "#features/tenants/operator/operator-search.view-model.ts";

export const Route = createFileRoute("/_app/operator/tenants")({
  validateSearch: parseOperatorSearch,
  component: AllTenantsRoute,
});

function AllTenantsRoute() {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <AllTenantsPage
      search={search}
      onSearchChange={(next) => {
        void navigate({ to: ".", search: () => next, resetScroll: false });
      }}
    />
  );
}
