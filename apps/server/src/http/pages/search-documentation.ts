import { join } from "node:path";
import MiniSearch from "minisearch";
import { twinOf } from "./documentation-markdown.ts";
import { createDocumentationPages, type DocumentationPage } from "./documentation-pages.ts";
import { toPlainText } from "./markdown-twin.ts";
import { type ApiReference, REFERENCE_PATH } from "./reference/api-reference.ts";
import { toAnchor } from "./render-markdown.ts";

/** A section of a page that matches. */
export type FoundSection = { title: string; address: string; excerpt: string };

export type DocumentationSearch = {
  /** The sections that match best, the best first; empty when none has a word of the query. */
  search(query: string, limit: number): Promise<FoundSection[]>;
  /** A page in Markdown by the path of its address, such as `keys`, `errors/expired` or `reference/keys`. */
  read(path: string): Promise<string | undefined>;
};

type IndexedSection = FoundSection & { id: number; text: string; isOperation?: boolean };

const EXCERPT_LENGTH = 500;
const QUERY_WORDS_MAX = 12;
/** A word of a heading says more than one of the text. */
const HEADING_WEIGHT = 4;
/** Guides explain more than operations, which share many of their words. */
const OPERATION_WEIGHT = 0.5;
/** Words that are still being typed match longer ones, and long ones with a wrong letter match as well. */
const PREFIX_FROM_LETTERS = 4;
const FUZZY_FROM_LETTERS = 6;
const WRONG_LETTERS = 0.15;
/** Common words say nothing. */
const STOP_WORDS = new Set(
  "a an and are as at be by can do does for from how i if in is it my of on or that the this to what when where which with".split(
    " ",
  ),
);

function toWords(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}

function toTerm(word: string): string | null {
  const term = word.toLowerCase();
  if (STOP_WORDS.has(term)) {
    return null;
  }
  // "keys" finds "key" and the other way round.
  return term.length > 3 ? term.replace(/(?:es|s)$/, "") : term;
}

/** Cuts a page at its headings; the part before the first one is under the title. */
function toSections(page: DocumentationPage, siteUrl: string): Omit<IndexedSection, "id">[] {
  const title = page.title ?? page.name;
  const parts = twinOf(page, siteUrl).split(/^(?=#{2,3} )/m);
  return parts.map((part, index) => {
    const [line = "", ...rest] = part.split("\n");
    const heading = line.replace(/^#+ /, "").replace(/[`*]/g, "").trim();
    const anchor = index === 0 ? "" : `#${toAnchor(heading)}`;
    // A title right above the first heading has no text of its own.
    const next = parts[index + 1]?.split("\n").slice(1);
    const text = rest.join("\n").trim() || (next?.join("\n").trim() ?? "");
    return {
      title: index === 0 ? title : `${title}: ${heading}`,
      address: `${siteUrl}${page.href}${anchor}`,
      excerpt: text.length > EXCERPT_LENGTH ? `${text.slice(0, EXCERPT_LENGTH)}…` : text,
      text,
    };
  });
}

/** The operations of the API, each on its place of the page. */
function listOperations({ groups }: ApiReference, siteUrl: string): Omit<IndexedSection, "id">[] {
  return groups.flatMap(({ name, slug, operations }) =>
    operations.map(({ id, method, path, summary, description, parameters }) => {
      const call = `${method} ${path}`;
      return {
        title: `${name}: ${summary}`,
        address: `${siteUrl}${REFERENCE_PATH}/${slug}#${id}`,
        excerpt: `${call}. ${toPlainText(description)}`.slice(0, EXCERPT_LENGTH),
        text: [call, description, ...parameters.map((each) => each.name)].join("\n"),
        isOperation: true,
      };
    }),
  );
}

function createIndex(sections: readonly IndexedSection[]): MiniSearch<IndexedSection> {
  const index = new MiniSearch<IndexedSection>({
    fields: ["title", "text"],
    storeFields: ["title", "address", "excerpt", "isOperation"],
    tokenize: toWords,
    processTerm: toTerm,
    searchOptions: {
      boost: { title: HEADING_WEIGHT },
      boostDocument: (_id, _term, stored) =>
        stored?.["isOperation"] === true ? OPERATION_WEIGHT : 1,
      prefix: (term) => term.length >= PREFIX_FROM_LETTERS,
      fuzzy: (term) => (term.length >= FUZZY_FROM_LETTERS ? WRONG_LETTERS : false),
    },
  });
  index.addAll(sections);
  return index;
}

/**
 * Searches the guides, the error pages and the operations of the API by their words.
 *
 * @param input.checkout - Absolute path of the repository.
 * @param input.siteUrl - Of the console, without a slash at the end.
 * @param input.gatewayUrl - Likewise; for samples.
 */
export function createDocumentationSearch(input: {
  checkout: string;
  siteUrl: string;
  gatewayUrl: string;
  loadReference: () => Promise<ApiReference>;
}): DocumentationSearch {
  const pages = createDocumentationPages(join(input.checkout, "docs"), {
    consoleUrl: input.siteUrl,
    gatewayUrl: input.gatewayUrl,
  });
  let known: { of: readonly DocumentationPage[]; index: MiniSearch<IndexedSection> } | undefined;

  /** Indexed anew when a page has changed. */
  async function getIndex(): Promise<MiniSearch<IndexedSection>> {
    const all = [...(await pages.list("guides")), ...(await pages.list("errors"))];
    const isSame =
      known?.of.length === all.length && all.every((page, at) => page === known?.of[at]);
    if (known === undefined || !isSame) {
      const sections = [
        ...all.flatMap((page) => toSections(page, input.siteUrl)),
        ...listOperations(await input.loadReference(), input.siteUrl),
      ];
      known = { of: all, index: createIndex(sections.map((section, id) => ({ ...section, id }))) };
    }
    return known.index;
  }

  return {
    async search(query, limit) {
      const asked = [...new Set(toWords(query))].slice(0, QUERY_WORDS_MAX).join(" ");
      const index = await getIndex();
      return index
        .search(asked)
        .slice(0, limit)
        .map(({ title, address, excerpt }) => ({
          title: String(title),
          address: String(address),
          excerpt: String(excerpt),
        }));
    },
    async read(path) {
      const [first = "", second] = path
        .replace(/^\/?(?:docs\/|v1\/)?/, "")
        .replace(/\.md$/, "")
        .split("/");
      if (first === "reference") {
        return (await input.loadReference()).writeTwin(second ?? "");
      }
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
