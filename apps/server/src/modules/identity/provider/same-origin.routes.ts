import type { IncomingHttpHeaders } from "node:http";
import { AppError } from "@turnpike/domain/errors/app-error";

/** True when a browser says that the request comes from a page of `origin`. */
export function isFromOrigin(headers: IncomingHttpHeaders, origin: string): boolean {
  const site = headers["sec-fetch-site"];
  return headers.origin === origin && (site === undefined || site === "same-origin");
}

/** @throws {AppError} `CROSS_ORIGIN` unless the request comes from a page of `origin`. */
export function assertFromOrigin(headers: IncomingHttpHeaders, origin: string): void {
  if (!isFromOrigin(headers, origin)) {
    throw new AppError({
      code: "CROSS_ORIGIN",
      publicMessage: `This can be done from the console alone. Open it at ${origin}.`,
    });
  }
}
