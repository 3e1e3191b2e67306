import { createFileRoute } from "@tanstack/react-router";
import { PlansPage } from "#features/plans/plans-page.tsx";
import { parsePlansSearch } from "#features/plans/plans-search.view-model.ts";

export const Route = createFileRoute("/_app/plans")({
  validateSearch: parsePlansSearch,
  component: PlansRoute,
});

function PlansRoute() {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <PlansPage
      search={search}
      onSearchChange={(next) => {
        void navigate({ to: ".", search: () => next, resetScroll: false });
      }}
    />
  );
}
