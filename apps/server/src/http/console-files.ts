import { existsSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname } from "node:path";
import sirv from "sirv";
import { sendCached } from "./html-page.ts";

const YEAR_SECONDS = 365 * 24 * 3600;

/**
 * Only our own scripts, styles, fonts and pictures; no frame around us. `connect-src` also names the API's public origin,
 * which may differ from the page's.
 */
export function contentSecurityPolicy(apiOrigin: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${apiOrigin}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** Sends a page of the console: never from a cache without asking, under its policy. */
export function sendConsolePage(
  req: IncomingMessage,
  res: ServerResponse,
  page: { text: string; policy: string },
): void {
  sendCached(req, res, {
    status: 200,
    type: "text/html; charset=utf-8",
    text: page.text,
    headers: { "content-security-policy": page.policy, "x-frame-options": "DENY" },
  });
}

/**
 * Serves the built console: hashed files for a year, pages never from a cache. A path that is no file gets the plain page,
 * whose router decides; a path with an extension that does not exist is missing.
 *
 * @param input.plainPage - The page without content; undefined when the console was not built.
 * @returns A function that answers false when there is nothing to serve.
 */
export function createConsoleFiles(input: {
  folder: string;
  policy: string;
  plainPage: string | undefined;
}): (req: IncomingMessage, res: ServerResponse) => boolean {
  const { policy, plainPage } = input;
  if (plainPage === undefined || !existsSync(input.folder)) {
    return () => false;
  }
  const serve = sirv(input.folder, {
    etag: true,
    maxAge: 0,
    // The template of every page is nobody's page.
    ignores: [/^\/index\.html$/],
    setHeaders: (res, path) => {
      if (path.startsWith("/assets/")) {
        res.setHeader("cache-control", `public, max-age=${String(YEAR_SECONDS)}, immutable`);
      } else {
        res.setHeader("cache-control", "no-cache");
        res.setHeader("content-security-policy", policy);
        res.setHeader("x-frame-options", "DENY");
      }
    },
  });
  return (req, res) => {
    const path = (req.url ?? "/").split("?", 1)[0] ?? "/";
    if (path.endsWith("/") || extname(path) === "") {
      sendConsolePage(req, res, { text: plainPage, policy });
      return true;
    }
    let isMissing = false;
    serve(req, res, () => {
      isMissing = true;
    });
    return !isMissing;
  };
}
