import { Page } from "#components/page.tsx";
import { TenantGate } from "#components/tenant-gate.tsx";
import { InsightFeed } from "./feed/insight-feed.tsx";
import { ForecastCard } from "./forecast/forecast-card.tsx";

/** `/ai-intelligence`: what changed in the usage of a tenant, why, and what is coming. Each section has a folder of its own. */
export function AiIntelligencePage() {
  return (
    <Page
      title="AI intelligence"
      purpose="What changed in your usage, which key or route explains it, and what is coming."
    >
      <TenantGate>
        {(tenant) => (
          <div key={tenant.tenantId} className="space-y-4">
            <InsightFeed tenant={tenant} />
            <ForecastCard tenant={tenant} />
          </div>
        )}
      </TenantGate>
    </Page>
  );
}
