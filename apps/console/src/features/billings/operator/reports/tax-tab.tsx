import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Badge } from "@turnpike/ui/badge";
import { Card } from "@turnpike/ui/card";
import type { Column } from "@turnpike/ui/column";
import { DataTable } from "@turnpike/ui/data-table";
import type { ColumnRoom } from "@turnpike/ui/data-table-room";
import { EmptyState } from "@turnpike/ui/empty-state";
import { Select } from "@turnpike/ui/select";
import { Skeleton } from "@turnpike/ui/skeleton";
import Landmark from "lucide-react/icons/landmark";
import { FailureNotice } from "#components/failure-notice.tsx";
import { formatCount } from "#platform/format.ts";
import { formatMoney } from "#platform/format-money.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { AllInvoicesProps } from "../all-invoices-props.ts";
import { CsvButton } from "./csv-button.tsx";
import { type TaxCell, type TaxReport, taxReportQuery } from "./reports.queries.ts";
import {
  cellKeyOf,
  formatPeriod,
  groupCells,
  listPeriods,
  nameCountry,
  quarterOf,
  SCHEME_LABELS,
} from "./tax.view-model.ts";
import { TaxDocuments } from "./tax-documents.tsx";

/** Taxes of what was issued in a period, by country, category and rate. */
export function TaxTab({ search, onSearchChange }: AllInvoicesProps) {
  const { api } = usePlatform();
  // The period of the first look; a chosen one is in the address.
  const period = search.period ?? quarterOf(Date.now());
  const report = useQuery({ ...taxReportQuery(api, period), placeholderData: keepPreviousData });
  const { data } = report;
  const open = data?.cells.find((cell) => cellKeyOf(cell) === search.cell);
  const show = (next: string, cell?: string) =>
    onSearchChange({
      view: "all",
      report: "tax",
      period: next,
      ...(cell === undefined ? {} : { cell }),
    });
  const firstMs =
    data === undefined || data.firstIssuedAt === null ? undefined : Date.parse(data.firstIssuedAt);
  const periods = listPeriods(Date.now(), firstMs);
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <div className="w-56 max-sm:grow">
          <Select
            label={t`Period`}
            value={period}
            choices={[...new Set([period, ...periods])].map((value) => ({
              value,
              label: formatPeriod(value),
            }))}
            onValueChange={(value) => show(value)}
          />
        </div>
        <CsvButton
          path={`/tax-report/csv?period=${period}`}
          fileName={`tax-${period}.csv`}
          label={t`All documents as CSV`}
        />
      </div>
      <p className="max-w-[75ch] text-ink-muted text-sm">
        <Trans>
          Invoices less credit notes, each by its date of issue in UTC and in its own currency. An
          invoice that was voided is taken back on the day it was voided. Nothing is converted, and
          nothing goes by the date of payment.
          {data?.isOver === false && t` This period is not over yet.`}
        </Trans>
      </p>
      {data === undefined ? (
        report.isError ? (
          <FailureNotice
            what={t`The tax report could not be loaded.`}
            cause={report.error}
            onRetry={() => void report.refetch()}
          />
        ) : (
          <div role="status" aria-label={t`Loading the tax report`} className="space-y-4">
            <Skeleton className="h-20 w-full rounded-card" />
            <Skeleton className="h-48 w-full rounded-card" />
          </div>
        )
      ) : (
        <Report data={data} onOpen={(cell) => show(period, cellKeyOf(cell))} />
      )}
      {open !== undefined && (
        <TaxDocuments
          key={search.cell}
          period={period}
          cell={open}
          onClose={() => show(period)}
          onOpenInvoice={(invoice, owner) => onSearchChange({ view: "all", invoice, owner })}
        />
      )}
    </div>
  );
}

function Report({ data, onOpen }: { data: TaxReport; onOpen: (cell: TaxCell) => void }) {
  if (data.totals.length === 0) {
    return (
      <EmptyState icon={<Landmark />} title={t`Nothing was issued`}>
        <Trans>No live invoice or credit note has its date in {formatPeriod(data.period)}.</Trans>
      </EmptyState>
    );
  }
  return (
    <>
      {groupCells(data).map(({ total, cells }) => (
        <Card
          key={total.currency}
          title={t`${total.currency}: ${formatMoney(total.net, total.currency)} net, ${formatMoney(total.tax, total.currency)} tax`}
          description={t`${formatCount(total.invoices)} invoices, ${formatCount(total.creditNotes)} credit notes, ${formatCount(total.voided)} voided.`}
        >
          <DataTable
            label={t`Taxes in ${total.currency}`}
            columns={CELL_COLUMNS}
            columnRoom={CELL_ROOM}
            rows={cells}
            getRowId={cellKeyOf}
            getRowName={({ country, category, rate }) =>
              `${nameCountry(country)}, ${category} ${rate} %`
            }
            onRowOpen={onOpen}
            empty={null}
          />
        </Card>
      ))}
      <EcSales data={data} />
    </>
  );
}

const CELL_ROOM: ColumnRoom = [
  ["country", 160],
  ["rate", 80],
  ["net", 130],
  ["tax", 120],
  ["scheme", 170],
  ["documents", 100],
];

const CELL_COLUMNS: readonly Column<TaxCell>[] = [
  {
    id: "country",
    header: t`Country`,
    phone: "title",
    cell: ({ country }) => nameCountry(country),
  },
  {
    id: "scheme",
    header: t`Rule`,
    cell: ({ scheme }) => (
      <Badge hasDot={false} tone={scheme === "untaxed" ? "warning" : "neutral"}>
        {SCHEME_LABELS[scheme]}
      </Badge>
    ),
  },
  {
    id: "rate",
    header: t`Rate`,
    align: "end",
    cell: ({ category, rate, name }) =>
      category === "none" ? "–" : `${name === null ? category : name} ${rate} %`,
  },
  {
    id: "documents",
    header: t`Documents`,
    align: "end",
    cell: ({ documents }) => formatCount(documents),
  },
  {
    id: "net",
    header: t`Net`,
    align: "end",
    cell: ({ net, currency }) => formatMoney(net, currency),
  },
  {
    id: "tax",
    header: t`Tax`,
    align: "end",
    cell: ({ tax, currency }) => formatMoney(tax, currency),
  },
];

function EcSales({ data: { ecSales } }: { data: TaxReport }) {
  return ecSales.length === 0 ? null : (
    <Card
      title={t`EC sales list`}
      description={t`What was sold by reverse charge, by the VAT id of the customer as it is on the documents.`}
    >
      <DataTable
        label={t`Sales by reverse charge`}
        columns={EC_COLUMNS}
        rows={ecSales}
        getRowId={({ currency, country, taxId }) => `${currency} ${country} ${taxId}`}
        getRowName={({ taxId }) => taxId}
        empty={null}
      />
    </Card>
  );
}

const EC_COLUMNS: readonly Column<TaxReport["ecSales"][number]>[] = [
  {
    id: "taxId",
    header: t`VAT id`,
    phone: "title",
    cell: ({ taxId }) => <span className="font-mono text-xs">{taxId === "" ? "–" : taxId}</span>,
  },
  {
    id: "name",
    header: t`Customer`,
    cell: ({ name }) => <span className="[overflow-wrap:anywhere]">{name}</span>,
  },
  { id: "country", header: t`Country`, cell: ({ country }) => nameCountry(country) },
  {
    id: "net",
    header: t`Net`,
    align: "end",
    cell: ({ net, currency }) => formatMoney(net, currency),
  },
];
