import { t } from "@lingui/core/macro";
import { Skeleton } from "@turnpike/ui/skeleton";

/** The place of a draft while it loads. */
export function DraftSkeleton() {
  return (
    <div role="status" aria-label={t`Loading the draft`} className="grid gap-4 lg:grid-cols-3">
      <Skeleton className="h-96 w-full rounded-card lg:col-span-2" />
      <Skeleton className="h-64 w-full rounded-card" />
    </div>
  );
}
