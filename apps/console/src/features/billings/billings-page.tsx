import { t } from "@lingui/core/macro";
import { lazy } from "react";
import { EnvironmentChoice } from "#components/billing/environment-choice.tsx";
import { SandboxClock } from "#components/billing/sandbox-clock.tsx";
import { useBillingPlace } from "#components/billing/use-billing-place.ts";
import { InsightNotes } from "#components/insights/insight-notes.tsx";
import { KINDS } from "#components/insights/insights.view-model.ts";
import { LateContent } from "#components/late-content.tsx";
import { Page } from "#components/page.tsx";
import { TenantGate } from "#components/tenant-gate.tsx";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { BILLINGS_PAGE } from "./billings-heading.ts";
import type { BillingsProps } from "./billings-props.ts";
import { OutOfCreditBanner } from "./credits/out-of-credit-banner.tsx";
import { OwnCreditsCard } from "./credits/own-credits-card.tsx";
import { OwnBillingDetailsCard } from "./details/own-billing-details-card.tsx";
import { EventsCard } from "./events-card.tsx";
import { InvoicesSection } from "./invoices-section.tsx";
import { PaymentMethodCard } from "./payments/payment-method-card.tsx";
import { QuotasCard } from "./quotas-card.tsx";
import { RunningInvoice } from "./running-invoice.tsx";
import { OwnSpendCapCard } from "./spend-cap/own-spend-cap-card.tsx";
import { SubscriptionCard } from "./subscription-card.tsx";

const InvoicePage = lazy(async () => ({
  default: (await import("./invoice-page.tsx")).InvoicePage,
}));

export type BillingsPageProps = Pick<BillingsProps, "search" | "onSearchChange">;

/** `/billings`: the running invoice, the issued ones, and what happens next. */
export function BillingsPage(props: BillingsPageProps) {
  return (
    <TenantGate page={BILLINGS_PAGE}>
      {(tenant) => <Billings key={tenant.tenantId} tenant={tenant} {...props} />}
    </TenantGate>
  );
}

function Billings({ tenant, search, onSearchChange }: BillingsPageProps & { tenant: OwnTenant }) {
  const place = useBillingPlace(tenant.tenantId);
  const props: BillingsProps = { tenant, place, search, onSearchChange };
  if (search.invoice !== undefined) {
    return (
      <LateContent>
        <InvoicePage {...props} invoiceId={search.invoice} />
      </LateContent>
    );
  }
  return (
    <Page {...BILLINGS_PAGE} action={<EnvironmentChoice environment={place.environment} />}>
      {place.environment === "test" && <SandboxClock tenant={tenant} />}
      <OutOfCreditBanner
        tenant={tenant}
        place={place}
        onOpenInvoice={(invoice) => onSearchChange({ invoice })}
      />
      <div className="grid items-start gap-4 lg:grid-cols-3">
        <div className="min-w-0 space-y-4 lg:col-span-2">
          <RunningInvoice {...props} />
          <InvoicesSection {...props} />
          {place.environment === "live" && (
            <InsightNotes
              tenant={tenant}
              title={t`What needs attention`}
              isShown={({ kind }) => KINDS[kind].topic === "billing"}
            />
          )}
          <EventsCard place={place} />
        </div>
        <div className="min-w-0 space-y-4">
          <SubscriptionCard place={place} />
          <PaymentMethodCard tenant={tenant} place={place} />
          <OwnBillingDetailsCard tenant={tenant} place={place} />
          <OwnCreditsCard
            tenant={tenant}
            place={place}
            onOpenInvoice={(invoice) => onSearchChange({ invoice })}
          />
          <OwnSpendCapCard tenant={tenant} place={place} />
          <QuotasCard tenant={tenant} environment={place.environment} />
        </div>
      </div>
    </Page>
  );
}
