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
import { type TaxCell, type TaxDocument, taxDocumentsQuery } from "./reports.queries.ts";
import { formatPeriod, nameCountry, SCHEME_LABELS } from "./tax.view-model.ts";

const KIND_LABELS: Readonly<Record<TaxDocument["kind"], string>> = {
  invoice: t`Invoice`,
  credit_note: t`Credit note`,
  void: t`Voided`,
};

/** The documents behind a row of the tax report. */
export function TaxDocuments({
  period,
  cell,
  onClose,
  onOpenInvoice,
}: {
  period: string;
  cell: TaxCell;
  onClose: () => void;
  onOpenInvoice: (invoiceId: string, tenantId: string) => void;
}) {
  const { api } = usePlatform();
  const [cursor, setCursor] = useState<string>();
  const page = useQuery({
    ...taxDocumentsQuery(api, { period, cell, cursor }),
    placeholderData: keepPreviousData,
  });
  const trail = useCursorTrail({
    cursor,
    nextCursor: page.data?.nextCursor,
    onCursorChange: setCursor,
  });
  const { currency } = cell;
  const columns: readonly Column<TaxDocument>[] = [
    {
      id: "number",
      header: t`Document`,
      phone: "title",
      cell: ({ number, kind }) => (
        <span>
          <span className="font-medium">{number}</span>{" "}
          <span className="text-ink-muted text-xs">{KIND_LABELS[kind]}</span>
        </span>
      ),
    },
    {
      id: "customer",
      header: t`Customer`,
      cell: ({ customerName }) => <span className="[overflow-wrap:anywhere]">{customerName}</span>,
    },
    { id: "at", header: t`Date`, cell: ({ at }) => formatDate(at) },
    { id: "net", header: t`Net`, align: "end", cell: ({ net }) => formatMoney(net, currency) },
    { id: "tax", header: t`Tax`, align: "end", cell: ({ tax }) => formatMoney(tax, currency) },
  ];
  return (
    <Sheet
      isOpen
      onClose={onClose}
      title={`${nameCountry(cell.country)}, ${SCHEME_LABELS[cell.scheme]}`}
      description={t`${formatPeriod(period)}: ${formatMoney(cell.net, currency)} net, ${formatMoney(cell.tax, currency)} tax at ${cell.rate} %.`}
    >
      {page.isError && page.data === undefined ? (
        <FailureNotice
          what={t`The documents could not be loaded.`}
          cause={page.error}
          onRetry={() => void page.refetch()}
        />
      ) : (
        <DataTable
          label={t`Documents behind the sum`}
          columns={columns}
          rows={page.data?.items}
          getRowId={({ documentId, kind }) => `${documentId} ${kind}`}
          getRowName={({ number }) => number}
          onRowOpen={({ invoiceId, tenantId }) => onOpenInvoice(invoiceId, tenantId)}
          isStale={page.isPlaceholderData}
          empty={
            <p className="p-4 text-ink-muted">
              <Trans>No document is behind this sum.</Trans>
            </p>
          }
          footer={
            <PageFooter
              trail={trail}
              count={page.data?.items.length}
              noun={[t`document`, t`documents, oldest first`]}
            />
          }
        />
      )}
    </Sheet>
  );
}
