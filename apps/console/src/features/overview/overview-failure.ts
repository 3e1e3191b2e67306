import { t } from "@lingui/core/macro";
import { RequestError } from "#platform/error-message.ts";

/**
 * Rewrites a refusal whose advice cannot be followed on this screen: its range is fixed, so "choose a shorter range" leads
 * to Analytics.
 *
 * @returns Any other failure as it is; null for none.
 */
export function toOverviewFailure(cause: Error | null): Error | null {
  return cause instanceof RequestError && cause.code === "QUERY_TOO_COSTLY"
    ? new RequestError(
        t`There is too much usage in the last 30 days to add up in time. Open Analytics to see a shorter range.`,
        cause.cause,
      )
    : cause;
}
