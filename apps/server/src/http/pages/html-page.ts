import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import type { RawRoute } from "../raw-route.ts";
import { toBrandStyle } from "./brand-style.ts";
import { chooseEncoding } from "./gzip.ts";

/** HTML that is safe to send: every text in it was escaped. */
export type SafeHtml = { readonly html: string };

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
}

type Interpolation = string | number | SafeHtml | readonly SafeHtml[] | undefined;

function toHtml(value: Interpolation): string {
  if (value === undefined) {
    return "";
  }
  if (typeof value === "string" || typeof value === "number") {
    return escapeHtml(String(value));
  }
  return "html" in value ? value.html : value.map((each) => each.html).join("");
}

/** Writes HTML from a template; texts are escaped, other {@link SafeHtml} is taken as it is. */
export function html(texts: TemplateStringsArray, ...values: readonly Interpolation[]): SafeHtml {
  const text = texts.map((each, index) => each + toHtml(values[index])).join("");
  return { html: text };
}

/** Marks a text as HTML. Only for what this process rendered itself. */
export function trustHtml(text: string): SafeHtml {
  return { html: text };
}

export type Page = {
  title: string;
  /** What the page says, in a sentence of plain text: search engines and previews show it. */
  description: string;
  /** The links of the left column. */
  navigation: SafeHtml;
  main: SafeHtml;
  /** The right column: contents of the page. */
  contents?: SafeHtml | undefined;
  layout: "page" | "reference";
  /** Whose pages a search from this page finds first; left out: those of the default. */
  searchFirst?: string | undefined;
  /** Address of the page's script; left out: it needs none. */
  script?: string | undefined;
  /** The same for programs, which the page links to. */
  twin?: { href: string; type: string } | undefined;
};

export type PageShell = {
  render(page: Page): string;
  /** The style sheet. */
  routes: RawRoute[];
};

/**
 * No script at all and nothing from elsewhere: pages that only show text need neither, and a mistake in one of them then
 * cannot run anything. What may be asked for is of this site: tools that judge pages read robots.txt in their name.
 */
const CONTENT_RULES = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
];

const YEAR_SECONDS = 365 * 24 * 3600;
const HASH_LENGTH = 16;

function hashOf(text: string | Uint8Array): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, HASH_LENGTH);
}

/** A text as it goes out, with its tag. */
export type EncodedText = { bytes: Buffer; etag: string };

/** Encodes a text that is sent again and again: for a large one, encoding and hashing cost more than sending. */
export function encodeText(text: string): EncodedText {
  const bytes = Buffer.from(text);
  return { bytes, etag: `"${hashOf(bytes)}"` };
}

/**
 * Sends text that may be kept but must be asked for again, which an unchanged copy answers with 304.
 *
 * @param headers - Beside type, length, tag and caching.
 */
