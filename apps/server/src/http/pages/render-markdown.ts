import { posix } from "node:path";
import { Marked, type Tokens } from "marked";
import { escapeHtml } from "./html-page.ts";

export type Heading = { depth: number; id: string; text: string };

export type RenderedMarkdown = {
  /** Of the first heading, as text; undefined without one. */
  title: string | undefined;
  /** Headings of the second and third level, in order. */
  headings: Heading[];
  /** Safe: raw HTML of the source is shown as text. */
  html: string;
};

/** The anchor of a heading, as GitHub makes it, so that links between pages work on both sites. */
export function toAnchor(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");
}

/**
 * Says where a link of a page leads on our site.
 *
 * @param page - Path of the page below `docs/`, such as `errors/rate-limited.md`.
 * @returns Undefined for what has no address here, such as a source file or a scheme that a browser would run.
 */
export function toDocsHref(page: string, href: string): string | undefined {
  if (/^(?:https?|mailto):/i.test(href) || href.startsWith("#")) {
    return href;
  }
  if (href.startsWith("/")) {
    return href.startsWith("//") ? undefined : href;
  }
  if (/^[a-z][a-z0-9+.-]*:/i.test(href)) {
    return undefined;
  }
  const [path = "", anchor] = href.split("#", 2);
  const target = posix.join("/docs", posix.dirname(page), path);
  if (!target.startsWith("/docs/") || !target.endsWith(".md")) {
    return undefined;
  }
  const address = target.slice(0, -".md".length).replace(/\/README$/, "");
  return anchor === undefined ? address : `${address}#${anchor}`;
}

/** What a heading says, without its marks. */
function plainText(tokens: readonly Tokens.Generic[]): string {
  return tokens
    .map((token) =>
      token.tokens === undefined ? String(token["text"] ?? token.raw) : plainText(token.tokens),
    )
    .join("");
}

const MARKS = { start: "<!--", end: "-->" };

/** Resolves a link of a page; undefined for one that must not be followed. */
export type ToHref = (page: string, href: string) => string | undefined;

/** A renderer that collects headings. */
function createRenderer(
  page: string,
  found: { headings: Heading[]; titles: string[] },
  toHref: ToHref,
): Marked {
  const { headings, titles } = found;
  const seen = new Map<string, number>();
  function uniqueAnchor(text: string): string {
    const anchor = toAnchor(text);
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${String(count)}`;
  }
  return new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }) {
        const text = plainText(tokens);
        const inner = this.parser.parseInline(tokens);
        if (depth === 1) {
          titles.push(text);
          return `<h1>${inner}</h1>\n`;
        }
        const id = uniqueAnchor(text);
        if (depth <= 3) {
          headings.push({ depth, id, text });
        }
        return `<h${depth} id="${escapeHtml(id)}"><a href="#${escapeHtml(id)}">${inner}</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const target = toHref(page, href);
        if (target === undefined) {
          return inner;
        }
        const rel = /^https?:/i.test(target) ? ' rel="noreferrer"' : "";
        return `<a href="${escapeHtml(target)}"${rel}>${inner}</a>`;
      },
      image: ({ text }) => escapeHtml(text),
      html: ({ text }) =>
        text.trim().startsWith(MARKS.start) && text.trim().endsWith(MARKS.end)
          ? ""
          : escapeHtml(text),
      code: ({ text, lang }) => {
        const language = /^[\w-]+/.exec(lang ?? "")?.[0];
        const label = language === undefined ? "" : ` data-language="${language}"`;
        return `<pre tabindex="0"${label}><code>${escapeHtml(text)}</code></pre>\n`;
      },
      table(token) {
        const cells = (row: readonly Tokens.TableCell[], tag: "th" | "td") =>
          row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join("");
        const rows = token.rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("\n");
        return `<div class="scroll" tabindex="0"><table><thead><tr>${cells(token.header, "th")}</tr></thead><tbody>${rows}</tbody></table></div>\n`;
      },
    },
  });
}

/**
 * Renders a page of the documentation, or another text by its own rule for links.
 *
 * @param page - Its path below `docs/`, which relative links start from.
 */
export function renderMarkdown(
  page: string,
  source: string,
  toHref: ToHref = toDocsHref,
): RenderedMarkdown {
  const headings: Heading[] = [];
  const titles: string[] = [];
  const rendered = createRenderer(page, { headings, titles }, toHref).parse(source, {
    async: false,
  });
  return { title: titles[0], headings, html: rendered };
}

/** Renders one line, such as a description in the API's document: code, emphasis and links. */
export function renderInlineMarkdown(text: string): string {
  return createRenderer("api.md", { headings: [], titles: [] }, toDocsHref).parseInline(text, {
    async: false,
  });
}
