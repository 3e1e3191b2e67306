/** The tabs of `/tenants` for everyone, in order. */
const MEMBER_TABS = ["yours", "settings", "members", "sso", "webhooks", "agents", "audit"] as const;
/** The additional tabs for operators. */
const OPERATOR_TABS = ["all", "insights", "service-keys", "outbox", "health"] as const;

export type TenantsTab = (typeof MEMBER_TABS | typeof OPERATOR_TABS)[number];

const TABS: readonly TenantsTab[] = [...MEMBER_TABS, ...OPERATOR_TABS];
const TAB_DEFAULT: TenantsTab = "yours";

/** Longer than anyone types, and the most that the API accepts. */
const TEXT_LENGTH_MAX = 100;
const CURSOR_LENGTH_MAX = 200;

/** What mails can be filtered by. */
export const MAIL_STATE_CHOICES = ["queued", "sent", "failed", "held", "bounced"] as const;
export type MailStateChoice = (typeof MAIL_STATE_CHOICES)[number];

/** The search parameters of `/tenants`. */
export type TenantsSearch = {
  /** Left out: the person's own tenants. */
  tab?: TenantsTab;
  /** Part of a name or slug, or of an address. */
  q?: string;
  /** Set: deleted tenants only; left out: the others. */
  state?: "deleted";
  /** The cursor of the current page of a list. */
  cursor?: string;
  /** Mails of this state only. */
  mailState?: MailStateChoice;
  /** Mails of this kind only. */
  mailKind?: string;
  /** The mail that is open next to the outbox. */
  mail?: string;
  /** The endpoint whose deliveries are shown. */
  webhook?: string;
  /** The delivery that is open next to them. */
  delivery?: string;
};

/** Keeps the search parameters that the page understands and drops the rest. */
export function parseTenantsSearch(search: Record<string, unknown>): TenantsSearch {
  const tab = TABS.find((known) => known === search["tab"] && known !== TAB_DEFAULT);
  const q = readText(search["q"], TEXT_LENGTH_MAX);
  const cursor = readText(search["cursor"], CURSOR_LENGTH_MAX);
  const isDeleted = search["state"] === "deleted";
  const mailState = MAIL_STATE_CHOICES.find((known) => known === search["mailState"]);
  const mailKind = readText(search["mailKind"], TEXT_LENGTH_MAX);
  const mail = readText(search["mail"], TEXT_LENGTH_MAX);
  const webhook = readText(search["webhook"], TEXT_LENGTH_MAX);
  const delivery = readText(search["delivery"], TEXT_LENGTH_MAX);
  return {
    ...(tab === undefined ? {} : { tab }),
    ...(q === undefined ? {} : { q }),
    ...(cursor === undefined ? {} : { cursor }),
    ...(isDeleted ? { state: "deleted" as const } : {}),
    ...(mailState === undefined ? {} : { mailState }),
    ...(mailKind === undefined ? {} : { mailKind }),
    ...(mail === undefined ? {} : { mail }),
    ...(webhook === undefined ? {} : { webhook }),
    ...(delivery === undefined ? {} : { delivery }),
  };
}

/** The router parses `q=404` as a number. */
function readText(value: unknown, lengthMax: number): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text !== "" && text.length <= lengthMax ? text : undefined;
}

/** The tabs that a person may see. */
export function listTabs(isOperator: boolean): readonly TenantsTab[] {
  return isOperator ? TABS : MEMBER_TABS;
}

/** The open tab: the one in the address if the person may see it, else the first. */
export function chooseTab(search: TenantsSearch, isOperator: boolean): TenantsTab {
  return listTabs(isOperator).find((tab) => tab === search.tab) ?? TAB_DEFAULT;
}

/** The address of a tab from its start: filters and pages belong to the previous tab. */
export function toTabSearch(tab: TenantsTab): TenantsSearch {
  return parseTenantsSearch({ tab });
}
