import { createFileRoute } from "@tanstack/react-router";
import { TenantGate } from "#components/tenant-gate.tsx";
import { API_KEYS_PAGE } from "#features/api-keys/api-keys-heading.ts";
import { ApiKeysPage } from "#features/api-keys/api-keys-page.tsx";
import { parseApiKeysSearch } from "#features/api-keys/api-keys-search.view-model.ts";
import { withOwnEnvironment } from "#platform/current-environment.ts";

export const Route = createFileRoute("/_app/api-keys")({
  validateSearch: parseApiKeysSearch,
  component: ApiKeysRoute,
});

function ApiKeysRoute() {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <TenantGate page={API_KEYS_PAGE}>
      {(tenant) => (
        <ApiKeysPage
          key={tenant.tenantId}
          tenant={tenant}
          search={search}
          onSearchChange={(next, how) => {
            void navigate({
              to: ".",
              search: ({ tenant: slug }) =>
                withOwnEnvironment({ ...next, ...(slug === undefined ? {} : { tenant: slug }) }),
              replace: how === "replace",
              resetScroll: false,
            });
          }}
        />
      )}
    </TenantGate>
  );
}
