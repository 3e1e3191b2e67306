import { t } from "@lingui/core/macro";
import { createFileRoute } from "@tanstack/react-router";
import { AllCalls } from "#features/analytics/all-calls/all-calls.tsx";
import { parseAllCallsSearch } from "#features/analytics/all-calls/all-calls-search.view-model.ts";
import { OperatorPage } from "#features/tenants/operator/operator-page.tsx";

export const Route = createFileRoute("/_app/operator/calls")({
  validateSearch: parseAllCallsSearch,
  component: CallsRoute,
});

function CallsRoute() {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <OperatorPage
      title={t`Calls`}
      purpose={t`Every call of all tenants, found by who made it, how it ended, or the id of its request.`}
    >
      <AllCalls
        search={search}
        onSearchChange={(next) => {
          void navigate({ to: ".", search: () => next, resetScroll: false });
        }}
      />
    </OperatorPage>
  );
}
