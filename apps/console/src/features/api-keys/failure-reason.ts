import { RequestError, toErrorMessage } from "#platform/error-message.ts";

const UNREACHED = "The server could not be reached. Check your connection and try again.";

/** Why a request about keys failed, for who asked. Where no answer came, the browser's own words would help nobody. */
export function toFailureReason(cause: unknown): string {
  return cause instanceof RequestError && cause.status === undefined
    ? UNREACHED
    : toErrorMessage(cause);
}
