import { Trans } from "@lingui/react/macro";
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

/** A way to the console of the cell where a tenant lives that is not here. */
function toOtherCell(cause: unknown): ReactNode {
  const address = cause instanceof RequestError ? cause.otherConsole : undefined;
  return address === undefined ? undefined : (
    <a className="underline underline-offset-2" href={address}>
      <Trans>Open the console of its cell</Trans>
    </a>
  );
}

/** What failed, why, and what to do. Read out when it appears. */
export function FailureNotice({ what, cause, wayOn, onRetry }: FailureNoticeProps) {
  return (
    <ErrorState
      size="notice"
      title={what}
      reason={toErrorMessage(cause)}
      wayOn={wayOn ?? toOtherCell(cause)}
      requestId={cause instanceof RequestError ? cause.requestId : undefined}
      onRetry={onRetry}
    />
  );
}
