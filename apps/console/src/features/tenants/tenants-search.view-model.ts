/** What everybody finds on `/tenants`, in the order of the tabs. */
const MEMBER_TABS = ["yours", "settings", "members", "webhooks", "audit"] as const;
/** What operators find there besides. */
const OPERATOR_TABS = ["all", "service-keys", "outbox", "health"] as const;

export type TenantsTab = (typeof MEMBER_TABS | typeof OPERATOR_TABS)[number];

const TABS: readonly TenantsTab[] = [...MEMBER_TABS, ...OPERATOR_TABS];
const TAB_DEFAULT: TenantsTab = "yours";

/** More than anybody types, and what the API takes. */
const TEXT_LENGTH_MAX = 100;
const CURSOR_LENGTH_MAX = 200;

/** The search parameters of `/tenants`. */
export type TenantsSearch = {
  /** Left out: the tenants one belongs to. */
  tab?: TenantsTab;
  /** Part of a name or slug. */
  q?: string;
  /** Of all tenants those that are deleted; left out: the others. */
  state?: "deleted";
  /** Where the shown page of a list begins. */
  cursor?: string;
  /** The mail that is open beside the outbox. */
  mail?: string;
  /** The endpoint whose deliveries are shown. */
  webhook?: string;
  /** The delivery that is open beside them. */
  delivery?: string;
};

/** Keeps of search parameters what the page understands; the rest is as if it were not there. */
export function parseTenantsSearch(search: Record<string, unknown>): TenantsSearch {
  const tab = TABS.find((known) => known === search["tab"] && known !== TAB_DEFAULT);
  const q = readText(search["q"], TEXT_LENGTH_MAX);
  const cursor = readText(search["cursor"], CURSOR_LENGTH_MAX);
  const isDeleted = search["state"] === "deleted";
  const mail = readText(search["mail"], TEXT_LENGTH_MAX);
  const webhook = readText(search["webhook"], TEXT_LENGTH_MAX);
  const delivery = readText(search["delivery"], TEXT_LENGTH_MAX);
  return {
    ...(tab === undefined ? {} : { tab }),
    ...(q === undefined ? {} : { q }),
    ...(cursor === undefined ? {} : { cursor }),
    ...(isDeleted ? { state: "deleted" as const } : {}),
    ...(mail === undefined ? {} : { mail }),
    ...(webhook === undefined ? {} : { webhook }),
    ...(delivery === undefined ? {} : { delivery }),
  };
}

/** The router reads `q=404` as a number. */
function readText(value: unknown, lengthMax: number): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text !== "" && text.length <= lengthMax ? text : undefined;
}

/** The tabs that a person has. */
export function listTabs(isOperator: boolean): readonly TenantsTab[] {
  return isOperator ? TABS : MEMBER_TABS;
}

/** The tab that is open: the one in the address where the person has it, else the first. */
export function chooseTab(search: TenantsSearch, isOperator: boolean): TenantsTab {
  return listTabs(isOperator).find((tab) => tab === search.tab) ?? TAB_DEFAULT;
}

/** The address of a tab, from its beginning: filters and pages belong to the tab that is left. */
export function toTabSearch(tab: TenantsTab): TenantsSearch {
  return parseTenantsSearch({ tab });
}
