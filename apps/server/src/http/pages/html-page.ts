import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { RawRoute } from "../raw-route.ts";
import { toBrandStyle } from "./brand-style.ts";

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
  /** The links of the left column. */
  navigation: SafeHtml;
  main: SafeHtml;
  /** The right column: contents of the page. */
  contents?: SafeHtml | undefined;
  layout: "page" | "reference";
  /** The same for programs. */
  twin?: { href: string; type: string } | undefined;
};

export type PageShell = {
  render(page: Page): string;
  /** The style sheet. */
  routes: RawRoute[];
};

/**
 * No script at all and nothing from elsewhere: pages that only show text need neither, and a mistake in one of them then
 * cannot run anything.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

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
  res.writeHead(reply.status, {
    ...headers,
    "content-type": reply.type,
    "content-length": bytes.length,
  });
  res.end(req.method === "HEAD" ? undefined : bytes);
}

/** Sends a page of the documentation. */
export function sendHtml(
  req: IncomingMessage,
  res: ServerResponse,
  page: { status: number; text: string | EncodedText },
): void {
  sendCached(req, res, {
    status: page.status,
    type: "text/html; charset=utf-8",
    text: page.text,
    headers: {
      "content-security-policy": CONTENT_SECURITY_POLICY,
      "x-frame-options": "DENY",
    },
  });
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
 * @param input.tokensFile - `packages/ui/src/tokens.css`, so that there is one palette.
 * @param input.accent - `#rrggbb`, the operator's.
 */
export function createPageShell(input: {
  tokensFile: string;
  brand: { name: string; accent: string };
}): PageShell {
  const { brand } = input;
  const style = [
    readTokens(input.tokensFile),
    toBrandStyle(brand.accent),
    readFileSync(new URL("./html-page.css", import.meta.url), "utf8"),
  ].join("\n");
  const stylePath = `/docs/assets/page.${hashOf(style)}.css`;

  return {
    render: ({ title, navigation, main, contents, layout, twin }) =>
      `<!doctype html>\n${
        html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${brand.name}</title>
<link rel="stylesheet" href="${stylePath}">
<link rel="icon" href="data:,">
<link rel="index" type="text/plain" title="llms.txt" href="/llms.txt">
${twin === undefined ? undefined : html`<link rel="alternate" type="${twin.type}" href="${twin.href}">\n`}</head>
<body class="layout-${layout}">
<a class="skip" href="#main">Skip to the text</a>
<header class="bar">
<a class="brand" href="/docs"><span class="mark" aria-hidden="true"></span>${brand.name} <span class="quiet">documentation</span></a>
<nav aria-label="Documentation"><a href="/docs">Guides</a><a href="/v1/reference">API reference</a><a href="/docs/errors">Error codes</a><a href="/">Console</a></nav>
</header>
<div class="columns">
<nav class="side" aria-label="Pages">${navigation}</nav>
<main id="main">${main}</main>
${contents === undefined ? undefined : html`<nav class="contents" aria-label="On this page">${contents}</nav>`}
</div>
</body>
</html>`.html
      }\n`,
    routes: [
      {
        method: "GET",
        path: stylePath,
        handle: ({ req, res }) => {
          sendCached(req, res, {
            status: 200,
            type: "text/css; charset=utf-8",
            text: style,
            headers: { "cache-control": `public, max-age=${String(YEAR_SECONDS)}, immutable` },
          });
          return Promise.resolve();
        },
      },
    ],
  };
}
