import { t } from "@lingui/core/macro";
import { RequestError, toErrorMessage } from "#platform/error-message.ts";

const UNREACHED = t`The server could not be reached. Check your connection and try again.`;

/** Why a request about keys failed, for the person who sent it. Replaces the browser's own text when no response came. */
export function toFailureReason(cause: unknown): string {
  return cause instanceof RequestError && cause.status === undefined
    ? UNREACHED
    : toErrorMessage(cause);
}
