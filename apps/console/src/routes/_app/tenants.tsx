import { createFileRoute } from "@tanstack/react-router";
import { TenantsPage } from "#features/tenants/tenants-page.tsx";
import { parseTenantsSearch } from "#features/tenants/tenants-search.view-model.ts";

export const Route = createFileRoute("/_app/tenants")({
  validateSearch: parseTenantsSearch,
  component: TenantsRoute,
});

function TenantsRoute() {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <TenantsPage
      search={search}
      onSearchChange={(next) => {
        void navigate({ to: ".", search: () => next, resetScroll: false });
      }}
    />
  );
}
