import { RequestError } from "../error-message.ts";

/** What a provider says in an address when it could not decide (RFC 6749, 4.1.2.1). */
const PASSING_ERRORS: readonly string[] = ["server_error", "temporarily_unavailable"];

/** Tells a provider that could not be asked from one that said no: the first is asked again, the second is believed. */
export function isUnreachable(cause: unknown): boolean {
  const refusal = findRefusalInAddress(cause);
  if (refusal !== undefined) {
    return PASSING_ERRORS.includes(refusal);
  }
  const status = cause instanceof RequestError ? cause.status : readAnswerStatus(cause);
  if (status !== undefined) {
    return status >= 500 || status === 429;
  }
  return isTransportFailure(cause);
}

/** No answer, or not in time: `fetch` throws a TypeError, a timeout a DOMException. */
export function isTransportFailure(cause: unknown): boolean {
  return (
    cause instanceof DOMException ||
    (cause instanceof RequestError && cause.status === undefined) ||
    (cause instanceof TypeError && !("code" in cause))
  );
}

/** oauth4webapi keeps the answer that it could not read as the cause, and that of a refusal beside it. */
export function readAnswerStatus(cause: unknown): number | undefined {
  if (!(cause instanceof Error)) {
    return undefined;
  }
  const answer = "response" in cause ? cause.response : cause.cause;
  return answer instanceof Response ? answer.status : undefined;
}

/** By its code and not by its class, so that the library need not be loaded to tell. */
function findRefusalInAddress(cause: unknown): string | undefined {
  const isRefusal =
    cause instanceof Error &&
    "code" in cause &&
    cause.code === "OAUTH_AUTHORIZATION_RESPONSE_ERROR" &&
    "error" in cause;
  return isRefusal && typeof cause.error === "string" ? cause.error : undefined;
}