export function sendCached(
  req: IncomingMessage,
  res: ServerResponse,
  reply: {
    status: number;
    type: string;
    text: string | EncodedText;
    headers?: Readonly<Record<string, string>>;
  },
): void {
  const { bytes, etag } = typeof reply.text === "string" ? encodeText(reply.text) : reply.text;
  const headers = { "cache-control": "no-cache", etag, ...reply.headers };
  const known = req.headers["if-none-match"]
    ?.split(",")
    .map((tag) => tag.trim().replace(/^W\//, ""));
  if (reply.status === 200 && known?.includes(etag) === true) {
    res.writeHead(304, headers);
    res.end();
    return;
  }
  const sent = chooseEncoding(req, { bytes, etag, type: reply.type });
  const vary = [reply.headers?.["vary"], sent.headers["vary"]].filter((each) => each !== undefined);
  res.writeHead(reply.status, {
    ...headers,
    ...sent.headers,
    ...(vary.length > 0 && { vary: vary.join(", ") }),
    "content-type": reply.type,
    "content-length": sent.bytes.length,
  });
  res.end(req.method === "HEAD" ? undefined : sent.bytes);
}

/**
 * Sends a page of the documentation.
 *
 * @param page.calls - Origins that its own script may call; left out: the page has no script.
 */
export function sendHtml(
  req: IncomingMessage,
  res: ServerResponse,
  page: { status: number; text: string | EncodedText; calls?: readonly string[] | undefined },
): void {
  const scriptRules =
    page.calls === undefined
      ? ["connect-src 'self'"]
      : ["script-src 'self'", `connect-src 'self' ${page.calls.join(" ")}`.trim()];
  sendCached(req, res, {
    status: page.status,
    type: "text/html; charset=utf-8",
    text: page.text,
    headers: {
      "content-security-policy": [...CONTENT_RULES, ...scriptRules].join("; "),
      "x-frame-options": "DENY",
    },
  });
}

/** The operator's name and colours. */
export type PageBrand = {
  name: string;
  /** `#rrggbb`. */
  accent: string;
  /** A picture as a `data:` address; left out: the product's own. */
  mark?: string | undefined;
};

/** The bar above the pages. */
export type PageHeader = {
  /** Where the name leads. */
  home: string;
  /** After the name: "documentation". */
  subject: string;
  hasSearch: boolean;
  links: readonly { href: string; label: string }[];
};

export const SEARCH_PATH = "/docs/search";

/**
 * A form that works without a script.
 *
 * @param input.label - Of the form, which must differ from others of the page.
 * @param input.first - Whose pages are found first; left out: those of the default.
 */
export function renderSearchForm(input: {
  label: string;
  query?: string;
  first?: string | undefined;
}): SafeHtml {
  const { label, query = "", first } = input;
  return html`<form class="search" role="search" aria-label="${label}" action="${SEARCH_PATH}"><input type="search" name="q" value="${query}" maxlength="200" placeholder="Search the documentation" aria-label="Search the documentation" required>${
    first === undefined ? undefined : html`<input type="hidden" name="first" value="${first}">`
  }<button>Search</button></form>`;
}

/** The console's mark: a post and its raised bar. */
const OWN_MARK = trustHtml(
  '<svg class="mark" viewBox="0 0 32 32" aria-hidden="true" fill="none"><rect class="ground" width="32" height="32" rx="7"/><path class="bar-up" d="M5 22.5 28.5 8.9" stroke-width="4.6"/><path class="gaps" d="m13.4 17.65 3.3-1.91m3.7-2.14 3.3-1.91" stroke-width="5.4"/><path class="post" d="M10 17v10" stroke-width="5" stroke-linecap="round"/></svg>',
);

function renderMark(mark: string | undefined): SafeHtml {
  return mark === undefined ? OWN_MARK : html`<img class="mark" src="${mark}" alt="">`;
}

/** Typefaces of the console, by the beginning of their file names. */
const TYPEFACES = [
  { family: "Inter Variable", file: "inter-latin-wght-normal-" },
  { family: "JetBrains Mono Variable", file: "jetbrains-mono-latin-wght-normal-" },
];

type Typeface = { family: string; path: string };

/** The typefaces that the built console has; none before it is built. */
function findTypefaces(folder: string): Typeface[] {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return TYPEFACES.flatMap(({ family, file }) => {
    const found = files.find((name) => name.startsWith(file) && name.endsWith(".woff2"));
    return found === undefined ? [] : [{ family, path: `/assets/${found}` }];
  });
}

/** Text never jumps: a typeface that comes late is for the next page. */
function toFontRule({ family, path }: Typeface): string {
  return `@font-face { font-family: "${family}"; font-weight: 100 900; font-display: optional; src: url("${path}") format("woff2"); }`;
}

/** The address of a file whose name says its content. */
export function toAssetPath(name: string, text: string, suffix: string): string {
  return `/docs/assets/${name}.${hashOf(text)}.${suffix}`;
}

/** Serves a file whose name says its content: it may be kept for good. */
export function createAssetRoute(path: string, type: string, text: string): RawRoute {
  return {
    method: "GET",
    path,
    handle: ({ req, res }) =>
      sendCached(req, res, {
        status: 200,
        type,
        text,
        headers: { "cache-control": `public, max-age=${String(YEAR_SECONDS)}, immutable` },
      }),
  };
}

/** The token file is Tailwind's input; the part before Tailwind's own rules is plain CSS, the two themes. */
function readTokens(file: string): string {
  const text = readFileSync(file, "utf8");
  const end = text.indexOf("@theme");
  return end === -1 ? text : text.slice(0, end);
}

/**
 * Makes the frame around pages that the server writes itself, in the colours of the console.
 *
 * @param input.checkout - Absolute path of the repository: the palette and the typefaces are the console's.
 */
export function createPageShell(input: {
  checkout: string;
  brand: PageBrand;
  header: PageHeader;
}): PageShell {
  const { brand, checkout, header } = input;
  const typefaces = findTypefaces(join(checkout, "apps/console/dist/assets"));
  const [textFace] = typefaces;
  const style = [
    ...typefaces.map(toFontRule),
    readTokens(join(checkout, "packages/ui/src/tokens.css")),
    toBrandStyle(brand.accent),
    readFileSync(new URL("./html-page.css", import.meta.url), "utf8"),
  ].join("\n");
  const stylePath = toAssetPath("page", style, "css");

  return {
    render: ({
      title,
      description,
      navigation,
      main,
      contents,
      layout,
      searchFirst,
      script,
      twin,
    }) =>
      `<!doctype html>\n${
        html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${brand.name}</title>
<meta name="description" content="${description}">
${
  textFace === undefined
    ? undefined
    : html`<link rel="preload" href="${textFace.path}" as="font" type="font/woff2" crossorigin>
`
}<link rel="stylesheet" href="${stylePath}">
<link rel="icon" href="data:,">
<link rel="index" type="text/plain" title="llms.txt" href="/llms.txt">
${script === undefined ? undefined : html`<script type="module" src="${script}"></script>\n`}${twin === undefined ? undefined : html`<link rel="alternate" type="${twin.type}" href="${twin.href}">\n`}</head>
<body class="layout-${layout}">
<a class="skip" href="#main">Skip to the text</a>
<header class="bar">
<a class="brand" href="${header.home}">${renderMark(brand.mark)}${brand.name} <span class="quiet">${header.subject}</span></a>
${header.hasSearch ? renderSearchForm({ label: "All pages", first: searchFirst }) : undefined}
<nav aria-label="Documentation">${header.links.map(({ href, label }) => html`<a href="${href}">${label}</a>`)}</nav>
</header>
<div class="columns">
<nav class="side" aria-label="Pages">${navigation}</nav>
<main id="main">${main}${twin === undefined ? undefined : html`<p class="twin"><a href="${twin.href}" type="${twin.type}">${twin.type === "text/markdown" ? "This page in Markdown" : "All pages in Markdown"}</a></p>`}</main>
${contents === undefined ? undefined : html`<nav class="contents" aria-label="On this page">${contents}</nav>`}
</div>
</body>
</html>`.html
      }\n`,
    routes: [createAssetRoute(stylePath, "text/css; charset=utf-8", style)],
  };
}
