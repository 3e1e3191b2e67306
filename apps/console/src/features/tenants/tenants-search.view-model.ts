import { type AuditFilter, parseAuditFilter } from "./audit/audit-filter.view-model.ts";

/** The tabs of `/tenants`, in order. */
export const TABS = ["yours", "settings", "members", "sso", "webhooks", "agents", "audit"] as const;
export type TenantsTab = (typeof TABS)[number];

const TAB_DEFAULT: TenantsTab = "yours";

/** Longer than anyone types, and the most that the API accepts. */
const TEXT_LENGTH_MAX = 100;
const CURSOR_LENGTH_MAX = 200;

/** The search parameters of `/tenants`. */
export type TenantsSearch = {
  /** Left out: the person's own tenants. */
  tab?: TenantsTab;
  /** The cursor of the current page of a list. */
  cursor?: string;
  /** The endpoint whose deliveries are shown. */
  webhook?: string;
  /** The delivery that is open next to them. */
  delivery?: string;
} & AuditFilter;

/** Keeps the search parameters that the page understands and drops the rest. */
export function parseTenantsSearch(search: Record<string, unknown>): TenantsSearch {
  const tab = TABS.find((known) => known === search["tab"] && known !== TAB_DEFAULT);
  const cursor = readText(search["cursor"], CURSOR_LENGTH_MAX);
  const webhook = readText(search["webhook"], TEXT_LENGTH_MAX);
  const delivery = readText(search["delivery"], TEXT_LENGTH_MAX);
  return {
    ...(tab === undefined ? {} : { tab }),
    ...(cursor === undefined ? {} : { cursor }),
    ...(webhook === undefined ? {} : { webhook }),
    ...(delivery === undefined ? {} : { delivery }),
    // No other tab has these.
    ...(tab === "audit" ? parseAuditFilter(search) : {}),
  };
}

/** The router parses `webhook=404` as a number. */
function readText(value: unknown, lengthMax: number): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text !== "" && text.length <= lengthMax ? text : undefined;
}

/** The open tab: the one in the address, else the first. The router keeps what no screen understands. */
export function chooseTab(search: TenantsSearch): TenantsTab {
  return TABS.find((tab) => tab === search.tab) ?? TAB_DEFAULT;
}

/** The address of a tab from its start: filters and pages belong to the previous tab. */
export function toTabSearch(tab: TenantsTab): TenantsSearch {
  return parseTenantsSearch({ tab });
}
