import { t } from "@lingui/core/macro";
import type { UseQueryResult } from "@tanstack/react-query";
import { Skeleton } from "@turnpike/ui/skeleton";
import { FailureNotice } from "#components/failure-notice.tsx";

/** In place of lines of bank statements that have not come. */
export function LinesPending({
  lines,
}: {
  lines: Pick<UseQueryResult, "isError" | "error" | "refetch">;
}) {
  return lines.isError ? (
    <FailureNotice
      what={t`The lines could not be loaded.`}
      cause={lines.error}
      onRetry={() => void lines.refetch()}
    />
  ) : (
    <div role="status" aria-label={t`Loading the lines`}>
      <Skeleton className="h-48 w-full rounded-card" />
    </div>
  );
}
