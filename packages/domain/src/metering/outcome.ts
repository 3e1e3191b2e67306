import { type ErrorCode, isErrorCode } from "../errors/error-codes.ts";

/**
 * How a metered call ended: admitted, denied or failed with a code, or left by its client before the upstream had answered. The
 * HTTP status is recorded separately.
 */
export type Outcome = "VALID" | "CLIENT_ABORTED" | ErrorCode;

/** The status recorded when the client left first; nginx made the number common. */
export const CLIENT_ABORTED_STATUS = 499;

/**
 * True when an answer of the upstream is billed: 2xx and 304, and 101 for an accepted WebSocket. Decided at the upstream's
 * status line, so that a client cannot avoid the charge by hanging up afterwards.
 */
export function isBillableStatus(status: number): boolean {
  return status === 101 || (status >= 200 && status < 300) || status === 304;
}

/**
 * Outcomes of admitted calls: answered by the upstream, left by their client, or failed on the way to the upstream, for example
 * because too many were under way or the body was too large or too slow. Every other outcome is a denial.
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
