import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import type { Column } from "@turnpike/ui/column";
import { DataTable } from "@turnpike/ui/data-table";
import type { ColumnRoom } from "@turnpike/ui/data-table-room";
import { EmptyState } from "@turnpike/ui/empty-state";
import { Tabs } from "@turnpike/ui/tabs";
import ReceiptText from "lucide-react/icons/receipt-text";
import type { ReactNode } from "react";
import { EnvironmentChoice } from "#components/billing/environment-choice.tsx";
import { FailureNotice } from "#components/failure-notice.tsx";
import { Page } from "#components/page.tsx";
import { PageFooter } from "#components/page-footer.tsx";
import { useCursorTrail } from "#components/use-cursor-trail.ts";
import type { InvoiceSummary } from "#platform/billing-queries.ts";
import { type Environment, useCurrentEnvironment } from "#platform/current-environment.ts";
import { usePlatform } from "#platform/platform.tsx";
import { catalogQuery } from "#platform/shared-queries.ts";
import { makeInvoiceColumns } from "../invoice-columns.tsx";
import { AccountPage } from "./account/account-page.tsx";
import { allInvoicesQuery } from "./all-invoices.queries.ts";
import type { AllInvoicesProps } from "./all-invoices-props.ts";
import { hasFilters, toFilters } from "./all-invoices-search.view-model.ts";
import { CurrencySums } from "./currency-sums.tsx";
import { InvoiceFilterBar } from "./invoice-filters.tsx";
import { OperatorInvoicePage } from "./operator-invoice-page.tsx";
import { PaymentsTab } from "./payments/payments-tab.tsx";
import { DunningTab } from "./reports/dunning-tab.tsx";
import { RevenueTab } from "./reports/revenue-tab.tsx";
import { SetupTab } from "./reports/setup-tab.tsx";
import { TaxTab } from "./reports/tax-tab.tsx";

const COLUMN_ROOM: ColumnRoom = [
  ["number", 150],
  ["tenant", 160],
  ["state", 120],
  ["open", 110],
  ["total", 110],
  ["due", 120],
  ["issued", 120],
];

const TABS = {
  invoices: {
    label: t`Invoices`,
    title: t`Invoices`,
    purpose: t`Of all tenants: what was invoiced, what is still to be paid, and what is overdue.`,
  },
  payments: {
    label: t`Payments`,
    title: t`Payments`,
    purpose: t`What came in, what it paid, and what waits to be matched.`,
  },
  revenue: {
    label: t`Revenue`,
    title: t`Revenue`,
    purpose: t`What live subscriptions bring, month by month; each figure opens to its rows.`,
  },
  dunning: {
    label: t`Dunning`,
    title: t`Dunning`,
    purpose: t`Live invoices past their due date, what follows, and when calls stop.`,
  },
  tax: {
    label: t`Tax`,
    title: t`Tax`,
    purpose: t`What was issued in a period, by country, category and rate.`,
  },
  setup: {
    label: t`Settings`,
    title: t`Billing settings`,
    purpose: t`What invoices are made with, and what is missing for a right one.`,
  },
} as const;

const TENANT_COLUMN: Column<InvoiceSummary> = {
  id: "tenant",
  header: t`Tenant`,
  cell: ({ tenantName }) => <span className="[overflow-wrap:anywhere]">{tenantName}</span>,
};

/** `/billings?view=all`: the invoices of all tenants, one of them, or everything about the billing of one tenant. */
export function AllInvoicesPage(props: AllInvoicesProps) {
  const environment: Environment = useCurrentEnvironment() === "test" ? "test" : "live";
  const { invoice, owner } = props.search;
  if (owner === undefined) {
    return <OperatorTabs {...props} environment={environment} />;
  }
  return invoice === undefined ? (
    <AccountPage {...props} environment={environment} owner={owner} />
  ) : (
    <OperatorInvoicePage
      {...props}
      key={invoice}
      environment={environment}
      invoiceId={invoice}
      owner={owner}
    />
  );
}

