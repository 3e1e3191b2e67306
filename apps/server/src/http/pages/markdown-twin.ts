import { toDocsHref } from "./render-markdown.ts";

const FENCE = /^\s*(?:```|~~~)/;
const FENCED = /^\s*(```|~~~)[\s\S]*?^\s*\1/gm;
const LINK = /(`+)[^`]*\1|(!?)\[((?:[^\]\\]|\\.)*)\]\(([^()\s]+)\)/g;
/** Guides and other pages of the documentation, and those of the reference. */
const HAS_TWIN = /^\/(?:docs\/.|v1\/reference(?:\/.|$))/;
const SUMMARY_LENGTH_MAX = 240;

/** The address of the twin of a page on our site; other addresses are kept. */
function toTwinHref(target: string, siteUrl: string): string {
  if (!target.startsWith("/")) {
    return target;
  }
  const [path = "", anchor] = target.split("#", 2);
  const twin = HAS_TWIN.test(path) && !path.endsWith(".md") ? `${path}.md` : path;
  return siteUrl + (anchor === undefined ? twin : `${twin}#${anchor}`);
}

/**
 * Gives the links of a Markdown text other addresses; code is left alone, and a picture becomes its words.
 *
 * @param toTarget - The new address of one; undefined makes it plain words.
 */
export function rewriteLinks(
  source: string,
  toTarget: (href: string) => string | undefined,
): string {
  let isCode = false;
  const lines = source.split("\n").map((line) => {
    if (FENCE.test(line)) {
      isCode = !isCode;
      return line;
    }
    return isCode
      ? line
      : line.replace(LINK, (whole, code?: string, bang?: string, text?: string, href?: string) => {
          if (code !== undefined || href === undefined) {
            return whole;
          }
          const target = toTarget(href);
          return target === undefined || bang === "!" ? (text ?? "") : `[${text ?? ""}](${target})`;
        });
  });
  return lines.join("\n");
}

/** What makes the links of a page lead to the twins of other pages, with the whole address. @param page - Its path below `docs/`. */
export function toTwinTarget(page: string, siteUrl: string): (href: string) => string | undefined {
  return (href) => {
    const target = toDocsHref(page, href);
    return target === undefined ? undefined : toTwinHref(target, siteUrl);
  };
}

/**
 * The Markdown of a page for programs that read it alone: links lead to the twins of other pages, with the whole address. A link that
 * leads nowhere on this site, such as one to a source file, becomes its text.
 *
 * @param page - Path of the page below `docs/`, such as `errors/rate-limited.md`.
 * @param siteUrl - Without a slash at the end.
 */
export function toMarkdownTwin(page: string, source: string, siteUrl: string): string {
  return `${rewriteLinks(source, toTwinTarget(page, siteUrl)).trimEnd()}\n`;
}

/** A piece of Markdown as plain text: words of links, without marks, comments, code fences and lines of tables. */
export function toPlainText(markdown: string): string {
  return markdown
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/^\s*(?:```|~~~).*$/gm, "")
    .replace(/^\|[-:| ]+\|$/gm, "")
    .replace(LINK, (whole, code?: string, _bang?: string, label?: string) =>
      code === undefined ? (label ?? "") : whole,
    )
    .replace(/^#+ /gm, "")
    .replace(/^\s*(?:[-*+]|\d+\.|>) +/gm, "")
    .replace(/[`*|]/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** The first sentence below the title as plain text; the empty text when a page begins otherwise. */
export function summariseMarkdown(source: string): string {
  const paragraph = source
    .replace(FENCED, "")
    .split(/\n\s*\n/)
    .map((block) => block.trim())
    .find((block) => /^[\p{L}\p{N}`*_[]/u.test(block));
  const text = toPlainText(paragraph ?? "");
  const sentence = /^.*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
  return sentence.length > SUMMARY_LENGTH_MAX ? "" : sentence;
}
