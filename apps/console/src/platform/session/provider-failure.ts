import { AuthorizationResponseError, ResponseBodyError } from "oauth4webapi";
import { RequestError } from "../error-message.ts";

/** What a provider says in an address when it could not decide (RFC 6749, 4.1.2.1). */
const PASSING_ERRORS: readonly string[] = ["server_error", "temporarily_unavailable"];

/** Tells a provider that could not be asked from one that said no: the first is asked again, the second is believed. */
export function isUnreachable(cause: unknown): boolean {
  if (cause instanceof AuthorizationResponseError) {
    return PASSING_ERRORS.includes(cause.error);
  }
  const status =
    cause instanceof ResponseBodyError || cause instanceof RequestError
      ? cause.status
      : readAnswerStatus(cause);
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

/** oauth4webapi keeps the answer that it could not read as the cause. */
export function readAnswerStatus(cause: unknown): number | undefined {
  const answer = cause instanceof Error ? cause.cause : undefined;
  return answer instanceof Response ? answer.status : undefined;
}
