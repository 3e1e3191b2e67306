import type { IncomingMessage, ServerResponse } from "node:http";
import type { HeaderPair } from "../proxy/forward-headers.ts";

const NO_HEADERS: readonly HeaderPair[] = [];

/** The product's own pages that send calls with a key, also to an upstream that lets no pages of other sites read its answers. */
export type OwnPages = {
  sent(req: IncomingMessage): boolean;
  /** Added to the answers to them; empty when there are no such pages. */
  headers: readonly HeaderPair[];
  answerPreflight(req: IncomingMessage, res: ServerResponse): void;
};

/** @param origin - Undefined when there are no such pages. */
export function createOwnPages(origin: string | undefined): OwnPages {
  return {
    sent: (req) => origin !== undefined && req.headers.origin === origin,
    headers:
      origin === undefined
        ? NO_HEADERS
        : [
            ["Access-Control-Allow-Origin", origin],
            ["Access-Control-Expose-Headers", "*"],
          ],
    answerPreflight(req, res) {
      res.writeHead(204, {
        "access-control-allow-origin": origin,
        "access-control-allow-methods": req.headers["access-control-request-method"] ?? "",
        "access-control-allow-headers": req.headers["access-control-request-headers"] ?? "",
        "access-control-max-age": "600",
        vary: "Origin",
      });
      res.end();
    },
  };
}
