import { Button } from "@turnpike/ui/button";
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
    <div
      role="alert"
      className="flex flex-wrap items-center justify-between gap-3 rounded-control border border-danger/30 bg-danger-soft px-3 py-2.5"
    >
      <div className="min-w-0">
        <p className="font-medium text-danger">{what}</p>
        <p className="[overflow-wrap:anywhere]">{toErrorMessage(cause)}</p>
        {wayOn !== undefined && <p className="mt-1 text-ink-muted">{wayOn}</p>}
        {cause instanceof RequestError && cause.requestId !== undefined && (
          <p className="mt-1 text-ink-muted text-xs">
            Request <code className="font-mono">{cause.requestId}</code>
          </p>
        )}
      </div>
      {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}
