import { t } from "@lingui/core/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { LiveCall } from "@turnpike/contract/live-calls";
import { FacetFilter } from "@turnpike/ui/facet-filter";
import { readOwnTimeZone } from "#platform/chart-formats.ts";
import { formatCount } from "#platform/format.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { KeyName } from "../breakdown.view-model.ts";
import { callsQueries } from "../calls/calls.queries.ts";
import { FoundCalls } from "../calls/found-calls.tsx";
import { RequestSearch } from "../calls/request-search.tsx";
import { FacetFilters } from "../filters/facet-filters.tsx";
import { RangeChoice } from "../filters/filter-bar.tsx";
import { FilterChips } from "../filters/filter-chips.tsx";
import { AllCallDialog } from "./all-call-dialog.tsx";
import {
  type AllCallsSearch,
  type AllCallsView,
  toAllCallsSearch,
  toAllCallsView,
} from "./all-calls-search.view-model.ts";
import { CallsAreOff } from "./calls-are-off.tsx";

/** Keys of all tenants are shown by their ids. */
const NO_NAMES: ReadonlyMap<string, KeyName> = new Map();

export type AllCallsProps = {
  search: AllCallsSearch;
  onSearchChange: (search: AllCallsSearch) => void;
};

/** Every logged call of all tenants, searched by tenant, request, key, route, status, outcome and time. */
export function AllCalls(props: AllCallsProps) {
  return usePlatform().config.calls.areLogged ? <LoggedCalls {...props} /> : <CallsAreOff />;
}

function LoggedCalls({ search, onSearchChange }: AllCallsProps) {
  const { api } = usePlatform();
  const shown = toAllCallsView(search);
  const { view, tenants, requestId } = shown;
  const timeZone = view.timeZone ?? readOwnTimeZone();
  const calls = useInfiniteQuery(callsQueries.searchAll(api, { view, tenants }));
  const change = (to: Partial<AllCallsView>) =>
    onSearchChange(toAllCallsSearch({ ...shown, ...to }));
  const names = new Map(
    calls.data?.pages.flatMap(({ items }) =>
      items.map((call) => [call.requestId, call.tenantName ?? call.tenantId] as const),
    ),
  );
  const owner = {
    heading: t`Tenant`,
    nameOf: (call: LiveCall) => names.get(call.requestId) ?? "",
  };
  const scope = { tenantId: null, view };
  return (
    <div className="space-y-3">
      <search aria-label={t`Calls`} className="space-y-2">
        <div className="flex flex-wrap items-center gap-2">
          <RequestSearch onFind={(found) => change({ requestId: found })} />
          <RangeChoice
            view={view}
            timeZone={timeZone}
            nowMs={Date.now()}
            onChange={(next) => change({ view: next })}
          />
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <TenantFilter value={tenants} onChange={(next) => change({ tenants: next })} />
          <FacetFilters
            scope={scope}
            keyNames={NO_NAMES}
            onChange={(next) => change({ view: next })}
          />
        </div>
        <FilterChips view={view} keyNames={NO_NAMES} onChange={(next) => change({ view: next })} />
      </search>
      <FoundCalls
        calls={calls}
        caption={t`Calls of all tenants`}
        timeZone={timeZone}
        keyNames={NO_NAMES}
        owner={owner}
        toOmittedNote={(omitted) =>
          t`; ${formatCount(omitted)} of all tenants could not be logged in this range, and are counted all the same`
        }
        docs="scale#every-call"
        onOpen={(opened) => change({ requestId: opened })}
      />
      <AllCallDialog
        requestId={requestId}
        timeZone={timeZone}
        onClose={() => change({ requestId: undefined })}
        onNarrow={(tenantId) => change({ tenants: [tenantId], requestId: undefined })}
      />
    </div>
  );
}

type TenantFilterProps = { value: readonly string[]; onChange: (tenants: string[]) => void };

/** The newest tenants, and those that the address names. */
function TenantFilter({ value, onChange }: TenantFilterProps) {
  const tenants = useQuery(callsQueries.tenants(usePlatform().api));
  return (
    <FacetFilter
      label={t`Tenant`}
      value={value}
      onValueChange={onChange}
      emptyText={tenants.isPending ? t`Loading…` : t`No tenants found.`}
      choices={(tenants.data?.items ?? []).map(({ tenantId, name, slug }) => ({
        value: tenantId as string,
        label: name,
        note: slug,
      }))}
    />
  );
}
