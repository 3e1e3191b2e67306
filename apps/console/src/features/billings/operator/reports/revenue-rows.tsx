import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Column } from "@turnpike/ui/column";
import { DataTable } from "@turnpike/ui/data-table";
import { Sheet } from "@turnpike/ui/sheet";
import { useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { PageFooter } from "#components/page-footer.tsx";
import { useCursorTrail } from "#components/use-cursor-trail.ts";
import { formatMoney } from "#platform/format-money.ts";
import { formatDate } from "#platform/format-period.ts";
import { usePlatform } from "#platform/platform.tsx";
import { catalogQuery } from "#platform/shared-queries.ts";
import { CsvButton } from "./csv-button.tsx";
import {
  customersQuery,
  type RevenueCustomer,
  type RevenueMonth,
  type UsageInvoice,
  usageInvoicesQuery,
} from "./reports.queries.ts";
import type { RowKind } from "./reports-search.view-model.ts";
import {
  DEFINITIONS,
  FIGURE_LABELS,
  figureOf,
  formatChange,
  formatMonth,
} from "./revenue.view-model.ts";

export type RevenueRowsProps = {
  month: string;
  rows: RowKind;
  currency: string;
  /** The month of the report that the rows sum to; undefined when the report has no such month. */
  total: RevenueMonth | undefined;
  onClose: () => void;
  onOpenTenant: (tenantId: string) => void;
};

/** The rows behind one figure of a month. */
export function RevenueRows(props: RevenueRowsProps) {
  const { month, rows, currency, total } = props;
  const isMove = rows !== "closing" && rows !== "usage";
  const write = isMove ? formatChange : formatMoney;
  return (
    <Sheet
      isOpen
      onClose={props.onClose}
      title={`${FIGURE_LABELS[rows]}, ${formatMonth(month, "long")}`}
      description={DEFINITIONS[rows]}
    >
      <div className="space-y-3">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <p className="font-semibold text-lg tabular-nums">
            {total === undefined ? "–" : write(figureOf(total, rows), currency)}
          </p>
          {rows !== "usage" && (
            <CsvButton
              path={`/revenue/csv?month=${month}&currency=${currency}&rows=${isMove ? "moved" : "closing"}`}
              fileName={`revenue-${month}-${currency}.csv`}
              label={isMove ? t`All movements as CSV` : t`CSV`}
            />
          )}
        </div>
        {rows === "usage" ? <UsageRows {...props} /> : <CustomerRows {...props} rows={rows} />}
      </div>
    </Sheet>
  );
}

function CustomerRows({
  month,
  rows,
  currency,
  onOpenTenant,
}: RevenueRowsProps & { rows: Exclude<RowKind, "usage"> }) {
  const { api } = usePlatform();
  const [cursor, setCursor] = useState<string>();
  const page = useQuery({
    ...customersQuery(api, { month, currency, rows, cursor }),
    placeholderData: keepPreviousData,
  });
  const trail = useCursorTrail({
    cursor,
    nextCursor: page.data?.nextCursor,
    onCursorChange: setCursor,
  });
  const plans = useQuery(catalogQuery(api)).data?.plans ?? [];
  const nameOf = (planId: string) => plans.find((plan) => plan.planId === planId)?.name ?? planId;
  const columns: readonly Column<RevenueCustomer>[] = [
    {
      id: "tenant",
      header: t`Customer`,
      phone: "title",
      cell: ({ tenantName, planId }) => (
        <span className="[overflow-wrap:anywhere]">
          {tenantName} <span className="text-ink-muted text-xs">{nameOf(planId)}</span>
        </span>
      ),
    },
    {
      id: "before",
      header: t`Before`,
      align: "end",
      cell: ({ before }) => formatMoney(before, currency),
    },
    {
      id: "after",
      header: t`After`,
      align: "end",
      cell: ({ after }) => formatMoney(after, currency),
    },
    {
      id: "change",
      header: t`Change`,
      align: "end",
      cell: ({ change }) => formatChange(change, currency),
    },
  ];
  return page.isError && page.data === undefined ? (
    <FailureNotice
      what={t`The customers could not be loaded.`}
      cause={page.error}
      onRetry={() => void page.refetch()}
    />
  ) : (
    <DataTable
      label={t`Customers behind the figure`}
      columns={columns}
      rows={page.data?.items}
      getRowId={({ tenantId }) => tenantId}
      getRowName={({ tenantName }) => tenantName}
      onRowOpen={({ tenantId }) => onOpenTenant(tenantId)}
      isStale={page.isPlaceholderData}
      empty={
        <p className="p-4 text-ink-muted">
          <Trans>No customer is behind this figure.</Trans>
        </p>
      }
      footer={
        <PageFooter
          trail={trail}
          count={page.data?.items.length}
          noun={[t`customer`, t`customers, the largest first`]}
        />
      }
    />
  );
}

function UsageRows({ month, currency, onOpenTenant }: RevenueRowsProps) {
  const { api } = usePlatform();
  const [cursor, setCursor] = useState<string>();
  const page = useQuery({
    ...usageInvoicesQuery(api, { month, currency, cursor }),
    placeholderData: keepPreviousData,
  });
  const trail = useCursorTrail({
    cursor,
    nextCursor: page.data?.nextCursor,
    onCursorChange: setCursor,
  });
  const columns: readonly Column<UsageInvoice>[] = [
    {
      id: "number",
      header: t`Invoice`,
      phone: "title",
      cell: ({ number }) => <span className="font-medium">{number}</span>,
    },
    {
      id: "tenant",
      header: t`Customer`,
      cell: ({ tenantName }) => <span className="[overflow-wrap:anywhere]">{tenantName}</span>,
    },
    { id: "issued", header: t`Issued`, cell: ({ issuedAt }) => formatDate(issuedAt) },
    {
      id: "usage",
      header: t`Usage`,
      align: "end",
      cell: ({ usage }) => formatMoney(usage, currency),
    },
  ];
  return page.isError && page.data === undefined ? (
    <FailureNotice
      what={t`The invoices could not be loaded.`}
      cause={page.error}
      onRetry={() => void page.refetch()}
    />
  ) : (
    <DataTable
      label={t`Invoices with usage`}
      columns={columns}
      rows={page.data?.items}
      getRowId={({ invoiceId }) => invoiceId}
      getRowName={({ number }) => number}
      onRowOpen={({ tenantId }) => onOpenTenant(tenantId)}
      isStale={page.isPlaceholderData}
      empty={
        <p className="p-4 text-ink-muted">
          <Trans>No invoice of this month charges usage.</Trans>
        </p>
      }
      footer={
        <PageFooter
          trail={trail}
          count={page.data?.items.length}
          noun={[t`invoice`, t`invoices, the largest first`]}
        />
      }
    />
  );
}
