import { t } from "@lingui/core/macro";
import type { InsightDialogs } from "#components/insights/insight-dialogs.ts";
import { Page } from "#components/page.tsx";
import { TenantGate } from "#components/tenant-gate.tsx";
import { mayInTenant } from "#platform/may-in-tenant.ts";
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
            <ForecastSection tenant={tenant} />
            {mayInTenant(tenant, "billing:read") && <AdviceCard tenant={tenant} />}
          </div>
        )}
      </TenantGate>
    </Page>
  );
}
