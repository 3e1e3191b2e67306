import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { ERROR_CODES, errorPageSlug, isErrorCode } from "@turnpike/domain/errors/error-codes";
import { type RawRoute, readQuery } from "../raw-route.ts";
import {
  type NamedTwin,
  sendMarkdown,
  sendPlainText,
  twinOf,
  writeErrorIndex,
  writeLlmsText,
} from "./documentation-markdown.ts";
import {
  createDocumentationPages,
  type DocumentationPage,
  type DocumentationPages,
  type Section,
} from "./documentation-pages.ts";
import {
  createPageShell,
  html,
  type PageBrand,
  type PageHeader,
  type PageShell,
  renderSearchForm,
  type SafeHtml,
  SEARCH_PATH,
  sendHtml,
  trustHtml,
} from "./html-page.ts";
import { summariseMarkdown, toPlainText } from "./markdown-twin.ts";
import {
  type ApiReference,
  listReferenceTwins,
  REFERENCE_PATH,
} from "./reference/api-reference.ts";
import { createReferenceRoutes } from "./reference/reference-routes.ts";
import { TWIN_SUFFIX } from "./reference/reference-twins.ts";
import type { DocumentationSearch, FoundSection } from "./search-documentation.ts";

export type DocumentationOptions = {
  /** Absolute path of the repository. */
  checkout: string;
  brand: PageBrand;
  /** Public address of the listener for people, without a slash at the end. */
  consoleUrl: string;
  /** Public address of the gateway, without a slash at the end. */
  gatewayUrl: string;
  version: string;
  /** What is sold here, in a sentence; left out: one that fits any API. */
  summary?: string | undefined;
  search: DocumentationSearch["search"];
  loadReference: () => Promise<ApiReference>;
  /** The references of the operator's own API that everybody may read. */
  listOwnApi: () => readonly NamedTwin[];
};

const HEADER: PageHeader = {
  home: "/docs",
  subject: "documentation",
  hasSearch: true,
  links: [
    { href: "/docs", label: "Guides" },
    { href: REFERENCE_PATH, label: "API reference" },
    { href: "/docs/errors", label: "Error codes" },
    { href: "/", label: "Console" },
  ],
};

const RESULTS_MAX = 20;
const QUERY_LENGTH_MAX = 200;

const MARKDOWN = "text/markdown";

/** A page with fewer headings needs no table of contents. */
const CONTENTS_FROM_HEADINGS = 4;

/** In the order in which an operator reads them; guides not named here follow. */
const GUIDE_GROUPS = [
  {
    title: "Start",
    names: [
      "install",
      "adopt",
      "gateway",
      "tokens",
      "sdk",
      "upstream-signature",
      "api",
      "comparison",
    ],
  },
  {
    title: "Keys and usage",
    names: ["keys", "leaks", "events", "analytics", "usage-queries", "alerts"],
  },
  { title: "Money", names: ["billing"] },
  {
    title: "Intelligence",
    names: ["insights", "forecasts", "ask", "language-model", "agents"],
  },
  { title: "People", names: ["sign-in", "single-sign-on", "teams", "mail", "public-pages"] },
  {
    title: "Operation",
    names: [
      "configuration",
      "command-line",
      "operations",
      "scale",
      "security",
      "webhooks",
      "benchmarks",
    ],
  },
];
const OTHER_GUIDES = "More";

type GuideGroup = { title: string; pages: DocumentationPage[] };

function titleOf(page: DocumentationPage): string {
  return page.title ?? page.name;
}

/** For search engines and previews. */
function describe(page: DocumentationPage): string {
  const summary = summariseMarkdown(page.source);
  return summary === "" ? titleOf(page) : summary;
}

async function groupGuides(pages: DocumentationPages): Promise<GuideGroup[]> {
  const guides = await pages.list("guides");
  const grouped = GUIDE_GROUPS.map(({ title, names }) => ({
    title,
    pages: names.flatMap((name) => guides.filter((page) => page.name === name)),
  }));
  const known = new Set(GUIDE_GROUPS.flatMap(({ names }) => names));
  const others = guides.filter(({ name }) => !known.has(name));
  return [...grouped, { title: OTHER_GUIDES, pages: others }].filter(
    (group) => group.pages.length > 0,
  );
}

async function listGuides(pages: DocumentationPages): Promise<DocumentationPage[]> {
  return (await groupGuides(pages)).flatMap((group) => group.pages);
}

