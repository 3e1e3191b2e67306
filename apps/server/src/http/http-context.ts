import type { CallContext } from "@turnpike/domain/access/actor";
import type { Logger } from "#platform/logger.ts";

/** What a route of the API gets besides its input. */
export type HttpContext = {
  /** The caller. Throws `UNAUTHENTICATED` when the request carried no valid credential. */
  call(): CallContext;
  /** The caller of a public operation; undefined for a visitor. */
  findCall(): CallContext | undefined;
  requestId: string;
  /** Canonical address of the client, behind trusted proxies. */
  clientAddress(): string;
  logger: Logger;
};
