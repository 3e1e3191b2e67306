import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { type RawRoute, readQuery } from "../raw-route.ts";
import { AUDIENCES, type Audience, audienceOf } from "./documentation-guides.ts";
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
  type Section,
} from "./documentation-pages.ts";
import {
  createPageShell,
  html,
  type PageBrand,
  type PageHeader,
  type PageShell,
  SEARCH_PATH,
  sendHtml,
  trustHtml,
} from "./html-page.ts";
import { summariseMarkdown } from "./markdown-twin.ts";
import {
  type ApiReference,
  listReferenceTwins,
  REFERENCE_PATH,
} from "./reference/api-reference.ts";
import { createReferenceRoutes } from "./reference/reference-routes.ts";
import { TWIN_SUFFIX } from "./reference/reference-twins.ts";
import {
  listGuides,
  renderContents,
  renderErrorFacts,
  renderErrorIndex,
  renderIndex,
  renderNavigation,
  renderNeighbours,
  renderResults,
  titleOf,
} from "./render-documentation.ts";
import type { DocumentationSearch } from "./search-documentation.ts";

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

/** For search engines and previews. */
function describe(page: DocumentationPage): string {
  const summary = summariseMarkdown(page.source);
  return summary === "" ? titleOf(page) : summary;
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

  const navigateFrom = (href: string, audience: Audience = "users") =>
    renderNavigation(pages, { href, audience });

  async function sendMissing({ req, res }: Reply): Promise<void> {
    const text = shell.render({
      title: "Page not found",
      description: "There is no such page.",
      navigation: await navigateFrom(""),
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
    const audience = audienceOf(page);
    const text = shell.render({
      title: titleOf(page),
      description: describe(page),
      navigation: await navigateFrom(page.href, audience),
      searchFirst: audience,
      main: html`${section === "errors" ? renderErrorFacts(name) : undefined}<article>${trustHtml(page.html)}</article>${await renderNeighbours(pages, page)}`,
      contents: renderContents(page),
      layout: "page",
      twin: { href: page.href + TWIN_SUFFIX, type: MARKDOWN },
    });
    sendHtml(req, res, { status: 200, text });
  }

  async function sendIndex({ req, res }: Reply): Promise<void> {
    const { brand, version } = options;
    const text = shell.render({
      title: "Documentation",
      description: `Guides, error codes and reference of ${brand.name}.`,
      navigation: await navigateFrom("/docs"),
      main: await renderIndex({
        pages,
        brandName: brand.name,
        version,
        ownApi: options.listOwnApi(),
      }),
      layout: "page",
      twin: { href: "/llms.txt", type: "text/plain" },
    });
    sendHtml(req, res, { status: 200, text });
  }

  async function sendSearch({ req, res }: Reply): Promise<void> {
    const asked = readQuery(req);
    const query = (asked.get("q") ?? "").trim().slice(0, QUERY_LENGTH_MAX);
    const first = AUDIENCES.find((each) => each === asked.get("first")) ?? "users";
    const sections = query === "" ? [] : await options.search(query, { limit: RESULTS_MAX, first });
    const found = sections.map((section) => ({
      ...section,
      address: section.address.slice(options.consoleUrl.length),
    }));
    const text = shell.render({
      title: query === "" ? "Search" : `${query} – search`,
      description: "Guides, error codes and operations of the API, searched word by word.",
      navigation: await navigateFrom(SEARCH_PATH, first),
      searchFirst: first,
      main: renderResults({ query, first, found }),
      layout: "page",
    });
    sendHtml(req, res, { status: 200, text });
  }

  async function sendErrorIndex({ req, res }: Reply): Promise<void> {
    const text = shell.render({
      title: "Error codes",
      description: "Every error code with its status, and what to do.",
      navigation: await navigateFrom("/docs/errors"),
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
