import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { TenantCall } from "@turnpike/contract/calls";
import { Button } from "@turnpike/ui/button";
import { Dialog } from "@turnpike/ui/dialog";
import { Skeleton } from "@turnpike/ui/skeleton";
import { DocsLink } from "#components/docs-link.tsx";
import { FailureNotice } from "#components/failure-notice.tsx";
import { usePlatform } from "#platform/platform.tsx";
import { CallFacts, Fact } from "../calls/call-facts.tsx";
import { callsQueries } from "../calls/calls.queries.ts";

const NO_NAMES = new Map<string, never>();

export type AllCallDialogProps = {
  timeZone: string;
  /** Undefined while no call is open. */
  requestId: string | undefined;
  onClose: () => void;
  /** Shows the calls of this tenant alone. */
  onNarrow: (tenantId: string) => void;
};

/** Everything that is logged of one call, and the way to its tenant. */
export function AllCallDialog(props: AllCallDialogProps) {
  const { requestId, onClose } = props;
  return (
    <Dialog isOpen={requestId !== undefined} onClose={onClose} title={t`Call`}>
      {requestId !== undefined && <Content {...props} requestId={requestId} />}
    </Dialog>
  );
}

function toAddress(requestId: string): string {
  const { origin, pathname } = window.location;
  return `${origin}${pathname}?${new URLSearchParams({ request: requestId }).toString()}`;
}

function Content({ requestId, timeZone, onNarrow }: AllCallDialogProps & { requestId: string }) {
  const found = useQuery(callsQueries.oneOfAll(usePlatform().api, requestId));
  const call = found.data;
  if (call === undefined) {
    return found.isError ? (
      <FailureNotice
        what={t`This call could not be loaded.`}
        cause={found.error}
        onRetry={() => void found.refetch()}
      />
    ) : (
      <div role="status" aria-label={t`Loading the call`}>
        <Skeleton className="h-48 w-full" />
      </div>
    );
  }
  return call === null ? (
    <p className="text-ink-muted">
      <Trans>
        No logged call has this id. A call is logged a second or two after its end.{" "}
        <DocsLink page="scale#every-call">Which calls are logged</DocsLink>
      </Trans>
    </p>
  ) : (
    <CallFacts
      call={call}
      zone={timeZone}
      keyNames={NO_NAMES}
      address={toAddress(requestId)}
      addressNote={t`Operators find the call by its link.`}
    >
      <Fact name={t`Tenant`}>
        <TenantName call={call} />
        <p className="mt-1">
          <Button size="small" onClick={() => onNarrow(call.tenantId)}>
            <Trans>Calls of this tenant</Trans>
          </Button>
        </p>
      </Fact>
    </CallFacts>
  );
}

/** Leads to the tenant while there is one. */
function TenantName({ call: { tenantId, tenantName } }: { call: TenantCall }) {
  const tenant = useQuery(callsQueries.tenant(usePlatform().api, tenantId)).data;
  return (
    <>
      {tenant === undefined ? (
        (tenantName ?? t`Deleted`)
      ) : (
        <Link
          to="/overview"
          search={{ tenant: tenant.slug }}
          className="font-medium underline decoration-line-control underline-offset-4 hover:decoration-current"
        >
          {tenant.name}
        </Link>
      )}{" "}
      <code className="font-mono text-ink-muted text-xs">{tenantId}</code>
    </>
  );
}
