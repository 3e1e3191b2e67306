import { isRequestId } from "../calls/request-id.ts";

/** The tabs of `/analytics` other than usage, by their names in the address. */
const OTHER_TABS = ["live", "calls", "exports", "alerts"] as const;
export type AnalyticsTab = "usage" | (typeof OTHER_TABS)[number];

/** The search parameters of `/analytics` for alerts and the other tabs. */
export type AlertsSearch = {
  /** Left out: usage. */
  tab?: Exclude<AnalyticsTab, "usage">;
  /** The alert whose history is open. */
  alert?: string;
  /** The request whose call is open. */
  request?: string;
};

/** Keeps the search parameters that alerts understand. */
export function parseAlertsSearch(search: Record<string, unknown>): AlertsSearch {
  const { alert, request } = search;
  const tab = OTHER_TABS.find((one) => one === search["tab"]);
  if (tab === "calls") {
    return typeof request === "string" && isRequestId(request) ? { tab, request } : { tab };
  }
  if (tab !== "alerts") {
    return tab === undefined ? {} : { tab };
  }
  return typeof alert === "string" && /^alt_[0-9a-f]{32}$/.test(alert)
    ? { tab: "alerts", alert }
    : { tab: "alerts" };
}
