import { t } from "@lingui/core/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { formatCount } from "#platform/format.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { AnalyticsScope } from "../analytics.queries.ts";
import type { AnalyticsView } from "../analytics-search.view-model.ts";
import type { KeyName } from "../breakdown.view-model.ts";
import { FacetFilters } from "../filters/facet-filters.tsx";
import { RangeChoice } from "../filters/filter-bar.tsx";
import { FilterChips } from "../filters/filter-chips.tsx";
import { CallDialog } from "./call-dialog.tsx";
import { callsQueries } from "./calls.queries.ts";
import { FoundCalls } from "./found-calls.tsx";
import { RequestSearch } from "./request-search.tsx";

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
      <FoundCalls
        calls={useInfiniteQuery(callsQueries.search(usePlatform().api, scope))}
        caption={t`Recent calls`}
        timeZone={timeZone}
        keyNames={keyNames}
        toOmittedNote={(omitted) =>
          t`; ${formatCount(omitted)} of this range came too fast to be kept, and are counted all the same`
        }
        docs="analytics#recent-calls"
        onOpen={onOpen}
      />
      <CallDialog
        scope={scope}
        keyNames={keyNames}
        requestId={requestId}
        onClose={() => onOpen(undefined)}
      />
    </div>
  );
}
