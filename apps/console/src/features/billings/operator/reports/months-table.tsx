import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { Column } from "@turnpike/ui/column";
import { DataTable } from "@turnpike/ui/data-table";
import type { ColumnRoom } from "@turnpike/ui/data-table-room";
import { formatMoney, isZero } from "#platform/format-money.ts";
import { FigureButton } from "./figure-button.tsx";
import type { RevenueMonth, RevenueOfCurrency } from "./reports.queries.ts";
import type { RowKind } from "./reports-search.view-model.ts";
import {
  FIGURE_LABELS,
  figureOf,
  formatChange,
  formatMonth,
  formatShare,
} from "./revenue.view-model.ts";

const ROOM: ColumnRoom = [
  ["month", 110],
  ["closing", 120],
  ["new", 100],
  ["churned", 100],
  ["expansion", 100],
  ["contraction", 100],
  ["retention", 80],
  ["usage", 110],
  ["reactivated", 100],
];

const MOVES = ["new", "reactivated", "expansion", "contraction", "churned"] as const;

/** Each month with its movements; every figure opens to its rows. */
export function MonthsTable({
  revenue,
  onOpen,
}: {
  revenue: RevenueOfCurrency;
  onOpen: (month: string, rows: RowKind) => void;
}) {
  const { currency } = revenue;
  const figure = (month: RevenueMonth, kind: RowKind) => {
    const amount = figureOf(month, kind);
    const isMove = kind !== "closing" && kind !== "usage";
    const text = isMove ? formatChange(amount, currency) : formatMoney(amount, currency);
    return isZero(amount) ? (
      <span className="text-ink-faint">{isMove ? "–" : text}</span>
    ) : (
      <FigureButton
        label={`${FIGURE_LABELS[kind]}, ${formatMonth(month.month, "long")}: ${text}`}
        onOpen={() => onOpen(month.month, kind)}
      >
        {text}
      </FigureButton>
    );
  };
  const columns: readonly Column<RevenueMonth>[] = [
    {
      id: "month",
      header: t`Month`,
      phone: "title",
      cell: ({ month, isOver }) => (
        <span className="whitespace-nowrap font-medium">
          {formatMonth(month)}
          {!isOver && (
            <span className="font-normal text-ink-muted">
              {" "}
              <Trans>so far</Trans>
            </span>
          )}
        </span>
      ),
    },
    ...MOVES.map(
      (kind): Column<RevenueMonth> => ({
        id: kind,
        header: FIGURE_LABELS[kind],
        align: "end",
        cell: (month) => figure(month, kind),
      }),
    ),
    {
      id: "closing",
      header: FIGURE_LABELS.closing,
      align: "end",
      cell: (month) => figure(month, "closing"),
    },
    {
      id: "retention",
      header: "NRR",
      align: "end",
      cell: ({ netRetention }) => formatShare(netRetention),
    },
    {
      id: "usage",
      header: FIGURE_LABELS.usage,
      align: "end",
      cell: (month) => figure(month, "usage"),
    },
  ];
  return (
    <DataTable
      label={t`Recurring revenue by month in ${currency}`}
      columns={columns}
      columnRoom={ROOM}
      rows={[...revenue.months].reverse()}
      getRowId={({ month }) => month}
      getRowName={({ month }) => formatMonth(month, "long")}
      empty={null}
    />
  );
}
