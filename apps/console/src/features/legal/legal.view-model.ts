import { t } from "@lingui/core/macro";
import type { LegalContent } from "@turnpike/contract/public-pages";
import { LANGUAGE } from "@turnpike/ui/language";

export type LegalName = "terms" | "privacy";

/** From so many headings on, a table of contents helps more than it takes. */
const CONTENTS_FROM = 3;

const DAY = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: "long", timeZone: "UTC" });

/** Writes the day of the last change: "November 21, 2026". */
export function formatDay(isoDay: string): string {
  return DAY.format(new Date(`${isoDay}T00:00:00Z`));
}

/** The headings that a table of contents lists: the second level, unless the text has none. */
export function toContents(headings: LegalContent["headings"]): LegalContent["headings"] {
  const top = Math.min(...headings.map(({ depth }) => depth));
  const listed = headings.filter(({ depth }) => depth === top);
  return listed.length < CONTENTS_FROM ? [] : listed;
}

const ABOUT: Readonly<Record<LegalName, (brand: string) => string>> = {
  terms: (brand) =>
    t`What you and ${brand} agree on when you use the API: accounts, keys, limits, fees and how the contract ends.`,
  privacy: (brand) =>
    t`Which personal data ${brand} holds, why, for how long, and what you may ask for.`,
};

/** What search engines and previews say about a legal text. */
export function toLegalHead(
  name: LegalName,
  { brand }: { brand: { name: string } },
  { title }: Pick<LegalContent, "title">,
): { title: string; description: string } {
  return { title: `${title} · ${brand.name}`, description: ABOUT[name](brand.name) };
}
