import type { IncomingHttpHeaders } from "node:http";
import { AppError } from "@turnpike/domain/errors/app-error";

/** True when a browser says that the request comes from a page of `origin`. */
export function isFromOrigin(headers: IncomingHttpHeaders, origin: string): boolean {
  const site = headers["sec-fetch-site"];
  return headers.origin === origin && (site === undefined || site === "same-origin");
}

function crossOrigin(origin: string): AppError {
  return new AppError({
    code: "CROSS_ORIGIN",
    publicMessage: `This can be done from the console alone. Open it at ${origin}.`,
  });
}

/** @throws {AppError} `CROSS_ORIGIN` unless the request comes from a page of `origin`. */
export function assertFromOrigin(headers: IncomingHttpHeaders, origin: string): void {
  if (!isFromOrigin(headers, origin)) {
    throw crossOrigin(origin);
  }
}

/**
 * Refuses what a page of another site loads by itself, such as a picture, where people are led by links: it would count as
 * theirs.
 *
 * @throws {AppError} `CROSS_ORIGIN`.
 */
export function assertNotEmbedded(headers: IncomingHttpHeaders, origin: string): void {
  const site = headers["sec-fetch-site"];
  const isForeign = site === "cross-site" || site === "same-site";
  if (isForeign && headers["sec-fetch-dest"] !== "document") {
    throw crossOrigin(origin);
  }
}
