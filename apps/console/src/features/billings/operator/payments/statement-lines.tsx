import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { SegmentedControl } from "@turnpike/ui/segmented-control";
import { useState } from "react";
import { usePlatform } from "#platform/platform.tsx";
import type { AllInvoicesProps } from "../all-invoices-props.ts";
import { DecidedLines } from "./decided-lines.tsx";
import { ImportDialog } from "./import-dialog.tsx";
import { OpenLines } from "./open-lines.tsx";
import { openLinesQuery, type StatementLine } from "./payments.queries.ts";
import { usePaymentChange } from "./use-payment-change.ts";

const STATES: readonly { value: StatementLine["state"]; label: string }[] = [
  { value: "open", label: t`To be matched` },
  { value: "ignored", label: t`No payment` },
  { value: "matched", label: t`Matched` },
];

/** What the bank reported: lines that wait, and those that are decided. */
export function StatementLines({ search, onSearchChange }: AllInvoicesProps) {
  const [isImporting, setIsImporting] = useState(false);
  const { lines, ...rest } = search;
  return (
    <section aria-labelledby="statement-lines" className="space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 id="statement-lines" className="font-semibold text-base">
          <Trans>Bank statements</Trans>
        </h2>
        <div className="flex flex-wrap gap-2">
          <MatchCertainButton />
          <Button look="primary" onClick={() => setIsImporting(true)}>
            <Trans>Import statement</Trans>
          </Button>
        </div>
      </div>
      <SegmentedControl
        label={t`Lines`}
        segments={STATES}
        value={lines ?? "open"}
        onValueChange={(state) =>
          onSearchChange(state === "open" ? rest : { ...rest, lines: state })
        }
      />
      {lines === undefined ? (
        <OpenLines onSearchChange={onSearchChange} />
      ) : (
        <DecidedLines key={lines} state={lines} />
      )}
      <ImportDialog isOpen={isImporting} onClose={() => setIsImporting(false)} />
    </section>
  );
}

/** Matches all lines whose reference and amount leave no doubt; nothing while there are none. */
function MatchCertainButton() {
  const items = useQuery(openLinesQuery(usePlatform().api)).data?.items ?? [];
  const certain = items.filter(({ proposals }) => proposals[0]?.isCertain === true).length;
  const { mutation, submit } = usePaymentChange({
    change: (payments) => payments.matchCertainLines({}),
    toSuccess: ({ matched, open }) =>
      t`${String(matched)} matched, ${String(open)} ${plural(open, { one: "waits", other: "wait" })}.`,
  });
  return (
    certain > 0 && (
      <Button
        progress={mutation.isPending ? t`Matching…` : undefined}
        onClick={() => submit(undefined)}
      >
        <Trans>Match {certain} certain</Trans>
      </Button>
    )
  );
}
