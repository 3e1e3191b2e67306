import { createFileRoute } from "@tanstack/react-router";
import { parseBillingsAddress } from "#features/billings/operator/all-invoices-search.view-model.ts";
import { BillingsScreen } from "#features/billings/operator/billings-screen.tsx";

export const Route = createFileRoute("/_app/billings")({
  validateSearch: parseBillingsAddress,
  component: BillingsRoute,
});

function BillingsRoute() {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <BillingsScreen
      search={search}
      onSearchChange={(next) => {
        void navigate({ to: ".", search: () => next, resetScroll: false });
      }}
    />
  );
}
