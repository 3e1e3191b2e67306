import { t } from "@lingui/core/macro";
import type { RejectionCode } from "@turnpike/domain/events/rejection";

/** Why an event was rejected, in words. */
export const REJECTION_WORDS: Readonly<Record<RejectionCode, string>> = {
  INVALID_EVENT: t`Not a CloudEvent`,
  EVENT_TOO_LARGE: t`Too large`,
  UNKNOWN_TYPE: t`No meter of this type`,
  UNKNOWN_SUBJECT: t`Unknown tenant`,
  FOREIGN_SUBJECT: t`Another tenant’s subject`,
  TOO_OLD: t`Too old`,
  TOO_FAR_AHEAD: t`Too far in the future`,
  INVALID_VALUE: t`Value cannot be counted`,
};
