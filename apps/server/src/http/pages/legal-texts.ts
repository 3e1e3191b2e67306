import { join } from "node:path";
import type { LegalContent } from "@turnpike/contract/public-pages";
import { readLegalFile } from "#platform/read-legal-file.ts";
import { StartupError } from "#platform/startup-error.ts";
import { renderMarkdown } from "./render-markdown.ts";

export type LegalOptions = {
  /** Absolute path of the repository, whose `docs/legal` has the texts that are shipped. */
  checkout: string;
  brandName: string;
  consoleUrl: string;
  legal: {
    /** Absolute paths of the operator's own Markdown. */
    terms?: string | undefined;
    privacy?: string | undefined;
    operator?: string | undefined;
    contact?: string | undefined;
    /** ISO 8601 day; left out: what the text says itself, else the day its file was changed. */
    updated?: string | undefined;
  };
};

const UPDATED_MARK = /^\s*<!--\s*updated:\s*(\d{4}-\d{2}-\d{2})\s*-->/;
const TITLES = { terms: "Terms of service", privacy: "Privacy notice" } as const;

export type LegalName = keyof typeof TITLES;

function readText(file: string): { source: string; changedOn: string } {
  try {
    const { text, changedAt } = readLegalFile(file);
    return { source: text, changedOn: changedAt.toISOString().slice(0, 10) };
  } catch (error) {
    throw new StartupError({
      code: "CONFIG_INVALID",
      message: error instanceof Error ? error.message : String(error),
      hint: "Correct the path at legal in turnpike.yaml, or leave it out for the text that is shipped",
      cause: error,
    });
  }
}

/** Keeps an operator's name from being read as Markdown. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]<>()#+!|~-]/g, "\\$&");
}

function fillIn(source: string, { brandName, consoleUrl, legal }: LegalOptions): string {
  const contact = legal.contact;
  const values: Readonly<Record<string, string>> = {
    brand: escapeMarkdown(brandName),
    operator: escapeMarkdown(legal.operator ?? `the operator of ${brandName}`),
    contact:
      contact === undefined
        ? "the address that you were given together with your account"
        : `[${escapeMarkdown(contact)}](mailto:${encodeURIComponent(contact).replace("%40", "@")})`,
    site: escapeMarkdown(consoleUrl),
  };
  return source.replace(/\{\{(\w+)\}\}/g, (mark, name: string) => values[name] ?? mark);
}

/** A link in an operator's text leads to another site, to an anchor of this page, or to a path of this site. */
function toLegalHref(_page: string, href: string): string | undefined {
  const isAllowed = /^(?:https?:\/\/|mailto:|tel:|#)/i.test(href) || /^\/(?!\/)/.test(href);
  return isAllowed ? href : undefined;
}

/** The page has a heading of its own above; one at the start of the text says it. */
function splitTitle(source: string): { title: string | undefined; body: string } {
  const heading = /^#[ \t]+(.+?)[ \t]*#*[ \t]*(?:\r?\n|$)/.exec(source);
  return heading === null
    ? { title: undefined, body: source }
    : { title: heading[1], body: source.slice(heading[0].length) };
}

/**
 * Reads a legal text and renders it: the operator's own, else the one that is shipped.
 *
 * `{{brand}}`, `{{operator}}`, `{{contact}}` and `{{site}}` are filled in; a comment `<!-- updated: 2026-11-21 -->` at the
 * start says when the text was last changed.
 *
 * @throws {StartupError} `CONFIG_INVALID` when the file cannot be read or is too large.
 */
export function loadLegalText(options: LegalOptions, name: LegalName): LegalContent {
  const own = options.legal[name];
  const file = own ?? join(options.checkout, "docs/legal", `${name}.md`);
  const { source, changedOn } = readText(file);
  const marked = UPDATED_MARK.exec(source);
  const text = source.slice(marked?.[0].length ?? 0).trimStart();
  const { title, body } = splitTitle(fillIn(text, options));
  const { html, headings } = renderMarkdown(file, body, toLegalHref);
  const plainTitle = title?.replace(/\\(.)/g, "$1").replace(/[*_`]/g, "");
  return {
    title: plainTitle ?? TITLES[name],
    updatedOn: options.legal.updated ?? marked?.[1] ?? changedOn,
    html,
    headings,
    isDefault: own === undefined,
    unset:
      own === undefined
        ? (["operator", "contact"] as const)
            .filter((key) => options.legal[key] === undefined)
            .map((key) => `legal.${key}`)
        : [],
  };
}
