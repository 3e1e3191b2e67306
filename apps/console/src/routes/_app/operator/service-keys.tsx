import { createFileRoute } from "@tanstack/react-router";
import { parseOperatorSearch } from "#features/tenants/operator/operator-search.view-model.ts";
import { ServiceKeysPage } from "#features/tenants/operator/service-keys-page.tsx";

export const Route = createFileRoute("/_app/operator/service-keys")({
  validateSearch: parseOperatorSearch,
  component: ServiceKeysRoute,
});

function ServiceKeysRoute() {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <ServiceKeysPage
      search={search}
      onSearchChange={(next) => {
        void navigate({ to: ".", search: () => next, resetScroll: false });
      }}
    />
  );
}
