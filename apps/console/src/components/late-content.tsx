import { t } from "@lingui/core/macro";
import { Skeleton } from "@turnpike/ui/skeleton";
import { type ReactNode, Suspense } from "react";

/** Around the content of a tab, or of a page in a page, whose code is loaded when it is opened. */
export function LateContent({ children }: { children: ReactNode }) {
  return (
    <Suspense
      fallback={
        <div role="status" aria-label={t`Loading`}>
          <Skeleton className="h-64 w-full rounded-card" />
        </div>
      }
    >
      {children}
    </Suspense>
  );
}
