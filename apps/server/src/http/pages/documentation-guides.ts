import type { DocumentationPage } from "./documentation-pages.ts";

/** The readers: people whose programs call the API and pay for it, or those who run the installation. */
export const AUDIENCES = ["users", "operators"] as const;
export type Audience = (typeof AUDIENCES)[number];

export const AUDIENCE_TITLES: Readonly<Record<Audience, string>> = {
  users: "Using the API",
  operators: "Running it",
};

type NamedGuides = { title: string; names: readonly string[] };

/** In the order in which they are read; guides not named here follow those of operators. */
const GUIDES: Readonly<Record<Audience, readonly NamedGuides[]>> = {
  users: [
    { title: "Calls and keys", names: ["calling", "keys", "api", "webhooks"] },
    { title: "Usage and money", names: ["analytics", "usage-queries", "alerts", "paying"] },
    { title: "Answers", names: ["ask", "insights", "forecasts", "agents"] },
    { title: "Your team", names: ["teams", "single-sign-on"] },
  ],
  operators: [
    {
      title: "Start",
      names: ["install", "adopt", "gateway", "tokens", "sdk", "upstream-signature", "comparison"],
    },
    { title: "Metering and money", names: ["events", "billing"] },
    {
      title: "People and pages",
      names: ["sign-in", "mail", "languages", "public-pages", "language-model"],
    },
    {
      title: "Operation",
      names: [
        "configuration",
        "command-line",
        "operations",
        "scale",
        "security",
        "leaks",
        "benchmarks",
      ],
    },
  ],
};
const OTHER_GUIDES = "More";

export type GuideGroup = { title: string; pages: readonly DocumentationPage[] };
export type GuidePart = { audience: Audience; groups: readonly GuideGroup[] };

const OF_USERS = new Set(GUIDES.users.flatMap(({ names }) => names));

/** Whose page it is. Error codes are what a caller meets; decisions are about the product itself. */
export function audienceOf({
  section,
  name,
}: Pick<DocumentationPage, "section" | "name">): Audience {
  return section === "errors" || (section === "guides" && OF_USERS.has(name))
    ? "users"
    : "operators";
}

/**
 * Sorts guides into the part of each audience and its groups.
 *
 * @returns Users first; groups without a page are left out.
 */
export function groupGuides(guides: readonly DocumentationPage[]): GuidePart[] {
  const named = new Set(AUDIENCES.flatMap((each) => GUIDES[each].flatMap(({ names }) => names)));
  const others = guides.filter(({ name }) => !named.has(name));
  return AUDIENCES.map((audience) => {
    const groups = GUIDES[audience].map(({ title, names }) => ({
      title,
      pages: names.flatMap((name) => guides.filter((page) => page.name === name)),
    }));
    const all =
      audience === "operators" ? [...groups, { title: OTHER_GUIDES, pages: others }] : groups;
    return { audience, groups: all.filter(({ pages }) => pages.length > 0) };
  });
}
