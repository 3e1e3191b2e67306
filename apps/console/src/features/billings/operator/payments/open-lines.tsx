import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { EmptyState } from "@turnpike/ui/empty-state";
import { Skeleton } from "@turnpike/ui/skeleton";
import Landmark from "lucide-react/icons/landmark";
import { useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { formatMoney } from "#platform/format-money.ts";
import { formatDate } from "#platform/format-period.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { AllInvoicesProps } from "../all-invoices-props.ts";
import { ImportDialog } from "./import-dialog.tsx";
import { LineDialog } from "./line-dialog.tsx";
import { openLinesQuery, type StatementLine } from "./payments.queries.ts";
import { describeProposal, isIncoming } from "./payments.view-model.ts";
import { usePaymentChange } from "./use-payment-change.ts";

/** Lines of bank statements that wait until it is said what they pay. */
export function OpenLines({ onSearchChange }: AllInvoicesProps) {
  const { api } = usePlatform();
  const [isImporting, setIsImporting] = useState(false);
  const [line, setLine] = useState<StatementLine>();
  const lines = useQuery(openLinesQuery(api));
  const items = lines.data?.items;
  const certain = items?.filter(({ proposals }) => proposals[0]?.isCertain === true).length ?? 0;
  const { mutation, submit } = usePaymentChange({
    change: (payments) => payments.matchCertainLines({}),
    toSuccess: ({ matched, open }) =>
      t`${String(matched)} matched, ${String(open)} ${plural(open, { one: "waits", other: "wait" })}.`,
  });
  return (
    <section aria-labelledby="open-lines" className="space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 id="open-lines" className="font-semibold text-base">
          <Trans>To be matched</Trans>
        </h2>
        <div className="flex flex-wrap gap-2">
          {certain > 0 && (
            <Button
              progress={mutation.isPending ? t`Matching…` : undefined}
              onClick={() => submit(undefined)}
            >
              <Trans>Match {certain} certain</Trans>
            </Button>
          )}
          <Button look="primary" onClick={() => setIsImporting(true)}>
            <Trans>Import statement</Trans>
          </Button>
        </div>
      </div>
      {lines.isError && items === undefined ? (
        <FailureNotice
          what={t`The lines could not be loaded.`}
          cause={lines.error}
          onRetry={() => void lines.refetch()}
        />
      ) : items === undefined ? (
        <div role="status" aria-label={t`Loading the lines`}>
          <Skeleton className="h-24 w-full rounded-card" />
        </div>
      ) : items.length === 0 ? (
        <EmptyState icon={<Landmark />} title={t`Nothing waits`}>
          <Trans>
            Import a statement of your bank, as CSV or camt.053, to find what was transferred.
          </Trans>
        </EmptyState>
      ) : (
        <ul className="divide-y divide-line rounded-card border border-line bg-surface">
          {items.map((item) => (
            <LineRow
              key={item.lineId}
              line={item}
              onDecide={() => setLine(item)}
              onOpenInvoice={(invoice, owner) => onSearchChange({ view: "all", invoice, owner })}
            />
          ))}
        </ul>
      )}
      <ImportDialog isOpen={isImporting} onClose={() => setIsImporting(false)} />
      {line !== undefined && (
        <LineDialog key={line.lineId} line={line} onClose={() => setLine(undefined)} />
      )}
    </section>
  );
}

function LineRow({
  line,
  onDecide,
  onOpenInvoice,
}: {
  line: StatementLine;
  onDecide: () => void;
  onOpenInvoice: (invoiceId: string, tenantId: string) => void;
}) {
  const [best] = line.proposals;
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-64 [overflow-wrap:anywhere]">
        <p className="font-medium">
          {line.payer === "" ? t`Unnamed payer` : line.payer}{" "}
          <span className="font-normal text-ink-muted">{formatDate(line.bookedOn)}</span>
        </p>
        <p className="text-ink-muted text-sm">{line.purpose}</p>
        {best !== undefined && (
          <p className="mt-1 text-sm">
            <button
              type="button"
              className="cursor-pointer font-medium underline underline-offset-4"
              onClick={() => onOpenInvoice(best.invoiceId, best.tenantId)}
            >
              {best.number}
            </button>
            <Trans>
              {" "}
              of {best.tenantName}: {describeProposal(best)}
            </Trans>
          </p>
        )}
      </div>
      <div className="flex items-center gap-3 max-sm:w-full max-sm:justify-between">
        <p
          className={isIncoming(line) ? "font-medium tabular-nums" : "text-ink-muted tabular-nums"}
        >
          {formatMoney(line.amount, line.currency)}
        </p>
        <Button size="small" onClick={onDecide}>
          <Trans>Decide</Trans>
        </Button>
      </div>
    </li>
  );
}
