import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import type { RecordedCall } from "@turnpike/contract/calls";
import { Button } from "@turnpike/ui/button";
import { EmptyState } from "@turnpike/ui/empty-state";
import { Skeleton } from "@turnpike/ui/skeleton";
import ListTree from "lucide-react/icons/list-tree";
import RefreshCw from "lucide-react/icons/refresh-cw";
import { DocsLink } from "#components/docs-link.tsx";
import { FailureNotice } from "#components/failure-notice.tsx";
import { formatCount, formatInstant } from "#platform/format.ts";
import { LiveRows, type LiveRowsProps } from "../live/live-rows.tsx";

type CallsPage = {
  items: readonly RecordedCall[];
  searchedFrom: string;
  keptFrom: string;
  omitted: number;
};

export type FoundCallsProps = Pick<LiveRowsProps, "timeZone" | "keyNames" | "owner"> & {
  calls: UseInfiniteQueryResult<InfiniteData<CallsPage>>;
  /** What is listed. */
  caption: string;
  /** What is said of calls that are not kept, behind a sentence. */
  toOmittedNote: (omitted: number) => string;
  /** The page that says which calls are kept. */
  docs: string;
  onOpen: (requestId: string) => void;
};

/** Calls page by page, newest first, and how far back they go. */
export function FoundCalls(props: FoundCallsProps) {
  const { calls, caption, timeZone, keyNames, owner, docs, onOpen } = props;
  const pages = calls.data?.pages;
  if (calls.isError && pages === undefined) {
    return (
      <FailureNotice
        what={t`The calls could not be loaded.`}
        cause={calls.error}
        onRetry={() => void calls.refetch()}
      />
    );
  }
  const last = pages?.at(-1);
  if (pages === undefined || last === undefined) {
    return (
      <div role="status" aria-label={t`Loading calls`}>
        <Skeleton className="h-72 w-full rounded-card" />
      </div>
    );
  }
  // Counted down, so that a call keeps its number when older ones are added behind it.
  const rows = pages
    .flatMap(({ items }) => items)
    .map((call, place) => ({ kind: "call" as const, seq: -place, call }));
  return (
    <section
      aria-label={caption}
      className="overflow-hidden rounded-card border border-line bg-surface"
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-line border-b px-3 py-2">
        <p role="status" className="min-w-0 grow text-ink-muted text-xs tabular-nums">
          <Trans>
            {formatCount(rows.length)} shown, back to {formatInstant(last.searchedFrom)}. Calls are
            kept since {formatInstant(last.keptFrom)}
            {last.omitted > 0 && props.toOmittedNote(last.omitted)}.
          </Trans>
        </p>
        <Button
          size="small"
          progress={calls.isRefetching ? t`Loading…` : undefined}
          onClick={() => void calls.refetch()}
        >
          <RefreshCw className="size-3.5" aria-hidden="true" />
          <Trans>Refresh</Trans>
        </Button>
      </div>
      <LiveRows
        rows={rows}
        caption={caption}
        hasDates
        timeZone={timeZone}
        keyNames={keyNames}
        {...(owner !== undefined && { owner })}
        isFiltered={false}
        onOpen={(call) => onOpen(call.requestId)}
        empty={
          <EmptyState icon={<ListTree />} title={t`No calls found`}>
            <Trans>
              No call that is kept matches the range and the filters
              {calls.hasNextPage ? t` so far: look further back` : ""}.{" "}
              <DocsLink page={docs}>Which calls are kept</DocsLink>
            </Trans>
          </EmptyState>
        }
      />
      {calls.hasNextPage && (
        <div className="border-line border-t p-2 text-center">
          <Button
            progress={calls.isFetchingNextPage ? t`Looking…` : undefined}
            onClick={() => void calls.fetchNextPage()}
          >
            <Trans>Look further back</Trans>
          </Button>
        </div>
      )}
    </section>
  );
}
