import { ErrorState } from "@turnpike/ui/error-state";
import type { ReactNode } from "react";
import { RequestError, toErrorMessage } from "#platform/error-message.ts";

export type FailureNoticeProps = {
  /** What did not work, as a sentence: "The tenants could not be loaded." */
  what: string;
  cause: unknown;
  /** What the person can do about it. */
  wayOn?: ReactNode;
  onRetry?: () => void;
};

/** What failed, why, and what to do. Read out when it appears. */
export function FailureNotice({ what, cause, wayOn, onRetry }: FailureNoticeProps) {
  return (
    <ErrorState
      size="notice"
      title={what}
      reason={toErrorMessage(cause)}
      wayOn={wayOn}
      requestId={cause instanceof RequestError ? cause.requestId : undefined}
      onRetry={onRetry}
    />
  );
}
