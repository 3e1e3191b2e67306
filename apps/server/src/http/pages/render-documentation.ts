import { ERROR_CODES, errorPageSlug, isErrorCode } from "@turnpike/domain/errors/error-codes";
import {
  AUDIENCE_TITLES,
  AUDIENCES,
  type Audience,
  type GuidePart,
  groupGuides,
} from "./documentation-guides.ts";
import type { NamedTwin } from "./documentation-markdown.ts";
import type { DocumentationPage, DocumentationPages } from "./documentation-pages.ts";
import { html, renderSearchForm, type SafeHtml, SEARCH_PATH } from "./html-page.ts";
import { summariseMarkdown, toPlainText } from "./markdown-twin.ts";
import { REFERENCE_PATH } from "./reference/api-reference.ts";
import { TWIN_SUFFIX } from "./reference/reference-twins.ts";
import type { FoundSection } from "./search-documentation.ts";

/** A page with fewer headings needs no table of contents. */
const CONTENTS_FROM_HEADINGS = 4;

export function titleOf(page: DocumentationPage): string {
  return page.title ?? page.name;
}

async function listParts(pages: DocumentationPages): Promise<GuidePart[]> {
  return groupGuides(await pages.list("guides"));
}

/** All guides in the order in which they are read. */
export async function listGuides(pages: DocumentationPages): Promise<DocumentationPage[]> {
  return (await listParts(pages)).flatMap(({ groups }) => groups.flatMap((group) => group.pages));
}

/** The ways to the guides before and after one. */
export async function renderNeighbours(
  pages: DocumentationPages,
  page: DocumentationPage,
): Promise<SafeHtml | undefined> {
  const guides = await listGuides(pages);
  const at = guides.findIndex(({ href }) => href === page.href);
  const [before, after] = at === -1 ? [] : [guides[at - 1], guides[at + 1]];
  if (before === undefined && after === undefined) {
    return;
  }
  const link = (rel: string, label: string, to: DocumentationPage | undefined) =>
    to === undefined
      ? undefined
      : html`<a rel="${rel}" href="${to.href}"><span class="quiet">${label}</span> ${titleOf(to)}</a>`;
  return html`<nav class="neighbours" aria-label="Previous and next page">${link("prev", "Previous", before)}${link("next", "Next", after)}</nav>`;
}

function linkTo(href: string, label: string, current: string): SafeHtml {
  return href === current
    ? html`<li><a href="${href}" aria-current="page">${label}</a></li>`
    : html`<li><a href="${href}">${label}</a></li>`;
}

function renderCodes(current: string): SafeHtml | undefined {
  if (!current.startsWith("/docs/errors")) {
    return;
  }
  const codes = Object.keys(ERROR_CODES).filter(isErrorCode);
  return html`<ul class="codes">${codes.map((code) => linkTo(`/docs/errors/${errorPageSlug(code)}`, code, current))}</ul>`;
}

/**
 * The links of the left column: a part for each audience, which opens without a script.
 *
 * @param current - Address of the page, whose audience's part is open.
 */
export async function renderNavigation(
  pages: DocumentationPages,
  current: { href: string; audience: Audience },
): Promise<SafeHtml> {
  const parts = await listParts(pages);
  const decisions = await pages.list("decisions");
  const links = (of: readonly DocumentationPage[]) =>
    of.map((page) => linkTo(page.href, titleOf(page), current.href));
  const more: Readonly<Record<Audience, SafeHtml | undefined>> = {
    users: html`<h2>Reference</h2><ul>${linkTo(REFERENCE_PATH, "API reference", current.href)}${linkTo("/docs/errors", "Error codes", current.href)}</ul>${renderCodes(current.href)}`,
    operators:
      decisions.length === 0 ? undefined : html`<h2>Decisions</h2><ul>${links(decisions)}</ul>`,
  };
  return html`${parts.map(({ audience, groups }) => {
    const content = html`<summary>${AUDIENCE_TITLES[audience]}</summary>${groups.map(
      (group) => html`<h2>${group.title}</h2><ul>${links(group.pages)}</ul>`,
    )}${more[audience]}`;
    return audience === current.audience
      ? html`<details class="part" open>${content}</details>`
      : html`<details class="part">${content}</details>`;
  })}`;
}

function renderCard(href: string, title: string, summary: string): SafeHtml {
  return html`<li><a href="${href}"><span class="title">${title}</span>${
    summary === "" ? undefined : html`<span class="summary">${summary}</span>`
  }</a></li>`;
}

const AUDIENCE_WORDS: Readonly<Record<Audience, string>> = {
  users: "For developers whose programs call the API, and for those who pay for it.",
  operators: "For those who put it in front of an API, sell that API, and keep it running.",
};

/**
 * The first page: everything for each audience.
 *
 * @param input.ownApi - The references of the operator's own API that everybody may read; they come first.
 */
