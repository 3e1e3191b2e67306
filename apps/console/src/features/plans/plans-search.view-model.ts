import { REJECTION_CODES, type RejectionCode } from "@turnpike/domain/events/rejection";

/** The additional tabs of `/plans` for operators, in order. */
const TABS = ["plans", "catalogue", "coupons", "meters", "rejected"] as const;
export type PlansTab = (typeof TABS)[number];
export const PLANS_TABS: readonly PlansTab[] = TABS;

const TAB_DEFAULT: PlansTab = "plans";
/** Limits of the API. */
const TEXT_LENGTH_MAX = 100;

/** The search parameters of `/plans`. */
export type PlansSearch = {
  /** Left out: the plans. */
  tab?: PlansTab;
  /** The plan of the catalogue that is open: its versions, or its draft. */
  plan?: string;
  view?: "draft";
  /** The meter that is open next to the list. */
  meter?: string;
  /** Filter of rejected events: the reason. */
  reason?: RejectionCode;
  /** Filter of rejected events: part of the type. */
  type?: string;
  /** The cursor of the current page of a list. */
  cursor?: string;
};

/** The router parses `meter=404` as a number. */
function readText(value: unknown): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text !== "" && text.length <= TEXT_LENGTH_MAX
    ? text
    : undefined;
}

/** Keeps the search parameters that the page understands and drops the rest. */
export function parsePlansSearch(search: Record<string, unknown>): PlansSearch {
  const tab = TABS.find((known) => known === search["tab"] && known !== TAB_DEFAULT);
  const plan = readText(search["plan"]);
  const isDraft = plan !== undefined && search["view"] === "draft";
  const meter = readText(search["meter"]);
  const reason = REJECTION_CODES.find((known) => known === search["reason"]);
  const type = readText(search["type"]);
  const cursor = readText(search["cursor"]);
  return {
    ...(tab === undefined ? {} : { tab }),
    ...(plan === undefined ? {} : { plan }),
    ...(isDraft ? { view: "draft" as const } : {}),
    ...(meter === undefined ? {} : { meter }),
    ...(reason === undefined ? {} : { reason }),
    ...(type === undefined ? {} : { type }),
    ...(cursor === undefined ? {} : { cursor }),
  };
}

/** The open tab: the one in the address for operators, the plans for everyone else. */
export function choosePlansTab(search: PlansSearch, isOperator: boolean): PlansTab {
  // The router passes the raw search parameters along with the parsed ones.
  const asked = TABS.find((known) => known === search.tab);
  return isOperator ? (asked ?? TAB_DEFAULT) : TAB_DEFAULT;
}
