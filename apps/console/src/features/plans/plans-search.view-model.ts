import { REJECTION_CODES, type RejectionCode } from "@turnpike/domain/events/rejection";

/** What operators find on `/plans` besides the plans themselves, in the order of the tabs. */
const TABS = ["plans", "meters", "rejected"] as const;
export type PlansTab = (typeof TABS)[number];
export const PLANS_TABS: readonly PlansTab[] = TABS;

const TAB_DEFAULT: PlansTab = "plans";
/** What the API takes. */
const TEXT_LENGTH_MAX = 100;

/** The search parameters of `/plans`. */
export type PlansSearch = {
  /** Left out: the plans. */
  tab?: PlansTab;
  /** The meter that is open beside the list. */
  meter?: string;
  /** Of rejected events: those that were rejected for this. */
  reason?: RejectionCode;
  /** Of rejected events: those whose type contains this. */
  type?: string;
  /** Where the shown page of a list begins. */
  cursor?: string;
};

/** The router reads `meter=404` as a number. */
function readText(value: unknown): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text !== "" && text.length <= TEXT_LENGTH_MAX
    ? text
    : undefined;
}

/** Keeps of search parameters what the page understands; the rest is as if it were not there. */
export function parsePlansSearch(search: Record<string, unknown>): PlansSearch {
  const tab = TABS.find((known) => known === search["tab"] && known !== TAB_DEFAULT);
  const meter = readText(search["meter"]);
  const reason = REJECTION_CODES.find((known) => known === search["reason"]);
  const type = readText(search["type"]);
  const cursor = readText(search["cursor"]);
  return {
    ...(tab === undefined ? {} : { tab }),
    ...(meter === undefined ? {} : { meter }),
    ...(reason === undefined ? {} : { reason }),
    ...(type === undefined ? {} : { type }),
    ...(cursor === undefined ? {} : { cursor }),
  };
}

/** The tab that is open: the one in the address for operators, the plans for everybody else. */
export function choosePlansTab(search: PlansSearch, isOperator: boolean): PlansTab {
  // The router hands over what is in the address as well as what was made of it.
  const asked = TABS.find((known) => known === search.tab);
  return isOperator ? (asked ?? TAB_DEFAULT) : TAB_DEFAULT;
}
