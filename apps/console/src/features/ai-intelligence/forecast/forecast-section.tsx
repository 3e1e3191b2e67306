import type { OwnTenant } from "#platform/current-tenant.ts";
import { mayInTenant } from "#platform/may-in-tenant.ts";
import { ExhaustionCard } from "./exhaustion-card.tsx";
import { InvoiceForecastCard } from "./invoice-forecast-card.tsx";
import { UsageForecastCard } from "./usage-forecast-card.tsx";

/** What is coming: usage with its band, what runs out when, the projected invoice, and how far off such forecasts were. */
export function ForecastSection({ tenant }: { tenant: OwnTenant }) {
  const seesInvoices = mayInTenant(tenant, "billing:read");
  return (
    <>
      <UsageForecastCard tenant={tenant} />
      <div className="grid gap-4 lg:grid-cols-2">
        <ExhaustionCard tenant={tenant} />
        {seesInvoices && <InvoiceForecastCard tenant={tenant} />}
      </div>
    </>
  );
}
