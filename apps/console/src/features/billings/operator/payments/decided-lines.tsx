import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { EmptyState } from "@turnpike/ui/empty-state";
import Landmark from "lucide-react/icons/landmark";
import { usePlatform } from "#platform/platform.tsx";
import { LineRow } from "./line-row.tsx";
import { LinesPending } from "./lines-pending.tsx";
import { decidedLinesQuery, type LineId, type StatementLine } from "./payments.queries.ts";
import { usePaymentChange } from "./use-payment-change.ts";

export type DecidedState = Exclude<StatementLine["state"], "open">;

const EMPTY: Readonly<Record<DecidedState, { title: string; text: string }>> = {
  ignored: {
    title: t`Nothing is set aside`,
    text: t`Lines that are no payment of a customer appear here with the reason.`,
  },
  matched: {
    title: t`Nothing is matched yet`,
    text: t`Lines that were taken as a payment appear here.`,
  },
};

/** Lines of bank statements that are decided, newest first; one that was set aside can be looked at again. */
export function DecidedLines({ state }: { state: DecidedState }) {
  const lines = useInfiniteQuery(decidedLinesQuery(usePlatform().api, state));
  const items = lines.data?.pages.flatMap((page) => page.items);
  if (items === undefined) {
    return <LinesPending lines={lines} />;
  }
  if (items.length === 0) {
    return (
      <EmptyState icon={<Landmark />} title={EMPTY[state].title}>
        {EMPTY[state].text}
      </EmptyState>
    );
  }
  return (
    <>
      <ul className="divide-y divide-line rounded-card border border-line bg-surface">
        {items.map((line) => (
          <LineRow
            key={line.lineId}
            line={line}
            note={line.note ?? <Trans>From {line.statement}</Trans>}
            action={line.state === "ignored" && <ReopenButton lineId={line.lineId} />}
          />
        ))}
      </ul>
      {lines.hasNextPage && (
        <Button
          progress={lines.isFetchingNextPage ? t`Loading…` : undefined}
          onClick={() => void lines.fetchNextPage()}
        >
          <Trans>Show earlier lines</Trans>
        </Button>
      )}
    </>
  );
}

function ReopenButton({ lineId }: { lineId: string }) {
  const { mutation, submit } = usePaymentChange({
    change: (payments) => payments.reopenStatementLine({ lineId: lineId as LineId }),
    toSuccess: () => t`The line waits to be matched again.`,
  });
  return (
    <Button
      size="small"
      progress={mutation.isPending ? t`Reopening…` : undefined}
      onClick={() => submit(undefined)}
    >
      <Trans>Reopen line</Trans>
    </Button>
  );
}
