import { createFileRoute } from "@tanstack/react-router";
import { parseOperatorSearch } from "#features/tenants/operator/operator-search.view-model.ts";
import { OutboxPage } from "#features/tenants/operator/outbox-page.tsx";

export const Route = createFileRoute("/_app/operator/outbox")({
  validateSearch: parseOperatorSearch,
  component: OutboxRoute,
});

function OutboxRoute() {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <OutboxPage
      search={search}
      onSearchChange={(next) => {
        void navigate({ to: ".", search: () => next, resetScroll: false });
      }}
    />
  );
}
