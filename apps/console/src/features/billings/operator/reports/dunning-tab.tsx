import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Badge, type Tone } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import type { Column } from "@turnpike/ui/column";
import { DataTable } from "@turnpike/ui/data-table";
import type { ColumnRoom } from "@turnpike/ui/data-table-room";
import { EmptyState } from "@turnpike/ui/empty-state";
import CircleCheck from "lucide-react/icons/circle-check";
import { FailureNotice } from "#components/failure-notice.tsx";
import { PageFooter } from "#components/page-footer.tsx";
import { useCursorTrail } from "#components/use-cursor-trail.ts";
import { formatMoney } from "#platform/format-money.ts";
import { formatDate } from "#platform/format-period.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { AllInvoicesProps } from "../all-invoices-props.ts";
import { STANDING_BADGES, STEP_LABELS } from "./dunning.view-model.ts";
import { type OverdueInvoice, overdueQuery } from "./reports.queries.ts";

const ROOM: ColumnRoom = [
  ["number", 150],
  ["tenant", 140],
  ["due", 110],
  ["days", 90],
  ["next", 180],
  ["blocked", 130],
  ["standing", 120],
];

const COLUMNS: readonly Column<OverdueInvoice>[] = [
  {
    id: "number",
    header: t`Invoice`,
    phone: "title",
    cell: ({ number }) => <span className="font-medium">{number}</span>,
  },
  {
    id: "tenant",
    header: t`Tenant`,
    cell: ({ tenantName }) => <span className="[overflow-wrap:anywhere]">{tenantName}</span>,
  },
  {
    id: "standing",
    header: t`Standing`,
    cell: ({ standing }) => {
      const { tone, label } = STANDING_BADGES[standing] ?? {
        tone: "neutral" as Tone,
        label: standing,
      };
      return <Badge tone={tone}>{label}</Badge>;
    },
  },
  {
    id: "days",
    header: t`Overdue for`,
    align: "end",
    cell: ({ daysOverdue }) =>
      `${String(daysOverdue)} ${plural(daysOverdue, { one: "day", other: "days" })}`,
  },
  {
    id: "next",
    header: t`Next step`,
    cell: ({ next }) =>
      next === null ? (
        <span className="text-ink-muted">
          <Trans>None: calls are denied</Trans>
        </span>
      ) : (
        `${STEP_LABELS[next.kind]}, ${formatDate(next.at)}`
      ),
  },
  {
    id: "blocked",
    header: t`Calls stop`,
    cell: ({ blockedAt }) => formatDate(blockedAt),
  },
  {
    id: "due",
    header: t`To pay`,
    align: "end",
    cell: ({ due, currency }) => formatMoney(due, currency),
  },
];

/** Open invoices past their due date, each with what follows and when calls stop. */
export function DunningTab({ search, onSearchChange }: AllInvoicesProps) {
  const { api } = usePlatform();
  const { currency, age, cursor } = search;
  const page = useQuery({
    ...overdueQuery(api, { currency, age, cursor }),
    placeholderData: keepPreviousData,
  });
  const filters = {
    ...(currency === undefined ? {} : { currency }),
    ...(age === undefined ? {} : { age }),
  };
  const trail = useCursorTrail({
    cursor,
    nextCursor: page.data?.nextCursor,
    onCursorChange: (next) =>
      onSearchChange({
        view: "all",
        report: "dunning",
        ...filters,
        ...(next === undefined ? {} : { cursor: next }),
      }),
  });
  const isFiltered = currency !== undefined || age !== undefined;
  const showAll = () => onSearchChange({ view: "all", report: "dunning" });
  if (page.isError && page.data === undefined) {
    return (
      <FailureNotice
        what={t`The overdue invoices could not be loaded.`}
        cause={page.error}
        onRetry={() => void page.refetch()}
      />
    );
  }
  return (
    <div className="space-y-3">
      <p className="max-w-[75ch] text-ink-muted text-sm">
        <Trans>
          What follows an invoice that is not paid. Payment, a credit note or a void invoice ends it
          at once; an invoice that is written off blocks nothing.
        </Trans>
      </p>
      {isFiltered && (
        <p className="flex flex-wrap items-center gap-2 text-sm">
          <Trans>
            Shown:{" "}
            {[currency, age === undefined ? undefined : t`overdue from ${String(age)} days`]
              .filter(Boolean)
              .join(", ")}
            <Button look="quiet" size="small" onClick={showAll}>
              Show all
            </Button>
          </Trans>
        </p>
      )}
      <DataTable
        label={t`Overdue invoices`}
        columns={COLUMNS}
        columnRoom={ROOM}
        rows={page.data?.items}
        getRowId={({ invoiceId }) => invoiceId}
        getRowName={({ number, tenantName }) => t`${number} of ${tenantName}`}
        onRowOpen={({ invoiceId, tenantId }) =>
          onSearchChange({ view: "all", invoice: invoiceId, owner: tenantId })
        }
        isStale={page.isPlaceholderData}
        empty={
          <EmptyState icon={<CircleCheck />} title={t`Nothing is overdue`}>
            {isFiltered
              ? t`No overdue invoice has these properties.`
              : t`Every live invoice is paid, or its due date is still ahead.`}
          </EmptyState>
        }
        footer={
          <PageFooter
            trail={trail}
            count={page.data?.items.length}
            noun={[t`invoice`, t`invoices, the longest overdue first`]}
          />
        }
      />
    </div>
  );
}
