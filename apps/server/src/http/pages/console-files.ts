import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, relative, sep } from "node:path";
import { chooseEncoding } from "./gzip.ts";
import { sendCached } from "./html-page.ts";
import { choosePageLanguage, LANGUAGE_VARY } from "./page-language.ts";
import type { PageTemplate } from "./page-template.ts";

const YEAR_SECONDS = 365 * 24 * 3600;
const HASH_LENGTH = 16;

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".jpg": "image/jpeg",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
};

type ConsoleFile = { bytes: Buffer; type: string; etag: string };

/** What pages may do beyond what is ours. */
export type PageRights = {
  /**
   * Where they may also ask: the API, whose public origin may differ from the page's, and the identity providers, which hand
   * their tokens to the page itself.
   */
  origins: readonly string[];
  /** Where scripts may come from, beside ourselves. */
  scripts?: readonly string[];
  /** What may be framed in a page. */
  frames?: readonly string[];
  /** Further policies by which scripts turn text into addresses of scripts. */
  trustedTypes?: readonly string[];
};

/**
 * Only our own scripts, styles, fonts and pictures; no frame around us. Scripts turn no text into HTML, but for what the
 * server has rendered.
 */
export function contentSecurityPolicy(rights: PageRights): string {
  const { origins, scripts = [], frames = [], trustedTypes = [] } = rights;
  return [
    "default-src 'none'",
    ["script-src 'self'", ...scripts].join(" "),
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    `connect-src ${["'self'", ...new Set(origins)].join(" ")}`,
    ...(frames.length === 0 ? [] : [["frame-src", ...frames].join(" ")]),
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    ["trusted-types server-html", ...trustedTypes].join(" "),
  ].join("; ");
}

/** Under which policy pages are sent. */
export type PagePolicy = {
  /** The content security policy. */
  content: string;
  /** True where a page opens windows of a sign-in that answer to it. */
  opensWindows: boolean;
};

/** For pages: no site may frame them, and a window that opened them cannot control them. */
function pageHeaders(policy: PagePolicy): Record<string, string> {
  return {
    "content-security-policy": policy.content,
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": policy.opensWindows ? "same-origin-allow-popups" : "same-origin",
  };
}

/** Sends a page of the console, under its policy; caches must revalidate it. */
export function sendConsolePage(
  req: IncomingMessage,
  res: ServerResponse,
  page: { text: string; policy: PagePolicy },
): void {
  sendCached(req, res, {
    status: 200,
    type: "text/html; charset=utf-8",
    text: page.text,
    headers: { ...pageHeaders(page.policy), vary: LANGUAGE_VARY },
  });
}

/** What pages are made from, by file: no pages themselves. */
export const TEMPLATES = { application: "index.html", reading: "reading.html" } as const;
const TEMPLATE_PATHS = new Set(Object.values(TEMPLATES).map((name) => `/${name}`));

function readFiles(folder: string): Map<string, ConsoleFile> {
  const files = new Map<string, ConsoleFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    const path = `/${relative(folder, file).split(sep).join("/")}`;
    if (entry.isFile() && !TEMPLATE_PATHS.has(path)) {
      const bytes = readFileSync(file);
      const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, HASH_LENGTH);
      files.set(path, {
        bytes,
        type: MEDIA_TYPES[extname(path)] ?? "application/octet-stream",
        etag: `"${hash}"`,
      });
    }
  }
  return files;
}

function isKnown(req: IncomingMessage, etag: string): boolean {
  const tags = req.headers["if-none-match"]?.split(",") ?? [];
  return tags.some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

function sendFile(
  req: IncomingMessage,
  res: ServerResponse,
  input: { path: string; file: ConsoleFile; policy: PagePolicy },
): void {
  const { path, file, policy } = input;
  const headers = path.startsWith("/assets/")
    ? { "cache-control": `public, max-age=${String(YEAR_SECONDS)}, immutable` }
    : { "cache-control": "no-cache", ...pageHeaders(policy) };
  if (isKnown(req, file.etag)) {
    res.writeHead(304, { ...headers, etag: file.etag });
    res.end();
    return;
  }
  const sent = chooseEncoding(req, file);
  res.writeHead(200, {
    ...headers,
    ...sent.headers,
    "content-type": file.type,
    "content-length": sent.bytes.length,
  });
  res.end(req.method === "HEAD" ? undefined : sent.bytes);
}

function decodePath(req: IncomingMessage): string | undefined {
  try {
    return decodeURIComponent((req.url ?? "/").split("?", 1)[0] ?? "/");
  } catch {
    // Not valid escapes, so no file has that name.
    return;
  }
}

/**
 * Serves the built console: hashed files for a year, pages never from a cache. A path that is no file gets the plain page,
 * whose router decides; a path with an extension that does not exist is missing.
 *
 * The files, a few megabytes, are read once: a page and what it loads stay of one build, and a build while the process runs
 * takes nothing away from it.
 *
 * @param input.template - Of the page without content; undefined when the console was not built.
 * @returns A function that answers false when there is nothing to serve.
 */
export function createConsoleFiles(input: {
  folder: string;
  policy: PagePolicy;
  template: Pick<PageTemplate, "plain" | "languages"> | undefined;
}): (req: IncomingMessage, res: ServerResponse) => boolean {
  const { policy, template } = input;
  if (template === undefined) {
    return () => false;
  }
  const files = readFiles(input.folder);
  return (req, res) => {
    const path = decodePath(req);
    if (path === undefined) {
      return false;
    }
    const file = files.get(path);
    if (file !== undefined) {
      sendFile(req, res, { path, file, policy });
      return true;
    }
    if (!path.endsWith("/") && extname(path) !== "") {
      return false;
    }
    const language = choosePageLanguage(req, template.languages);
    sendConsolePage(req, res, { text: template.plain(language), policy });
    return true;
  };
}
