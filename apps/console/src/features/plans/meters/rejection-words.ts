import type { RejectionCode } from "@turnpike/domain/events/rejection";

/** Why an event was rejected, in words. */
export const REJECTION_WORDS: Readonly<Record<RejectionCode, string>> = {
  INVALID_EVENT: "Not a CloudEvent",
  EVENT_TOO_LARGE: "Too large",
  UNKNOWN_TYPE: "No meter of this type",
  UNKNOWN_SUBJECT: "Unknown tenant",
  FOREIGN_SUBJECT: "Another tenant’s subject",
  TOO_OLD: "Too old",
  TOO_FAR_AHEAD: "Too far in the future",
  INVALID_VALUE: "Value cannot be counted",
};
