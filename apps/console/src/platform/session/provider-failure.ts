import { AuthorizationResponseError, ResponseBodyError } from "oauth4webapi";
import { RequestError, toErrorMessage } from "../error-message.ts";
import { SignInError } from "./session.ts";

/** What a person reads about each of the provider's error codes; another code takes the last sentence. */
const SENTENCES: Readonly<Record<string, string>> = {
  access_denied: "You cancelled signing in, or the provider denied access.",
  login_required: "The provider wants you to sign in again.",
  interaction_required: "The provider needs something from you first. Try again.",
  account_selection_required: "Choose an account at the provider, then try again.",
  consent_required: "The provider needs your consent to share who you are.",
  invalid_grant: "This sign-in took too long or was already used. Try again.",
  invalid_request: "The provider did not accept the request. Tell the operator of this service.",
  invalid_client: "The provider does not know this service. Tell its operator.",
  unauthorized_client:
    "The provider does not allow this service to sign people in. Tell its operator.",
  invalid_scope: "The provider does not share what this service asks for. Tell its operator.",
  unsupported_response_type:
    "The provider does not support this way to sign in. Tell the operator of this service.",
  server_error: "The provider failed. Try again in a moment.",
  sign_in_expired: "This sign-in has expired. Start over.",
  request_invalid: "The sign-in service did not accept the request. Start over.",
  sign_out_unconfirmed: "You are still signed in: sign out from the user menu.",
  temporarily_unavailable: "The provider is overloaded. Try again in a moment.",
};

/** The code may come from an address, so that it may be the name of anything that objects have. */
function findSentence(code: string): string | undefined {
  return Object.hasOwn(SENTENCES, code) ? SENTENCES[code] : undefined;
}

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
      : readStatus(cause);
  if (status !== undefined) {
    return status >= 500 || status === 429;
  }
  return isTransportFailure(cause);
}

/** The sentence for the error code that a provider put into an address. */
export function toProviderSentence(code: string): string {
  return findSentence(code) ?? `The provider refused (${code}). Try again or choose another way.`;
}

/** Chooses the sentence that a person reads when signing in failed. */
export function toSignInMessage(cause: unknown): string {
  if (cause instanceof SignInError) {
    return findSentence(cause.code) ?? cause.message;
  }
  if (cause instanceof AuthorizationResponseError || cause instanceof ResponseBodyError) {
    return toProviderSentence(cause.error);
  }
  if (cause instanceof RequestError && cause.status !== undefined) {
    return toErrorMessage(cause);
  }
  if (isTransportFailure(cause)) {
    return "The sign-in service cannot be reached. Check your connection, then try again.";
  }
  return "Signing in failed: the provider’s answer could not be trusted. Try again.";
}

/** No answer, or not in time: `fetch` throws a TypeError, a timeout a DOMException. */
function isTransportFailure(cause: unknown): boolean {
  return (
    cause instanceof DOMException ||
    (cause instanceof RequestError && cause.status === undefined) ||
    (cause instanceof TypeError && !("code" in cause))
  );
}

/** oauth4webapi keeps the answer that it could not read as the cause. */
function readStatus(cause: unknown): number | undefined {
  const answer = cause instanceof Error ? cause.cause : undefined;
  return answer instanceof Response ? answer.status : undefined;
}
