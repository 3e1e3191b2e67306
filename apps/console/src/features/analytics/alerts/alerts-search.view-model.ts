/** What `/analytics` shows beside usage, by the name in its address. */
const OTHER_TABS = ["live", "exports", "alerts"] as const;
export type AnalyticsTab = "usage" | (typeof OTHER_TABS)[number];

/** The part of the address of `/analytics` that alerts and the other tabs are shown by. */
export type AlertsSearch = {
  /** Left out: usage. */
  tab?: Exclude<AnalyticsTab, "usage">;
  /** The alert whose history is open. */
  alert?: string;
};

/** Keeps of search parameters what alerts understand. */
export function parseAlertsSearch(search: Record<string, unknown>): AlertsSearch {
  const { alert } = search;
  const tab = OTHER_TABS.find((one) => one === search["tab"]);
  if (tab !== "alerts") {
    return tab === undefined ? {} : { tab };
  }
  return typeof alert === "string" && /^alt_[0-9a-f]{32}$/.test(alert)
    ? { tab: "alerts", alert }
    : { tab: "alerts" };
}
