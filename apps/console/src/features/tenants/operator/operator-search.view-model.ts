/** What mails can be filtered by. */
export const MAIL_STATE_CHOICES = ["queued", "sent", "failed", "held", "bounced"] as const;
export type MailStateChoice = (typeof MAIL_STATE_CHOICES)[number];

/** The orders of all tenants, beside the newest first. */
export const TENANT_SORTS = ["usage", "quota", "activity", "revenue"] as const;
export type TenantSort = (typeof TENANT_SORTS)[number];

/** The states of tenants: what the operator decided, and payment standings that are not in order. */
export const TENANT_STANDINGS = [
  "active",
  "suspended",
  "overdue",
  "grace",
  "blocked",
  "capped",
  "out_of_credit",
] as const;
export type TenantStanding = (typeof TENANT_STANDINGS)[number];

/** Longer than anyone types, and the most that the API accepts. */
const TEXT_LENGTH_MAX = 100;
const CURSOR_LENGTH_MAX = 200;

/** The search parameters of the operator's screens. */
export type OperatorSearch = {
  /** Part of a name or slug, or of an address. */
  q?: string;
  /** Set: deleted tenants only; left out: the others. */
  state?: "deleted";
  /** Tenants with this plan only. */
  plan?: string;
  /** Tenants of this state only. */
  standing?: TenantStanding;
  /** Set: tenants by a figure, the largest first; left out: the newest first. */
  sort?: TenantSort;
  /** The cursor of the current page of a list. */
  cursor?: string;
  /** Mails of this state only. */
  mailState?: MailStateChoice;
  /** Mails of this kind only. */
  mailKind?: string;
  /** The mail that is open next to the outbox. */
  mail?: string;
};

/** Keeps the search parameters that the screens understand and drops the rest. */
export function parseOperatorSearch(search: Record<string, unknown>): OperatorSearch {
  const q = readText(search["q"], TEXT_LENGTH_MAX);
  const cursor = readText(search["cursor"], CURSOR_LENGTH_MAX);
  const plan = readText(search["plan"], TEXT_LENGTH_MAX);
  const standing = TENANT_STANDINGS.find((known) => known === search["standing"]);
  const sort = TENANT_SORTS.find((known) => known === search["sort"]);
  const mailState = MAIL_STATE_CHOICES.find((known) => known === search["mailState"]);
  const mailKind = readText(search["mailKind"], TEXT_LENGTH_MAX);
  const mail = readText(search["mail"], TEXT_LENGTH_MAX);
  return {
    ...(q === undefined ? {} : { q }),
    ...(search["state"] === "deleted" ? { state: "deleted" as const } : {}),
    ...(plan === undefined ? {} : { plan }),
    ...(standing === undefined ? {} : { standing }),
    ...(sort === undefined ? {} : { sort }),
    ...(cursor === undefined ? {} : { cursor }),
    ...(mailState === undefined ? {} : { mailState }),
    ...(mailKind === undefined ? {} : { mailKind }),
    ...(mail === undefined ? {} : { mail }),
  };
}

/** The router parses `q=404` as a number. */
function readText(value: unknown, lengthMax: number): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text !== "" && text.length <= lengthMax ? text : undefined;
}

/** Where the operator's tabs of `/tenants` are now. */
const FORMER_TABS = {
  all: "/operator/tenants",
  insights: "/operator/insights",
  "service-keys": "/operator/service-keys",
  outbox: "/operator/outbox",
  health: "/operator/health",
} as const;

/** The screen that a former tab of `/tenants` is now; undefined for one that is still there. */
export function findFormerTab(tab: unknown) {
  return typeof tab === "string" && Object.hasOwn(FORMER_TABS, tab)
    ? FORMER_TABS[tab as keyof typeof FORMER_TABS]
    : undefined;
}
