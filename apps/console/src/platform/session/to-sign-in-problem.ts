import { t } from "@lingui/core/macro";
import { AuthorizationResponseError, ResponseBodyError } from "oauth4webapi";
import { RequestError, toErrorMessage } from "../error-message.ts";
import { isTransportFailure, readAnswerStatus } from "./provider-failure.ts";
import { SignInError } from "./session.ts";
import {
  BUILT_IN_CODES,
  CONSOLE_CODES,
  FIREBASE_CODES,
  findCause,
  LIBRARY_CODES,
  OPENID_CODES,
} from "./sign-in-codes.ts";
import { getSignInProblem, isSignInCause, type SignInProblem } from "./sign-in-problems.ts";

const FIREBASE_PREFIX = "auth/";

/**
 * What a person reads about a failed sign-in at any provider.
 *
 * @param cause - What the session, a provider's client or the server threw. Anything else is an answer that cannot be trusted.
 */
export function toSignInProblem(cause: unknown): SignInProblem {
  if (cause instanceof SignInError) {
    return toOwnProblem(cause);
  }
  if (cause instanceof AuthorizationResponseError || cause instanceof ResponseBodyError) {
    const known = findCause(OPENID_CODES, cause.error);
    return known === undefined
      ? getSignInProblem(
          "access_denied",
          t`The provider refused (${cause.error}). Try again or choose another way.`,
        )
      : getSignInProblem(known);
  }
  if (cause instanceof RequestError && cause.status !== undefined) {
    // The server's sentence knows more, such as how long to wait.
    const known = findCause(BUILT_IN_CODES, cause.code ?? "");
    return getSignInProblem(known ?? "internal", toErrorMessage(cause));
  }
  if (isTransportFailure(cause)) {
    // A browser that blocks storage throws the same kind of error as a broken connection.
    const isStorage = cause instanceof DOMException && cause.name === "SecurityError";
    return getSignInProblem(isStorage ? "storage_blocked" : "network_failed");
  }
  return getSignInProblem(findCauseByCode(cause) ?? "untrusted_answer");
}

/** The sentence alone, for a form that has no room for more. */
export function toSignInMessage(cause: unknown): string {
  return toSignInProblem(cause).sentence;
}

function toOwnProblem({ code, message }: SignInError): SignInProblem {
  const foreign = findCause(BUILT_IN_CODES, code) ?? findCause(OPENID_CODES, code);
  if (foreign !== undefined) {
    return getSignInProblem(foreign);
  }
  const own = isSignInCause(code) ? code : findCause(CONSOLE_CODES, code);
  return getSignInProblem(own ?? "access_denied", message === "" ? undefined : message);
}

function findCauseByCode(cause: unknown) {
  const code: unknown = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (typeof code !== "string") {
    return undefined;
  }
  if (code.startsWith(FIREBASE_PREFIX)) {
    return findCause(FIREBASE_CODES, code.slice(FIREBASE_PREFIX.length)) ?? "internal";
  }
  const status = readAnswerStatus(cause);
  return (
    findCause(LIBRARY_CODES, code) ??
    (status !== undefined && status >= 500 ? ("provider_failed" as const) : undefined)
  );
}
