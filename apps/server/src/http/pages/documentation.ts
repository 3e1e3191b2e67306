import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { ERROR_CODES, errorPageSlug, isErrorCode } from "@turnpike/domain/errors/error-codes";
import type { RawRoute } from "../raw-route.ts";
import {
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
  type PageShell,
  type SafeHtml,
  sendHtml,
  trustHtml,
} from "./html-page.ts";
import { createReferenceRoutes } from "./reference.ts";

export type DocumentationOptions = {
  /** Absolute path of the repository. */
  checkout: string;
  /** `accent` as `#rrggbb`. */
  brand: { name: string; accent: string };
  /** Public address of the listener for people, without a slash at the end. */
  consoleUrl: string;
  version: string;
  /** What is sold here, in a sentence; left out: one that fits any API. */
  summary?: string | undefined;
};

const TWIN_SUFFIX = ".md";
const MARKDOWN = "text/markdown";

/** A page with fewer headings needs no table of contents. */
const CONTENTS_FROM_HEADINGS = 4;

/** In the order in which an operator reads them; guides not named here follow. */
const GUIDE_ORDER = [
  "adopt",
  "api",
  "gateway",
  "sdk",
  "configuration",
  "operations",
  "architecture",
];

function guideRank(page: DocumentationPage): number {
  const rank = GUIDE_ORDER.indexOf(page.name);
  return rank === -1 ? GUIDE_ORDER.length : rank;
}

function titleOf(page: DocumentationPage): string {
  return page.title ?? page.name;
}

async function listGuides(pages: DocumentationPages): Promise<DocumentationPage[]> {
  const guides = await pages.list("guides");
  return guides.sort((one, other) => guideRank(one) - guideRank(other));
}

function linkTo(href: string, label: string, current: string): SafeHtml {
  return href === current
    ? html`<li><a href="${href}" aria-current="page">${label}</a></li>`
    : html`<li><a href="${href}">${label}</a></li>`;
}

async function renderNavigation(pages: DocumentationPages, current: string): Promise<SafeHtml> {
  const guides = await listGuides(pages);
  const decisions = await pages.list("decisions");
  const codes = Object.keys(ERROR_CODES).filter(isErrorCode);
  return html`<h2>Guides</h2><ul>${guides.map((page) => linkTo(page.href, titleOf(page), current))}</ul>
<h2>Reference</h2><ul>${linkTo("/v1/reference", "API reference", current)}${linkTo("/docs/errors", "Error codes", current)}</ul>
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
    tokensFile: join(options.checkout, "packages/ui/src/tokens.css"),
    brand: options.brand,
  });
  const pages = createDocumentationPages(join(options.checkout, "docs"));

  type Reply = { req: IncomingMessage; res: ServerResponse };

  async function sendMissing({ req, res }: Reply): Promise<void> {
    const text = shell.render({
      title: "Page not found",
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
      navigation: await renderNavigation(pages, page.href),
      main: html`${section === "errors" ? renderErrorFacts(name) : undefined}<article>${trustHtml(page.html)}</article>`,
      contents: renderContents(page),
      layout: "page",
      twin: { href: page.href + TWIN_SUFFIX, type: MARKDOWN },
    });
    sendHtml(req, res, { status: 200, text });
  }

  async function sendIndex({ req, res }: Reply): Promise<void> {
    const guides = await listGuides(pages);
    const text = shell.render({
      title: "Documentation",
      navigation: await renderNavigation(pages, "/docs"),
      main: html`<h1>${options.brand.name} documentation</h1>
<p>Version ${options.version}.</p>
<ul class="cards">${guides.map((page) => html`<li><a href="${page.href}">${titleOf(page)}</a></li>`)}
<li><a href="/v1/reference">API reference</a></li><li><a href="/docs/errors">Error codes</a></li></ul>`,
      layout: "page",
      twin: { href: "/llms.txt", type: "text/plain" },
    });
    sendHtml(req, res, { status: 200, text });
  }

  async function sendErrorIndex({ req, res }: Reply): Promise<void> {
    const text = shell.render({
      title: "Error codes",
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
      guides: await listGuides(pages),
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
    ...createReferenceRoutes({ ...options, shell }),
    page("/docs", sendIndex),
    page("/docs/", sendIndex),
    page("/llms.txt", sendLlmsText),
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
