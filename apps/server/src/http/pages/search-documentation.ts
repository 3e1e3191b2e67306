import { join } from "node:path";
import { ERROR_CODES, errorPageSlug, isErrorCode } from "@turnpike/domain/errors/error-codes";
import MiniSearch from "minisearch";
import { type Audience, audienceOf } from "./documentation-guides.ts";
import { twinOf } from "./documentation-markdown.ts";
import { createDocumentationPages, type DocumentationPage } from "./documentation-pages.ts";
import { toPlainText } from "./markdown-twin.ts";
import { type ApiReference, REFERENCE_PATH } from "./reference/api-reference.ts";
import { toAnchor } from "./render-markdown.ts";

/** A section of a page that matches. */
export type FoundSection = { title: string; address: string; excerpt: string; audience: Audience };

export type DocumentationSearch = {
  /**
   * The sections that match best, the best first; empty when none has a word of the query.
   *
   * @param options.first - Whose pages come first among those that match about as well; users if left out.
   */
  search(
    query: string,
    options: { limit: number; first?: Audience | undefined },
  ): Promise<FoundSection[]>;
  /** A page in Markdown by the path of its address, such as `keys`, `errors/expired` or `reference/keys`. */
  read(path: string): Promise<string | undefined>;
};

type IndexedSection = FoundSection & {
  id: number;
  /** Title of the page, and the heading in it. */
  page: string;
  heading: string;
  text: string;
  isOperation?: boolean;
};

const EXCERPT_LENGTH = 500;
const QUERY_WORDS_MAX = 12;
/** A word of a heading says more than one of the text, and one of the title that the whole page is about it. */
const HEADING_WEIGHT = 4;
const TITLE_WEIGHT = 2;
/** Pages of the audience that is asked for come first where others match no better than this. */
const AUDIENCE_WEIGHT = 1.5;
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

/** Other words for what the pages call something, as people type them. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  regenerate: ["roll"],
  rotate: ["roll"],
  rotation: ["roll"],
  throttle: ["rate", "limit"],
  throttled: ["rate", "limit"],
  "2fa": ["second", "factor"],
  mfa: ["second", "factor"],
  totp: ["second", "factor"],
  saml: ["single", "sign"],
  sso: ["single", "sign"],
  unsubscribe: ["cancel"],
  upgrade: ["larger", "change"],
  downgrade: ["smaller", "change"],
  docker: ["container"],
  ip: ["network"],
  kubernetes: ["container"],
  teammate: ["member", "team"],
};

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

/** The terms that a word of a query looks for. */
function toAskedTerms(word: string): string[] {
  return [word, ...(SYNONYMS[word.toLowerCase()] ?? [])].flatMap((each) => toTerm(each) ?? []);
}

/** What an error page is also known by: its status and title. */
function describeCode({ section, name }: DocumentationPage): string {
  const code = Object.keys(ERROR_CODES)
    .filter(isErrorCode)
    .find((each) => section === "errors" && errorPageSlug(each) === name);
  return code === undefined
    ? ""
    : `: ${String(ERROR_CODES[code].status)} ${ERROR_CODES[code].title}`;
}

/** Cuts a page at its headings; the part before the first one is under the title. */
function toSections(page: DocumentationPage, siteUrl: string): Omit<IndexedSection, "id">[] {
  const title = page.title ?? page.name;
  const audience = audienceOf(page);
  const parts = twinOf(page, siteUrl).split(/^(?=#{2,3} )/m);
  return parts.map((part, index) => {
    const [line = "", ...rest] = part.split("\n");
    const heading = line.replace(/^#+ /, "").replace(/[`*]/g, "").trim();
    const anchor = index === 0 ? "" : `#${toAnchor(heading)}`;
    // A title right above the first heading has no text of its own.
    const next = parts[index + 1]?.split("\n").slice(1);
    const text = rest.join("\n").trim() || (next?.join("\n").trim() ?? "");
    return {
      title: index === 0 ? title + describeCode(page) : `${title}: ${heading}`,
      page: title,
      heading: index === 0 ? title + describeCode(page) : heading,
      audience,
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
        page: name,
        heading: summary,
        audience: "users" as const,
        address: `${siteUrl}${REFERENCE_PATH}/${slug}#${id}`,
        excerpt: `${call}. ${toPlainText(description)}`.slice(0, EXCERPT_LENGTH),
        text: [call, description, ...parameters.map((each) => each.name)].join("\n"),
        isOperation: true,
      };
    }),
  );
}

/** The share of the words asked for that a section has, in one form or another. */
function coverageOf(asked: readonly string[], found: readonly string[]): number {
  const wanted = asked.map(toAskedTerms).filter((terms) => terms.length > 0);
  const met = wanted.filter((terms) => terms.some((term) => found.includes(term)));
  return wanted.length === 0 ? 0 : met.length / wanted.length;
}

/** Of each guide the section that fits best: the page itself leads to its others. Operations are places of their own. */
function keepBestOfPage<Found extends { address: string; isOperation: boolean }>(
  found: readonly Found[],
): Found[] {
  const seen = new Set<string>();
  return found.filter(({ address, isOperation }) => {
    const [page = ""] = address.split("#");
    const isFirst = isOperation || !seen.has(page);
    seen.add(page);
    return isFirst;
  });
}

function createIndex(sections: readonly IndexedSection[]): MiniSearch<IndexedSection> {
  const index = new MiniSearch<IndexedSection>({
    fields: ["page", "heading", "text"],
    storeFields: ["title", "address", "excerpt", "audience", "isOperation"],
    tokenize: toWords,
    processTerm: toTerm,
    searchOptions: {
      processTerm: toAskedTerms,
      boost: { page: TITLE_WEIGHT, heading: HEADING_WEIGHT },
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
    async search(query, { limit, first = "users" }) {
      const asked = [...new Set(toWords(query))].slice(0, QUERY_WORDS_MAX);
      const index = await getIndex();
      const found = index
        .search(asked.join(" "), {
          boostDocument: (_id, _term, stored) =>
            (stored?.["audience"] === first ? AUDIENCE_WEIGHT : 1) *
            (stored?.["isOperation"] === true ? OPERATION_WEIGHT : 1),
        })
        .map(({ score, queryTerms, title, address, excerpt, audience, isOperation }) => ({
          score: score * coverageOf(asked, queryTerms),
          title: String(title),
          address: String(address),
          excerpt: String(excerpt),
          audience: audience === "operators" ? ("operators" as const) : ("users" as const),
          isOperation: isOperation === true,
        }))
        .sort((one, other) => other.score - one.score);
      return keepBestOfPage(found)
        .slice(0, limit)
        .map(({ title, address, excerpt, audience: of }) => ({
          title,
          address,
          excerpt,
          audience: of,
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