export async function renderIndex(input: {
  pages: DocumentationPages;
  brandName: string;
  version: string;
  ownApi: readonly NamedTwin[];
}): Promise<SafeHtml> {
  const parts = await listParts(input.pages);
  const own = input.ownApi.map(({ href, title, summary }) =>
    renderCard(
      href.slice(0, -TWIN_SUFFIX.length),
      title,
      summary === "" ? "Its operations, with samples in six languages." : summary,
    ),
  );
  const before: Readonly<Record<Audience, SafeHtml | undefined>> = {
    users: own.length === 0 ? undefined : html`<h3>The API</h3><ul class="cards">${own}</ul>`,
    operators: undefined,
  };
  const after: Readonly<Record<Audience, SafeHtml | undefined>> = {
    users: html`<h3>Reference</h3><ul class="cards">${renderCard(REFERENCE_PATH, "API reference", "Every operation for keys, usage, plans and invoices, with samples in six languages.")}${renderCard("/docs/errors", "Error codes", "Every code, its status and what to do.")}</ul>`,
    operators: undefined,
  };
  return html`<h1>${input.brandName} documentation</h1>
<ul class="cards audiences">${AUDIENCES.map((audience) => renderCard(`#${audience}`, AUDIENCE_TITLES[audience], AUDIENCE_WORDS[audience]))}</ul>
${parts.map(
  ({ audience, groups }) =>
    html`<section aria-labelledby="${audience}"><h2 id="${audience}">${AUDIENCE_TITLES[audience]}</h2>${before[audience]}${groups.map(
      (group) =>
        html`<h3>${group.title}</h3><ul class="cards">${group.pages.map((page) => renderCard(page.href, titleOf(page), summariseMarkdown(page.source)))}</ul>`,
    )}${after[audience]}</section>`,
)}
<p class="quiet">Version ${input.version}. Every page is also Markdown: add <code>.md</code> to its address.</p>`;
}

type Results = { query: string; first: Audience; found: readonly FoundSection[] };

function renderFound({ query, first, found }: Results): SafeHtml {
  if (query === "") {
    return html`<p>Guides, error codes and operations of the API are searched, word by word.</p>`;
  }
  return found.length === 0
    ? html`<p>No results for “${query}”. Try fewer or other words.</p>`
    : html`<ol class="results">${found.map(
        ({ title, address, excerpt, audience }) =>
          html`<li><a href="${address}">${title}</a>${
            audience === first
              ? undefined
              : html` <span class="chip">${AUDIENCE_TITLES[audience]}</span>`
          }<p>${toPlainText(excerpt)}</p></li>`,
      )}</ol>`;
}

/** The choice of whose pages come first. */
function renderOrder(query: string, first: Audience): SafeHtml | undefined {
  if (query === "") {
    return;
  }
  return html`<nav class="languages" aria-label="Pages that come first"><span class="quiet">First:</span>${AUDIENCES.map(
    (audience) => {
      const href = `${SEARCH_PATH}?${new URLSearchParams({ q: query, first: audience }).toString()}`;
      return audience === first
        ? html`<a href="${href}" aria-current="true">${AUDIENCE_TITLES[audience]}</a>`
        : html`<a href="${href}">${AUDIENCE_TITLES[audience]}</a>`;
    },
  )}</nav>`;
}

/** What a search found, with another form. */
export function renderResults(results: Results): SafeHtml {
  const { query, first } = results;
  return html`<h1>Search</h1>${renderSearchForm({ label: "Search again", query, first })}${renderOrder(query, first)}${renderFound(results)}`;
}

export function renderContents(page: DocumentationPage): SafeHtml | undefined {
  if (page.headings.length < CONTENTS_FROM_HEADINGS) {
    return;
  }
  return html`<h2>On this page</h2><ul>${page.headings.map(
    (heading) =>
      html`<li class="depth-${heading.depth}"><a href="#${heading.id}">${heading.text}</a></li>`,
  )}</ul>`;
}

/** The status and title of an error page, from the table of codes. */
export function renderErrorFacts(name: string): SafeHtml | undefined {
  const code = Object.keys(ERROR_CODES)
    .filter(isErrorCode)
    .find((candidate) => errorPageSlug(candidate) === name);
  if (code === undefined) {
    return;
  }
  const { status, title } = ERROR_CODES[code];
  return html`<p class="facts"><span class="chip">HTTP ${status}</span> ${title}</p>`;
}

export function renderErrorIndex(): SafeHtml {
  const codes = Object.keys(ERROR_CODES).filter(isErrorCode);
  const byStatus = codes.sort((one, other) => ERROR_CODES[one].status - ERROR_CODES[other].status);
  return html`<h1>Error codes</h1>
<p>Every refusal and failure carries one of these in <code>code</code>, and the address of its page in <code>type</code>. Codes are stable: decide by them, not by the sentence.</p>
<div class="scroll" tabindex="0"><table><thead><tr><th>Status</th><th>Code</th><th>Meaning</th></tr></thead><tbody>${byStatus.map(
    (code) =>
      html`<tr><td>${ERROR_CODES[code].status}</td><td><a href="/docs/errors/${errorPageSlug(code)}"><code>${code}</code></a></td><td>${ERROR_CODES[code].title}</td></tr>`,
  )}</tbody></table></div>`;
}
