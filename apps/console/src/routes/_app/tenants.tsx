import { createFileRoute, redirect } from "@tanstack/react-router";
import {
  findFormerTab,
  parseOperatorSearch,
} from "#features/tenants/operator/operator-search.view-model.ts";
import { TenantsPage } from "#features/tenants/tenants-page.tsx";
import { parseTenantsSearch } from "#features/tenants/tenants-search.view-model.ts";

export const Route = createFileRoute("/_app/tenants")({
  validateSearch: parseTenantsSearch,
  beforeLoad: ({ location }) => {
    // Bookmarks and mails of before lead to the operator's screens by their former tabs.
    const former: Record<string, unknown> = location.search;
    const to = findFormerTab(former["tab"]);
    if (to !== undefined) {
      throw redirect({ to, search: parseOperatorSearch(former), replace: true });
    }
  },
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
