import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import type { LiveCall } from "@turnpike/contract/live-calls";
import { Dialog } from "@turnpike/ui/dialog";
import { Skeleton } from "@turnpike/ui/skeleton";
import { DocsLink } from "#components/docs-link.tsx";
import { FailureNotice } from "#components/failure-notice.tsx";
import { usePlatform } from "#platform/platform.tsx";
import type { AnalyticsScope } from "../analytics.queries.ts";
import type { KeyName } from "../breakdown.view-model.ts";
import { CallFacts } from "./call-facts.tsx";
import { callsQueries } from "./calls.queries.ts";

export type CallDialogProps = {
  scope: AnalyticsScope;
  keyNames: ReadonlyMap<string, KeyName>;
  /** Undefined while no call is open. */
  requestId: string | undefined;
  /** What is known of it already: a call that has just ended may not be kept yet. */
  known?: LiveCall | undefined;
  onClose: () => void;
};

/** Everything that is kept of one call. */
export function CallDialog({ scope, keyNames, requestId, known, onClose }: CallDialogProps) {
  return (
    <Dialog isOpen={requestId !== undefined} onClose={onClose} title={t`Call`}>
      {requestId !== undefined && <Content {...{ scope, keyNames, requestId, known }} />}
    </Dialog>
  );
}

/** Where anyone who may see the tenant's usage finds the call again. */
function toCallAddress(requestId: string): string {
  const { origin, pathname, search } = window.location;
  const tenant = new URLSearchParams(search).get("tenant");
  const query = new URLSearchParams({ tab: "calls", request: requestId });
  if (tenant !== null) {
    query.set("tenant", tenant);
  }
  return `${origin}${pathname}?${query.toString()}`;
}

type ContentProps = Omit<CallDialogProps, "onClose" | "requestId"> & { requestId: string };

function Content({ scope, keyNames, requestId, known }: ContentProps) {
  const found = useQuery(callsQueries.one(usePlatform().api, scope.tenantId, requestId));
  const call = found.data ?? known;
  if (call !== undefined) {
    return (
      <CallFacts
        call={call}
        zone={scope.timeZone}
        keyNames={keyNames}
        address={toCallAddress(requestId)}
        addressNote={t`Anyone who may see this usage finds the call by its link.`}
      />
    );
  }
  if (!found.isError) {
    return (
      <div role="status" aria-label={t`Loading the call`}>
        <Skeleton className="h-48 w-full" />
      </div>
    );
  }
  return (
    <>
      <FailureNotice
        what={t`This call could not be found.`}
        cause={found.error}
        onRetry={() => void found.refetch()}
      />
      <p className="mt-3 text-ink-muted">
        <Trans>
          Recent calls are kept for some days, and of many in one minute only some.{" "}
          <DocsLink page="analytics#recent-calls">Which calls are kept</DocsLink>
        </Trans>
      </p>
    </>
  );
}
