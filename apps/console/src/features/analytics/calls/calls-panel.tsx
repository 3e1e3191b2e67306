import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { EmptyState } from "@turnpike/ui/empty-state";
import { SearchField } from "@turnpike/ui/search-field";
import { Skeleton } from "@turnpike/ui/skeleton";
import ListTree from "lucide-react/icons/list-tree";
import RefreshCw from "lucide-react/icons/refresh-cw";
import { useState } from "react";
import { DocsLink } from "#components/docs-link.tsx";
import { FailureNotice } from "#components/failure-notice.tsx";
import { formatCount, formatInstant } from "#platform/format.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { AnalyticsScope } from "../analytics.queries.ts";
import type { AnalyticsView } from "../analytics-search.view-model.ts";
import type { KeyName } from "../breakdown.view-model.ts";
import { FacetFilters } from "../filters/facet-filters.tsx";
import { RangeChoice } from "../filters/filter-bar.tsx";
import { FilterChips } from "../filters/filter-chips.tsx";
import { LiveRows } from "../live/live-rows.tsx";
import { CallDialog } from "./call-dialog.tsx";
import { callsQueries } from "./calls.queries.ts";
import { isRequestId } from "./request-id.ts";

export type CallsPanelProps = {
  scope: AnalyticsScope;
  keyNames: ReadonlyMap<string, KeyName>;
  nowMs: number;
  /** The request whose call is open. */
  requestId: string | undefined;
  onChange: (view: AnalyticsView) => void;
  onOpen: (requestId: string | undefined) => void;
};

/** The recent calls of the tenant, searched by request, key, route, status and time. */
export function CallsPanel(props: CallsPanelProps) {
  const { scope, keyNames, nowMs, requestId, onChange, onOpen } = props;
  const { view, timeZone } = scope;
  return (
    <div className="space-y-3">
      <search aria-label={t`Calls`} className="space-y-2">
        <div className="flex flex-wrap items-center gap-2">
          <RequestSearch onFind={onOpen} />
          <RangeChoice view={view} timeZone={timeZone} nowMs={nowMs} onChange={onChange} />
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <FacetFilters scope={scope} keyNames={keyNames} onChange={onChange} />
        </div>
        <FilterChips view={view} keyNames={keyNames} onChange={onChange} />
      </search>
      <FoundCalls scope={scope} keyNames={keyNames} onOpen={onOpen} />
      <CallDialog
        scope={scope}
        keyNames={keyNames}
        requestId={requestId}
        onClose={() => onOpen(undefined)}
      />
    </div>
  );
}

/** Opens a call by the id of its request. */
function RequestSearch({ onFind }: { onFind: (requestId: string) => void }) {
  const [text, setText] = useState("");
  const [isWrong, setIsWrong] = useState(false);
  return (
    <form
      className="w-full sm:w-96"
      onSubmit={(event) => {
        event.preventDefault();
        const wanted = text.trim();
        setIsWrong(!isRequestId(wanted));
        if (isRequestId(wanted)) {
          onFind(wanted);
        }
      }}
    >
      <SearchField
        label={t`Find a request by its id`}
        placeholder={t`Request id: req_…`}
        value={text}
        onValueChange={(next) => {
          setText(next);
          setIsWrong(false);
        }}
      />
      <p role="alert" className="text-danger text-xs empty:hidden">
        {isWrong && t`The id of a request is req_ and 32 digits, as in the header x-request-id.`}
      </p>
    </form>
  );
}

type FoundCallsProps = Pick<CallsPanelProps, "scope" | "keyNames" | "onOpen">;

function FoundCalls({ scope, keyNames, onOpen }: FoundCallsProps) {
  const calls = useInfiniteQuery(callsQueries.search(usePlatform().api, scope));
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
      aria-label={t`Recent calls`}
      className="overflow-hidden rounded-card border border-line bg-surface"
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-line border-b px-3 py-2">
        <p role="status" className="min-w-0 grow text-ink-muted text-xs tabular-nums">
          <Trans>
            {formatCount(rows.length)} shown, back to {formatInstant(last.searchedFrom)}. Calls are
            kept since {formatInstant(last.keptFrom)}
            {last.omitted > 0 &&
              t`; ${formatCount(last.omitted)} of this range came too fast to be kept, and are counted all the same`}
            .
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
        caption={t`Recent calls`}
        hasDates
        timeZone={scope.timeZone}
        keyNames={keyNames}
        isFiltered={false}
        onOpen={(call) => onOpen(call.requestId)}
        empty={
          <EmptyState icon={<ListTree />} title={t`No calls found`}>
            <Trans>
              No call that is kept matches the range and the filters
              {calls.hasNextPage ? t` so far: look further back` : ""}.{" "}
              <DocsLink page="analytics#recent-calls">Which calls are kept</DocsLink>
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
