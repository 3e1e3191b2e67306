import type { IncomingMessage } from "node:http";

/**
 * Shows the OpenID library the public address, not what the request or a proxy says, because it derives issuer, endpoints and cookies
 * from it.
 *
 * @param options.mountPath - Where the library is mounted, such as `/idp`.
 */
export function toLibraryRequest(
  req: IncomingMessage,
  options: { publicUrl: URL; mountPath: string },
): void {
  const { publicUrl, mountPath } = options;
  const url = req.url ?? "/";
  const { headers } = req;
  for (const name of Object.keys(headers)) {
    if (name.startsWith("x-forwarded-") || name === "forwarded") {
      delete headers[name];
    }
  }
  headers.host = publicUrl.host;
  headers["x-forwarded-proto"] = publicUrl.protocol.slice(0, -1);
  // Pages of other sites may not read answers, and without an origin the library does not allow it.
  delete headers.origin;
  Object.assign(req, { originalUrl: url, url: url.slice(mountPath.length) });
}
