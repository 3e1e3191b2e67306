import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { Skeleton } from "@turnpike/ui/skeleton";
import { FailureNotice } from "#components/failure-notice.tsx";
import { PublicFrame } from "#components/public-frame.tsx";
import { pageContentQuery } from "#platform/page-content.ts";
import type { LegalName } from "./legal.view-model.ts";
import { LegalColumn, LegalText } from "./legal-text.tsx";

/** One of the operator's texts, with its table of contents. */
export function LegalPage({ name }: { name: LegalName }) {
  const content = useQuery(pageContentQuery(name));
  return (
    <PublicFrame>
      <LegalColumn>
        {content.data !== undefined && <LegalText name={name} content={content.data} />}
        {content.isError && (
          <FailureNotice
            what={t`This text could not be loaded.`}
            cause={content.error}
            onRetry={() => void content.refetch()}
          />
        )}
        {content.isPending && (
          <div role="status" aria-label={t`Loading`} className="max-w-[44rem] space-y-4">
            <Skeleton className="h-9 w-72 max-w-full" />
            <Skeleton className="h-4 w-44" />
            <Skeleton className="h-64 w-full" />
          </div>
        )}
      </LegalColumn>
    </PublicFrame>
  );
}
