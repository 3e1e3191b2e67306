import { createFileRoute } from "@tanstack/react-router";
import { BillingsPage } from "#features/billings/billings-page.tsx";
import { parseBillingsSearch } from "#features/billings/billings-search.view-model.ts";

export const Route = createFileRoute("/_app/billings")({
  validateSearch: parseBillingsSearch,
  component: BillingsRoute,
});

function BillingsRoute() {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <BillingsPage
      search={search}
      onSearchChange={(next) => {
        void navigate({ to: ".", search: () => next, resetScroll: false });
      }}
    />
  );
}
