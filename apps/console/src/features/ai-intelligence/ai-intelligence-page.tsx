import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { joinClasses } from "@turnpike/ui/join-classes";
import type { InsightDialogs } from "#components/insights/insight-dialogs.ts";
import { insightsQueries } from "#components/insights/insights.queries.ts";
import { Page } from "#components/page.tsx";
import { TenantGate } from "#components/tenant-gate.tsx";
import { useOnceKnown } from "#components/use-once-known.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { mayInTenant } from "#platform/may-in-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { AdviceCard } from "./advice/advice-card.tsx";
import { AskPanel } from "./ask/ask-panel.tsx";
import type { AskSearch } from "./ask/ask-search.view-model.ts";
import { InsightFeed } from "./feed/insight-feed.tsx";
import { ForecastSection } from "./forecast/forecast-section.tsx";

export type AiIntelligencePageProps = {
  dialogs: InsightDialogs;
  /** The insight that the address names. */
  insight?: string | undefined;
  search: AskSearch;
  onSearchChange: (search: AskSearch) => void;
};

/** `/ai-intelligence`: what changed in the usage of a tenant, why, and what is coming. Each section has a folder of its own. */
export function AiIntelligencePage({ dialogs, insight, ...ask }: AiIntelligencePageProps) {
  return (
    <Page
      title={t`AI intelligence`}
      purpose={t`Ask in plain English, see what changed and what explains it, and what is coming.`}
    >
      <TenantGate>
        {(tenant) => (
          <div key={tenant.tenantId} className="space-y-4">
            <AskPanel tenant={tenant} dialogs={dialogs} {...ask} />
            <InsightFeed tenant={tenant} dialogs={dialogs} named={insight} />
            <Outlook tenant={tenant} />
          </div>
        )}
      </TenantGate>
    </Page>
  );
}

/** What is coming, once the length of what is above is known. */
function Outlook({ tenant }: { tenant: OwnTenant }) {
  const insights = useQuery(insightsQueries.open(usePlatform().api, tenant.tenantId));
  const isShown = useOnceKnown([insights]);
  return (
    <div className={joinClasses("space-y-4", !isShown && "hidden")}>
      <ForecastSection tenant={tenant} />
      {mayInTenant(tenant, "billing:read") && <AdviceCard tenant={tenant} />}
    </div>
  );
}
