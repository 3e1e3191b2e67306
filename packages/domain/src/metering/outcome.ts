import type { ErrorCode } from "../errors/error-codes.ts";

/** How a metered call ended: let through, or refused with a code. The HTTP status stands beside it. */
export type Outcome = "VALID" | ErrorCode;

/**
 * True when an answer of the upstream is billed: 2xx and 304. Decided at the upstream's status line, so that a client
 * which hangs up afterwards does not ride for free.
 */
export function isBillableStatus(status: number): boolean {
  return (status >= 200 && status < 300) || status === 304;
}
