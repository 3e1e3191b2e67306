import { join } from "node:path";
import { twinOf } from "./documentation-markdown.ts";
import { createDocumentationPages, type DocumentationPage } from "./documentation-pages.ts";
import { toAnchor } from "./render-markdown.ts";

/** A section of a page that matches. */
export type FoundSection = { title: string; address: string; excerpt: string };

export type DocumentationSearch = {
  /** The sections that match best, the best first; empty when none has a word of the query. */
  search(query: string, limit: number): Promise<FoundSection[]>;
  /** A page in Markdown by the path of its address, such as `keys` or `errors/expired`. */
  read(path: string): Promise<string | undefined>;
};

type IndexedSection = FoundSection & {
  words: Map<string, number>;
  length: number;
};

const EXCERPT_LENGTH = 500;
const QUERY_WORDS_MAX = 12;
/** A word of a heading says more than one of the text. */
const HEADING_WEIGHT = 4;
/** Common words say nothing. */
const STOP_WORDS = new Set(
  "a an and are as at be by can do does for from how i if in is it my of on or that the this to what when where which with".split(
    " ",
  ),
);

function toWords(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [];
  // "keys" finds "key" and the other way round.
  return words
    .filter((word) => !STOP_WORDS.has(word))
    .map((word) => (word.length > 3 ? word.replace(/(?:es|s)$/, "") : word));
}

function countWords(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

/** Cuts a page at its headings; the part before the first one is under the title. */
function toSections(page: DocumentationPage, siteUrl: string): IndexedSection[] {
  const title = page.title ?? page.name;
  const parts = twinOf(page, siteUrl).split(/^(?=#{2,3} )/m);
  return parts.map((part, index) => {
    const [line = "", ...rest] = part.split("\n");
    const heading = line.replace(/^#+ /, "").replace(/[`*]/g, "").trim();
    const anchor = index === 0 ? "" : `#${toAnchor(heading)}`;
    // A title right above the first heading has no text of its own.
    const next = parts[index + 1]?.split("\n").slice(1);
    const text = rest.join("\n").trim() || (next?.join("\n").trim() ?? "");
    const words = toWords(text);
    return {
      title: index === 0 ? title : `${title}: ${heading}`,
      address: `${siteUrl}${page.href}${anchor}`,
      excerpt: text.length > EXCERPT_LENGTH ? `${text.slice(0, EXCERPT_LENGTH)}…` : text,
      words: countWords(words),
      length: words.length,
    };
  });
}

function scoreOf(
  section: IndexedSection,
  query: readonly string[],
  rarity: Map<string, number>,
): number {
  const heading = new Set(toWords(section.title));
  let score = 0;
  for (const word of query) {
    const count = section.words.get(word) ?? 0;
    // Grows slowly with the count, and less in long sections.
    const inText = count / (count + 1 + section.length / 200);
    const inHeading = heading.has(word) ? HEADING_WEIGHT / (1 + heading.size) : 0;
    score += (inText + inHeading) * (rarity.get(word) ?? 0);
  }
  return score;
}

/**
 * Searches the guides and error pages by their words.
 *
 * @param input.checkout - Absolute path of the repository.
 * @param input.siteUrl - Without a slash at the end.
 */
export function createDocumentationSearch(input: {
  checkout: string;
  siteUrl: string;
}): DocumentationSearch {
  const pages = createDocumentationPages(join(input.checkout, "docs"));
  let known: { of: readonly DocumentationPage[]; sections: IndexedSection[] } | undefined;

  /** Indexed anew when a page has changed. */
  async function getSections(): Promise<IndexedSection[]> {
    const all = [...(await pages.list("guides")), ...(await pages.list("errors"))];
    const isSame =
      known?.of.length === all.length && all.every((page, at) => page === known?.of[at]);
    if (known === undefined || !isSame) {
      known = { of: all, sections: all.flatMap((page) => toSections(page, input.siteUrl)) };
    }
    return known.sections;
  }

  return {
    async search(query, limit) {
      const asked = [...new Set(toWords(query))].slice(0, QUERY_WORDS_MAX);
      const sections = await getSections();
      const rarity = new Map(
        asked.map((word) => {
          const having = sections.filter((section) => section.words.has(word)).length;
          return [word, Math.log(1 + sections.length / (1 + having))];
        }),
      );
      return sections
        .map((section) => ({ section, score: scoreOf(section, asked, rarity) }))
        .filter(({ score }) => score > 0)
        .toSorted((one, other) => other.score - one.score)
        .slice(0, limit)
        .map(({ section: { title, address, excerpt } }) => ({ title, address, excerpt }));
    },
    async read(path) {
      const [first = "", second] = path
        .replace(/^\/?(?:docs\/)?/, "")
        .replace(/\.md$/, "")
        .split("/");
      const page =
        second === undefined
          ? await pages.find("guides", first)
          : first === "errors" || first === "decisions"
            ? await pages.find(first, second)
            : undefined;
      return page === undefined ? undefined : twinOf(page, input.siteUrl);
    },
  };
}
