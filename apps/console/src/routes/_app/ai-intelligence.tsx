import { createFileRoute } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import type { InsightDialogs } from "#components/insights/insight-dialogs.ts";
import { AiIntelligencePage } from "#features/ai-intelligence/ai-intelligence-page.tsx";
import { parseAiIntelligenceSearch } from "#features/ai-intelligence/ai-intelligence-search.view-model.ts";
import { parseAskSearch } from "#features/ai-intelligence/ask/ask-search.view-model.ts";
import { withOwnEnvironment } from "#platform/current-environment.ts";

export const Route = createFileRoute("/_app/ai-intelligence")({
  validateSearch: (search: Record<string, unknown>) => ({
    ...parseAiIntelligenceSearch(search),
    ...parseAskSearch(search),
  }),
  component: AiIntelligenceRoute,
});

const KeyTaskDialog = lazy(async () => ({
  default: (await import("#features/api-keys/key-task-dialog.tsx")).KeyTaskDialog,
}));
const AlertProposalDialog = lazy(async () => ({
  default: (await import("#features/analytics/alerts/alert-proposal-dialog.tsx"))
    .AlertProposalDialog,
}));

/** Loaded when the first is opened: they belong to other screens. */
const DIALOGS: InsightDialogs = {
  renderKey: (input) => (
    <Suspense>
      <KeyTaskDialog {...input} />
    </Suspense>
  ),
  renderAlert: (input) => (
    <Suspense>
      <AlertProposalDialog {...input} />
    </Suspense>
  ),
};

function AiIntelligenceRoute() {
  const { insight, ...search } = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <AiIntelligencePage
      dialogs={DIALOGS}
      insight={insight}
      search={search}
      onSearchChange={(next) => {
        void navigate({
          to: ".",
          search: ({ tenant: slug }) =>
            withOwnEnvironment({ ...next, ...(slug === undefined ? {} : { tenant: slug }) }),
          resetScroll: false,
        });
      }}
    />
  );
}