/** The tabs about all tenants. */
function OperatorTabs(props: AllInvoicesProps & { environment: Environment }) {
  const { search, onSearchChange, environment } = props;
  const tab = search.report ?? "invoices";
  const { title, purpose } = TABS[tab];
  return (
    <Page
      title={title}
      purpose={purpose}
      {...((tab === "invoices" || tab === "payments") && {
        action: <EnvironmentChoice environment={environment} />,
      })}
    >
      <Tabs
        label={t`Billing of all tenants`}
        value={tab}
        onValueChange={(next) =>
          onSearchChange({ view: "all", ...(next === "invoices" ? {} : { report: next }) })
        }
        tabs={(Object.keys(TABS) as (keyof typeof TABS)[]).map((value) => ({
          value,
          label: TABS[value].label,
          content: value === tab ? renderTab(value, props) : null,
        }))}
      />
    </Page>
  );
}

function renderTab(
  tab: keyof typeof TABS,
  props: AllInvoicesProps & { environment: Environment },
): ReactNode {
  switch (tab) {
    case "invoices":
      return <InvoiceList {...props} />;
    case "payments":
      return <PaymentsTab key={props.environment} {...props} />;
    case "revenue":
      return <RevenueTab {...props} />;
    case "dunning":
      return <DunningTab {...props} />;
    case "tax":
      return <TaxTab {...props} />;
    case "setup":
      return <SetupTab />;
    default:
      return tab satisfies never;
  }
}

function InvoiceList({
  search,
  onSearchChange,
  environment,
}: AllInvoicesProps & { environment: Environment }) {
  const { api } = usePlatform();
  const filters = toFilters(search);
  const catalog = useQuery(catalogQuery(api));
  const invoices = useQuery({
    ...allInvoicesQuery(api, environment, search),
    placeholderData: keepPreviousData,
  });
  const { data } = invoices;
  const trail = useCursorTrail({
    cursor: search.cursor,
    nextCursor: data?.nextCursor,
    onCursorChange: (cursor) =>
      onSearchChange({ view: "all", ...filters, ...(cursor === undefined ? {} : { cursor }) }),
  });
  const clear = () => onSearchChange({ view: "all" });
  const now = environment === "live" ? new Date(invoices.dataUpdatedAt).toISOString() : undefined;
  return (
    <div className="space-y-4">
      <InvoiceFilterBar
        filters={filters}
        currencies={[
          ...(catalog.data?.plans ?? []).map(({ currency }) => currency),
          ...(data?.sums ?? []).map(({ currency }) => currency),
        ]}
        onChange={(next) => onSearchChange({ view: "all", ...next })}
      />
      {invoices.isError && data === undefined ? (
        <FailureNotice
          what={t`The invoices could not be loaded.`}
          cause={invoices.error}
          onRetry={() => void invoices.refetch()}
        />
      ) : (
        <>
          <CurrencySums sums={data?.sums} />
          <DataTable
            label={t`Invoices of all tenants`}
            columns={makeInvoiceColumns(now, TENANT_COLUMN)}
            columnRoom={COLUMN_ROOM}
            rows={data?.items}
            getRowId={({ invoiceId }) => invoiceId}
            getRowName={({ number, tenantName }) => t`${number} of ${tenantName}`}
            isStale={invoices.isPlaceholderData}
            onRowOpen={({ invoiceId, tenantId }) =>
              onSearchChange({ ...search, view: "all", invoice: invoiceId, owner: tenantId })
            }
            empty={<NoInvoices isFiltered={hasFilters(search)} onClear={clear} />}
            footer={
              <PageFooter
                trail={trail}
                count={data?.items.length}
                noun={[t`invoice`, t`invoices, newest first`]}
              />
            }
          />
        </>
      )}
    </div>
  );
}

function NoInvoices({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  return isFiltered ? (
    <EmptyState
      icon={<ReceiptText />}
      title={t`No matching invoices`}
      action={
        <Button onClick={onClear}>
          <Trans>Show all invoices</Trans>
        </Button>
      }
    >
      <Trans>No invoice has all of these properties.</Trans>
    </EmptyState>
  ) : (
    <EmptyState icon={<ReceiptText />} title={t`No invoices yet`}>
      <Trans>
        One is issued by itself when a tenant chooses a plan that charges in advance, and at the end
        of each period with something to charge.
      </Trans>
    </EmptyState>
  );
}
