import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { DataTable } from "@turnpike/ui/data-table";
import { EmptyState } from "@turnpike/ui/empty-state";
import { Select } from "@turnpike/ui/select";
import ReceiptText from "lucide-react/icons/receipt-text";
import { FailureNotice } from "#components/failure-notice.tsx";
import { PageFooter } from "#components/page-footer.tsx";
import { useCursorTrail } from "#components/use-cursor-trail.ts";
import { subscriptionQuery } from "#platform/billing-queries.ts";
import { usePlatform } from "#platform/platform.tsx";
import { billingsQueries } from "./billings.queries.ts";
import type { BillingsProps } from "./billings-props.ts";
import { INVOICE_STATES } from "./billings-search.view-model.ts";
import { STATE_LABELS } from "./invoice.view-model.ts";
import { makeInvoiceColumns } from "./invoice-columns.tsx";

/** The issued invoices, newest first. */
export function InvoicesSection({ place, search, onSearchChange }: BillingsProps) {
  const { api } = usePlatform();
  const { state, cursor } = search;
  const now = useQuery(subscriptionQuery(api, place)).data?.now;
  const invoices = useQuery({
    ...billingsQueries.invoices(api, place, search),
    placeholderData: keepPreviousData,
  });
  const trail = useCursorTrail({
    cursor,
    nextCursor: invoices.data?.nextCursor,
    onCursorChange: (next) => {
      const { cursor: _, ...rest } = search;
      onSearchChange(next === undefined ? rest : { ...rest, cursor: next });
    },
  });
  return (
    <section aria-labelledby="invoices" className="space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 id="invoices" className="font-semibold text-base">
          <Trans>Invoices</Trans>
        </h2>
        <Select
          label={t`State of the invoices`}
          className="w-40!"
          value={state ?? "all"}
          choices={[
            { value: "all", label: t`All states` },
            ...INVOICE_STATES.map((value) => ({ value, label: STATE_LABELS[value] })),
          ]}
          onValueChange={(chosen) => {
            const known = INVOICE_STATES.find((value) => value === chosen);
            const { state: _, cursor: __, ...rest } = search;
            onSearchChange(known === undefined ? rest : { ...rest, state: known });
          }}
        />
      </div>
      {invoices.isError && invoices.data === undefined ? (
        <FailureNotice
          what={t`The invoices could not be loaded.`}
          cause={invoices.error}
          onRetry={() => void invoices.refetch()}
        />
      ) : (
        <DataTable
          label={t`Invoices`}
          columns={makeInvoiceColumns(now)}
          rows={invoices.data?.items}
          getRowId={({ invoiceId }) => invoiceId}
          getRowName={({ number }) => number}
          isStale={invoices.isPlaceholderData}
          onRowOpen={({ invoiceId }) => onSearchChange({ invoice: invoiceId })}
          empty={
            <EmptyState
              icon={<ReceiptText />}
              title={state === undefined ? t`No invoices yet` : t`No invoice in this state`}
            >
              {state === undefined
                ? t`One is issued when a plan is chosen or renewed with something to charge.`
                : t`Choose another state to see the others.`}
            </EmptyState>
          }
          footer={
            <PageFooter
              trail={trail}
              count={invoices.data?.items.length}
              noun={[t`invoice`, t`invoices, newest first`]}
            />
          }
        />
      )}
    </section>
  );
}
