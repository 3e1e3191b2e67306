import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { Skeleton } from "@turnpike/ui/skeleton";
import { FailureNotice } from "#components/failure-notice.tsx";
import { PublicFrame } from "#components/public-frame.tsx";
import { pageContentQuery } from "#platform/page-content.ts";
import { Landing } from "./landing.tsx";

/** `/`: what the API is, the first call, how it goes on, what it costs. */
export function LandingPage() {
  const content = useQuery(pageContentQuery("landing"));
  return (
    <PublicFrame>
      {content.data !== undefined && <Landing content={content.data} />}
      {content.isError && (
        <div className="mx-auto max-w-2xl px-4 py-24">
          <FailureNotice
            what={t`This page could not be loaded.`}
            cause={content.error}
            onRetry={() => void content.refetch()}
          />
        </div>
      )}
      {content.isPending && <LandingSkeleton />}
    </PublicFrame>
  );
}

function LandingSkeleton() {
  return (
    <div
      role="status"
      aria-label={t`Loading`}
      className="mx-auto grid max-w-[70rem] gap-12 px-4 pt-12 sm:px-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,34rem)] lg:pt-20"
    >
      <div className="space-y-4">
        <Skeleton className="h-10 w-80 max-w-full" />
        <Skeleton className="h-5 w-full" />
        <Skeleton className="h-5 w-2/3" />
      </div>
      <Skeleton className="h-80 rounded-card" />
    </div>
  );
}
