import type { IncomingHttpHeaders } from "node:http";
import { AppError } from "@turnpike/domain/errors/app-error";

/** True if the browser says that the request comes from a page of `origin`. */
export function isFromOrigin(headers: IncomingHttpHeaders, origin: string): boolean {
  const site = headers["sec-fetch-site"];
  return headers.origin === origin && (site === undefined || site === "same-origin");
}

function crossOrigin(origin: string): AppError {
  return new AppError({
    code: "CROSS_ORIGIN",
    publicMessage: `This is only possible from the console. Open it at ${origin}.`,
  });
}

/** @throws {AppError} `CROSS_ORIGIN` unless the request comes from a page of `origin`. */
export function assertFromOrigin(headers: IncomingHttpHeaders, origin: string): void {
  if (!isFromOrigin(headers, origin)) {
    throw crossOrigin(origin);
  }
}

/**
 * Refuses what a page of another site loads by itself, such as an image, where only people should arrive by links: it would count
 * towards their limits.
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
