import { createFileRoute } from "@tanstack/react-router";
import { AuditPage } from "#features/tenants/operator/audit-page.tsx";
import { parseOperatorAuditSearch } from "#features/tenants/operator/operator-audit-search.view-model.ts";

export const Route = createFileRoute("/_app/operator/audit")({
  validateSearch: parseOperatorAuditSearch,
  component: AuditRoute,
});

function AuditRoute() {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <AuditPage
      search={search}
      onSearchChange={(next) => {
        void navigate({ to: ".", search: () => next, resetScroll: false });
      }}
    />
  );
}
