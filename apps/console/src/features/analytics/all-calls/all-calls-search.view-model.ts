import { joinCommaList, splitCommaList } from "#platform/usage-query.ts";
import {
  type AnalyticsSearch,
  type AnalyticsView,
  toAnalyticsSearch,
  toAnalyticsView,
} from "../analytics-search.view-model.ts";
import { isRequestId } from "../calls/request-id.ts";

const TENANT_PATTERN = /^ten_[0-9a-f]{32}$/;
/** The API accepts no more. */
const TENANTS_MAX = 100;

/** The search parameters of the operator's calls: those of a range and of filters, and two more. */
export type AllCallsSearch = AnalyticsSearch & {
  /** Ids of the tenants whose calls are shown; left out: all. */
  tenants?: string;
  /** The request whose call is open. */
  request?: string;
};

export type AllCallsView = {
  view: AnalyticsView;
  tenants: readonly string[];
  requestId: string | undefined;
};

/** Parses search parameters. Invalid values are dropped: an address never fails. */
export function toAllCallsView(search: Record<string, unknown>): AllCallsView {
  const { tenants, request } = search;
  const ids = typeof tenants === "string" ? splitCommaList(tenants) : [];
  return {
    view: toAnalyticsView(search),
    tenants: [...new Set(ids)].filter((id) => TENANT_PATTERN.test(id)).slice(0, TENANTS_MAX),
    requestId: typeof request === "string" && isRequestId(request) ? request : undefined,
  };
}

/** Writes a view as the shortest search parameters. */
export function toAllCallsSearch({ view, tenants, requestId }: AllCallsView): AllCallsSearch {
  return {
    ...toAnalyticsSearch(view),
    ...(tenants.length > 0 && { tenants: joinCommaList(tenants) }),
    ...(requestId !== undefined && { request: requestId }),
  };
}

/** Keeps the search parameters that the screen understands and drops the rest. */
export function parseAllCallsSearch(search: Record<string, unknown>): AllCallsSearch {
  return toAllCallsSearch(toAllCallsView(search));
}
