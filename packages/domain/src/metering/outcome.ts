import { type ErrorCode, isErrorCode } from "../errors/error-codes.ts";

/**
 * How a metered call ended: let through, refused or failed with a code, or left by its client before the upstream had
 * answered. The HTTP status stands beside it.
 */
export type Outcome = "VALID" | "CLIENT_ABORTED" | ErrorCode;

/** What is recorded as the status of a call whose client left first; the number that nginx made common. */
export const CLIENT_ABORTED_STATUS = 499;

/**
 * True when an answer of the upstream is billed: 2xx and 304, and 101 for an accepted
 * WebSocket. Decided at the upstream's status line, so that a client
 * which hangs up afterwards does not ride for free.
 */
export function isBillableStatus(status: number): boolean {
  return status === 101 || (status >= 200 && status < 300) || status === 304;
}

/**
 * Outcomes of calls that Turnpike let through: answered by the upstream, left by their client, or failed on the way to the
 * upstream, be it because too many were under way or because the body was too large or too slow. Every other outcome is a
 * denial.
 */
export const ADMITTED_OUTCOMES = [
  "VALID",
  "CLIENT_ABORTED",
  "UPSTREAM_UNREACHABLE",
  "UPSTREAM_TIMEOUT",
  "OVERLOADED",
  "PAYLOAD_TOO_LARGE",
  "REQUEST_TIMEOUT",
] as const satisfies readonly Outcome[];

/** True for a name that can be an outcome. */
export function isOutcome(text: string): text is Outcome {
  return text === "VALID" || text === "CLIENT_ABORTED" || isErrorCode(text);
}
