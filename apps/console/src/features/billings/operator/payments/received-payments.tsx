import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import type { Column } from "@turnpike/ui/column";
import { DataTable } from "@turnpike/ui/data-table";
import type { ColumnRoom } from "@turnpike/ui/data-table-room";
import { EmptyState } from "@turnpike/ui/empty-state";
import Coins from "lucide-react/icons/coins";
import { useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { PageFooter } from "#components/page-footer.tsx";
import { useCursorTrail } from "#components/use-cursor-trail.ts";
import type { Environment } from "#platform/current-environment.ts";
import { formatMoney, isZero } from "#platform/format-money.ts";
import { formatDate } from "#platform/format-period.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { AllInvoicesProps } from "../all-invoices-props.ts";
import { paymentsQuery, type ReceivedPayment } from "./payments.queries.ts";
import { RefundDialog } from "./refund-dialog.tsx";
import { listWaitingRefunds, WaitingRefund } from "./waiting-refund.tsx";

const ROOM: ColumnRoom = [
  ["tenant", 160],
  ["amount", 120],
  ["refund", 90],
  ["invoices", 170],
  ["received", 120],
  ["refunded", 170],
  ["provider", 100],
];

const PROVIDERS: Readonly<Record<string, string>> = { manual: t`Transfer`, stripe: t`Stripe` };

function makeColumns(onRefund: (payment: ReceivedPayment) => void): Column<ReceivedPayment>[] {
  return [
    {
      id: "tenant",
      header: t`Tenant`,
      phone: "title",
      cell: ({ tenantName }) => (
        <span className="font-medium [overflow-wrap:anywhere]">{tenantName}</span>
      ),
    },
    {
      id: "invoices",
      header: t`Paid`,
      cell: ({ invoices, toBalance, currency }) => (
        <span className="[overflow-wrap:anywhere]">
          {invoices.map(({ number }) => number).join(", ")}
          {!isZero(toBalance) && (
            <span className="block text-ink-muted text-xs">
              <Trans>{formatMoney(toBalance, currency)} to the balance</Trans>
            </span>
          )}
        </span>
      ),
    },
    { id: "received", header: t`Received`, cell: ({ receivedAt }) => formatDate(receivedAt) },
    { id: "provider", header: t`By`, cell: ({ provider }) => PROVIDERS[provider] ?? provider },
    {
      id: "refunded",
      header: t`Refunded`,
      align: "end",
      cell: (payment) => (
        <>
          {isZero(payment.refunded) ? "–" : formatMoney(payment.refunded, payment.currency)}
          {listWaitingRefunds(payment).map((refund) => (
            <WaitingRefund key={refund.refundId} refund={refund} currency={payment.currency} />
          ))}
        </>
      ),
    },
    {
      id: "amount",
      header: t`Amount`,
      align: "end",
      cell: ({ amount, currency }) => formatMoney(amount, currency),
    },
    {
      id: "refund",
      header: t`Refund`,
      align: "end",
      cell: (payment) =>
        isZero(payment.left) ? (
          <span className="text-ink-muted">
            <Trans>Nothing left</Trans>
          </span>
        ) : (
          <Button size="small" onClick={() => onRefund(payment)}>
            <Trans context="action">Refund</Trans>
          </Button>
        ),
    },
  ];
}

/** All money that was received, newest first. */
export function ReceivedPayments({
  search,
  onSearchChange,
  environment,
}: AllInvoicesProps & { environment: Environment }) {
  const { api } = usePlatform();
  const [refunded, setRefunded] = useState<ReceivedPayment>();
  const { cursor, lines } = search;
  const page = useQuery({
    ...paymentsQuery(api, { environment, cursor }),
    placeholderData: keepPreviousData,
  });
  const trail = useCursorTrail({
    cursor,
    nextCursor: page.data?.nextCursor,
    onCursorChange: (next) =>
      onSearchChange({
        view: "all",
        report: "payments",
        ...(lines === undefined ? {} : { lines }),
        ...(next === undefined ? {} : { cursor: next }),
      }),
  });
  return (
    <section aria-labelledby="received" className="space-y-3">
      <h2 id="received" className="font-semibold text-base">
        <Trans>Received</Trans>
      </h2>
      {page.isError && page.data === undefined ? (
        <FailureNotice
          what={t`The payments could not be loaded.`}
          cause={page.error}
          onRetry={() => void page.refetch()}
        />
      ) : (
        <DataTable
          label={t`Payments received`}
          columns={makeColumns(setRefunded)}
          columnRoom={ROOM}
          rows={page.data?.items}
          getRowId={({ paymentId }) => paymentId}
          getRowName={({ amount, currency, tenantName }) =>
            t`${formatMoney(amount, currency)} of ${tenantName}`
          }
          isStale={page.isPlaceholderData}
          empty={
            <EmptyState icon={<Coins />} title={t`No payments yet`}>
              <Trans>
                Payments appear here when they are collected, imported or recorded on an invoice.
              </Trans>
            </EmptyState>
          }
          footer={
            <PageFooter
              trail={trail}
              count={page.data?.items.length}
              noun={[t`payment`, t`payments, newest first`]}
            />
          }
        />
      )}
      {refunded !== undefined && (
        <RefundDialog
          key={refunded.paymentId}
          payment={refunded}
          onClose={() => setRefunded(undefined)}
        />
      )}
    </section>
  );
}