/** The ways to the guides before and after one. */
async function renderNeighbours(
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

async function renderNavigation(pages: DocumentationPages, current: string): Promise<SafeHtml> {
  const groups = await groupGuides(pages);
  const decisions = await pages.list("decisions");
  const codes = Object.keys(ERROR_CODES).filter(isErrorCode);
  return html`${groups.map(
    (group) =>
      html`<h2>${group.title}</h2><ul>${group.pages.map((page) => linkTo(page.href, titleOf(page), current))}</ul>`,
  )}
<h2>Reference</h2><ul>${linkTo(REFERENCE_PATH, "API reference", current)}${linkTo("/docs/errors", "Error codes", current)}</ul>
${
  current.startsWith("/docs/errors")
    ? html`<ul class="codes">${codes.map((code) => linkTo(`/docs/errors/${errorPageSlug(code)}`, code, current))}</ul>`
    : undefined
}
${
  decisions.length === 0
    ? undefined
    : html`<h2>Decisions</h2><ul>${decisions.map((page) => linkTo(page.href, titleOf(page), current))}</ul>`
}`;
}

function renderCard(href: string, title: string, summary: string): SafeHtml {
  return html`<li><a href="${href}"><span class="title">${title}</span>${
    summary === "" ? undefined : html`<span class="summary">${summary}</span>`
  }</a></li>`;
}

function renderResults(query: string, found: readonly FoundSection[]): SafeHtml {
  if (query === "") {
    return html`<p>Guides, error codes and operations of the API are searched, word by word.</p>`;
  }
  return found.length === 0
    ? html`<p>No results for “${query}”. Try fewer or other words.</p>`
    : html`<ol class="results">${found.map(
        ({ title, address, excerpt }) =>
          html`<li><a href="${address}">${title}</a><p>${toPlainText(excerpt)}</p></li>`,
      )}</ol>`;
}

function renderContents(page: DocumentationPage): SafeHtml | undefined {
  if (page.headings.length < CONTENTS_FROM_HEADINGS) {
    return;
  }
  return html`<h2>On this page</h2><ul>${page.headings.map(
    (heading) =>
      html`<li class="depth-${heading.depth}"><a href="#${heading.id}">${heading.text}</a></li>`,
  )}</ul>`;
}

/** The status and title of an error page, from the table of codes. */
function renderErrorFacts(name: string): SafeHtml | undefined {
  const code = Object.keys(ERROR_CODES)
    .filter(isErrorCode)
    .find((candidate) => errorPageSlug(candidate) === name);
  if (code === undefined) {
    return;
  }
  const { status, title } = ERROR_CODES[code];
  return html`<p class="facts"><span class="chip">HTTP ${status}</span> ${title}</p>`;
}

function renderErrorIndex(): SafeHtml {
  const codes = Object.keys(ERROR_CODES).filter(isErrorCode);
  const byStatus = codes.sort((one, other) => ERROR_CODES[one].status - ERROR_CODES[other].status);
  return html`<h1>Error codes</h1>
<p>Every refusal and failure carries one of these in <code>code</code>, and the address of its page in <code>type</code>. Codes are stable: decide by them, not by the sentence.</p>
<div class="scroll" tabindex="0"><table><thead><tr><th>Status</th><th>Code</th><th>Meaning</th></tr></thead><tbody>${byStatus.map(
    (code) =>
      html`<tr><td>${ERROR_CODES[code].status}</td><td><a href="/docs/errors/${errorPageSlug(code)}"><code>${code}</code></a></td><td>${ERROR_CODES[code].title}</td></tr>`,
  )}</tbody></table></div>`;
}

/**
 * Makes the pages that explain the product: the repository's guides, error codes and decisions under `/docs`, the API's
 * document and its reference page under `/v1`. None of them has a script or asks for a credential.
 */
export function createDocumentationRoutes(options: DocumentationOptions): RawRoute[] {
  const shell: PageShell = createPageShell({
    checkout: options.checkout,
    brand: options.brand,
    header: HEADER,
  });
  const pages = createDocumentationPages(join(options.checkout, "docs"), options);

  type Reply = { req: IncomingMessage; res: ServerResponse };

  async function sendMissing({ req, res }: Reply): Promise<void> {
    const text = shell.render({
      title: "Page not found",
      description: "There is no such page.",
      navigation: await renderNavigation(pages, ""),
      main: html`<h1>There is no such page</h1><p>It may have been renamed. All pages are listed on the left, or start at <a href="/docs">the first page</a>.</p>`,
      layout: "page",
    });
    sendHtml(req, res, { status: 404, text });
  }

  async function sendPage({ req, res }: Reply, section: Section, asked: string): Promise<void> {
    const isTwin = asked.endsWith(TWIN_SUFFIX);
    const name = isTwin ? asked.slice(0, -TWIN_SUFFIX.length) : asked;
    const page = await pages.find(section, name);
    if (page === undefined) {
      await sendMissing({ req, res });
      return;
    }
    if (isTwin) {
      sendMarkdown(req, res, twinOf(page, options.consoleUrl));
      return;
    }
    const text = shell.render({
      title: titleOf(page),
      description: describe(page),
      navigation: await renderNavigation(pages, page.href),
      main: html`${section === "errors" ? renderErrorFacts(name) : undefined}<article>${trustHtml(page.html)}</article>${await renderNeighbours(pages, page)}`,
      contents: renderContents(page),
      layout: "page",
      twin: { href: page.href + TWIN_SUFFIX, type: MARKDOWN },
    });
    sendHtml(req, res, { status: 200, text });
  }

  async function sendIndex({ req, res }: Reply): Promise<void> {
    const groups = await groupGuides(pages);
    const text = shell.render({
      title: "Documentation",
      description: `Guides, error codes and reference of ${options.brand.name}.`,
      navigation: await renderNavigation(pages, "/docs"),
      main: html`<h1>${options.brand.name} documentation</h1>
<p>Version ${options.version}. Every page is also Markdown: add <code>.md</code> to its address.</p>
${groups.map(
  (group) =>
    html`<h2>${group.title}</h2><ul class="cards">${group.pages.map((page) => renderCard(page.href, titleOf(page), summariseMarkdown(page.source)))}</ul>`,
)}
<h2>Reference</h2><ul class="cards">${renderCard(REFERENCE_PATH, "API reference", "Every operation of the API with its shapes, and samples in six languages.")}${renderCard("/docs/errors", "Error codes", "Every code, its status and what to do.")}</ul>`,
      layout: "page",
      twin: { href: "/llms.txt", type: "text/plain" },
    });
    sendHtml(req, res, { status: 200, text });
  }

  async function sendSearch({ req, res }: Reply): Promise<void> {
    const query = (readQuery(req).get("q") ?? "").trim().slice(0, QUERY_LENGTH_MAX);
    const found = query === "" ? [] : await options.search(query, RESULTS_MAX);
    const own = found.map((section) => ({
      ...section,
      address: section.address.slice(options.consoleUrl.length),
    }));
    const text = shell.render({
      title: query === "" ? "Search" : `${query} – search`,
      description: "Guides, error codes and operations of the API, searched word by word.",
      navigation: await renderNavigation(pages, SEARCH_PATH),
      main: html`<h1>Search</h1>${renderSearchForm("Search again", query)}${renderResults(query, own)}`,
      layout: "page",
    });
    sendHtml(req, res, { status: 200, text });
  }

  async function sendErrorIndex({ req, res }: Reply): Promise<void> {
    const text = shell.render({
      title: "Error codes",
      description: "Every error code with its status, and what to do.",
      navigation: await renderNavigation(pages, "/docs/errors"),
      main: renderErrorIndex(),
      layout: "page",
      twin: { href: `/docs/errors${TWIN_SUFFIX}`, type: MARKDOWN },
    });
    sendHtml(req, res, { status: 200, text });
  }

  async function sendLlmsText({ req, res }: Reply): Promise<void> {
    const { brand, summary, consoleUrl } = options;
    const text = writeLlmsText({
      brandName: brand.name,
      summary: summary ?? `An API with keys, limits, live usage and invoices by ${brand.name}.`,
      consoleUrl,
      ownApi: options.listOwnApi(),
      guides: await listGuides(pages),
      reference: listReferenceTwins(await options.loadReference()),
      decisions: await pages.list("decisions"),
    });
    sendPlainText(req, res, text);
  }

  const page = (path: string, handle: RawRoute["handle"]): RawRoute => ({
    method: "GET",
    path,
    handle,
  });
  return [
    ...shell.routes,
    ...createReferenceRoutes({ ...options, shell, sendMissing }),
    page("/docs", sendIndex),
    page("/docs/", sendIndex),
    page("/llms.txt", sendLlmsText),
    page(SEARCH_PATH, sendSearch),
    page("/docs/errors", sendErrorIndex),
    page(`/docs/errors${TWIN_SUFFIX}`, ({ req, res }) => {
      sendMarkdown(req, res, writeErrorIndex(options.consoleUrl));
    }),
    page("/docs/{name}", (call) => sendPage(call, "guides", call.params["name"] ?? "")),
    page("/docs/errors/{name}", (call) => sendPage(call, "errors", call.params["name"] ?? "")),
    page("/docs/decisions/{name}", (call) =>
      sendPage(call, "decisions", call.params["name"] ?? ""),
    ),
    page("/docs/{section}/{name}", sendMissing),
  ];
}
