import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ButtonLink } from "@turnpike/ui/button-link";
import { Card } from "@turnpike/ui/card";
import { MeterBar } from "@turnpike/ui/meter-bar";
import { Skeleton } from "@turnpike/ui/skeleton";
import { FailureNotice } from "#components/failure-notice.tsx";
import { Page } from "#components/page.tsx";
import { TenantGate } from "#components/tenant-gate.tsx";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { historyQuery } from "./ai-intelligence.queries.ts";
import { countDays, type Readiness, toReadiness } from "./ai-intelligence.view-model.ts";

/** `/ai-intelligence`: what will be said about this tenant, and how much is known for it already. */
export function AiIntelligencePage() {
  return (
    <Page
      title="AI intelligence"
      purpose="Insights and forecasts about your usage, and the history each one needs."
    >
      <TenantGate>{(tenant) => <Intelligence tenant={tenant} />}</TenantGate>
    </Page>
  );
}

function Intelligence({ tenant }: { tenant: OwnTenant }) {
  const { api } = usePlatform();
  const history = useQuery(historyQuery(api, tenant.tenantId));
  if (history.isError) {
    return (
      <FailureNotice
        what="Your history could not be loaded."
        cause={history.error}
        onRetry={() => void history.refetch()}
      />
    );
  }
  const days =
    history.data === undefined
      ? undefined
      : countDays(history.data.rows, history.data.times.at(-1));
  return (
    <>
      <Card
        title={days === 0 ? "No history yet" : "Collecting history"}
        description="A day counts once it is over and had calls. This version collects history but does not analyse it yet."
        aside={<ButtonLink link={<Link to="/analytics" />}>Open analytics</ButtonLink>}
      >
        {days === undefined ? (
          <Skeleton className="h-8 w-48" />
        ) : (
          <p className="font-semibold text-2xl tabular-nums tracking-tight">
            {days} {days === 1 ? "day" : "days"} of history
          </p>
        )}
      </Card>
      <ul className="mt-4 grid gap-4 lg:grid-cols-3">
        {toReadiness(days ?? 0).map((ability) => (
          <AbilityCard key={ability.id} ability={ability} isLoading={days === undefined} />
        ))}
      </ul>
    </>
  );
}

function AbilityCard({ ability, isLoading }: { ability: Readiness; isLoading: boolean }) {
  return (
    <li className="flex flex-col rounded-card border border-line bg-surface p-5">
      <h2 className="font-semibold text-base">{ability.title}</h2>
      <p className="mt-2">{ability.says}</p>
      <p className="mt-2 text-ink-muted text-sm">{ability.reason}</p>
      <div className="mt-auto space-y-1.5 pt-5">
        {isLoading ? (
          <Skeleton className="h-6 w-full" />
        ) : (
          <>
            <p className="text-ink-muted text-xs tabular-nums">
              {ability.share === 1
                ? "There is enough history for this"
                : `${ability.progress} of history`}
            </p>
            <MeterBar
              share={ability.share}
              tone="accent"
              label={`${ability.title}: ${ability.progress} of history`}
            />
          </>
        )}
      </div>
    </li>
  );
}
