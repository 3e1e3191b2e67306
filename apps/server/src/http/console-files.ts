import { existsSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import sirv from "sirv";

const YEAR_SECONDS = 365 * 24 * 3600;

/**
 * Only our own scripts, styles, fonts and pictures; no frame around us. `connect-src` also names the API's public origin,
 * which may differ from the page's.
 */
function contentSecurityPolicy(apiOrigin: string): string {
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

/**
 * Serves the built console: hashed files for a year, pages never from a cache. A path that is no file gets the page, whose
 * router decides; a path with an extension that does not exist is missing.
 *
 * @returns A function that answers false when there is nothing to serve.
 */
export function createConsoleFiles(input: {
  folder: string;
  apiOrigin: string;
}): (req: IncomingMessage, res: ServerResponse) => boolean {
  if (!existsSync(join(input.folder, "index.html"))) {
    return () => false;
  }
  const policy = contentSecurityPolicy(input.apiOrigin);
  const serve = sirv(input.folder, {
    etag: true,
    single: true,
    maxAge: 0,
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
    let isMissing = false;
    serve(req, res, () => {
      isMissing = true;
    });
    return !isMissing;
  };
}
