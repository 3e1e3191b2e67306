import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Sheet } from "@turnpike/ui/sheet";
import { Skeleton } from "@turnpike/ui/skeleton";
import { FailureNotice } from "#components/failure-notice.tsx";
import type { BillingPlace } from "#platform/billing-queries.ts";
import { formatMoney } from "#platform/format-money.ts";
import { formatMinute } from "#platform/format-period.ts";
import { usePlatform } from "#platform/platform.tsx";
import { creditsQueries } from "./credits.queries.ts";
import { describeEntry } from "./credits.view-model.ts";

export type CreditHistoryProps = {
  place: BillingPlace;
  currency: string;
  isOpen: boolean;
  onClose: () => void;
};

/** Every entry of the ledger of credit: what is left is their sum. */
export function CreditHistory({ isOpen, onClose, ...of }: CreditHistoryProps) {
  return (
    <Sheet
      isOpen={isOpen}
      onClose={onClose}
      title={t`History of credits`}
      description={t`What is left is the sum of all of it.`}
    >
      {isOpen && <Entries {...of} />}
    </Sheet>
  );
}

function Entries({ place, currency }: Pick<CreditHistoryProps, "place" | "currency">) {
  const entries = useInfiniteQuery(creditsQueries.entries(usePlatform().api, place));
  const items = entries.data?.pages.flatMap((page) => page.items);
  if (items === undefined) {
    return entries.isError ? (
      <FailureNotice
        what={t`The history could not be loaded.`}
        cause={entries.error}
        onRetry={() => void entries.refetch()}
      />
    ) : (
      <div role="status" aria-label={t`Loading the history`}>
        <Skeleton className="h-40 w-full" />
      </div>
    );
  }
  return (
    <>
      <ol className="divide-y divide-line">
        {items.map((entry) => (
          <li key={entry.entryId} className="flex justify-between gap-4 py-2">
            <div className="min-w-0">
              <p className="[overflow-wrap:anywhere]">{describeEntry(entry)}</p>
              <time dateTime={entry.at} className="text-ink-muted text-xs tabular-nums">
                {formatMinute(entry.at)}
              </time>
            </div>
            <p className="shrink-0 tabular-nums">{formatMoney(entry.amount, currency)}</p>
          </li>
        ))}
      </ol>
      {entries.hasNextPage && (
        <Button
          className="mt-3"
          progress={entries.isFetchingNextPage ? t`Loading…` : undefined}
          onClick={() => void entries.fetchNextPage()}
        >
          <Trans>Show earlier entries</Trans>
        </Button>
      )}
    </>
  );
}
