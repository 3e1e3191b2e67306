import type { CallContext } from "@turnpike/domain/access/actor";
import type { Logger } from "#platform/logger.ts";

/** What a route of the API gets beside its input. */
export type HttpContext = {
  /** Who calls; throws `UNAUTHENTICATED` when the request carried no valid credential. */
  call(): CallContext;
  /** Who calls a public operation; undefined for a visitor. */
  findCall(): CallContext | undefined;
  requestId: string;
  /** Canonical address of whoever sent the request, behind trusted proxies. */
  clientAddress(): string;
  logger: Logger;
};
