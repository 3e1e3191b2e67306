import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { FailureNotice } from "#components/failure-notice.tsx";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useVerifiedUser } from "#platform/verified-user.ts";
import { mayDo } from "../standing.view-model.ts";
import { tenantsQueries } from "../tenants.queries.ts";
import { useStanding } from "../use-standing.ts";
import { type AgentGrant, agentGrantsKey, agentGrantsQuery } from "./agent-grants.queries.ts";

/** The agents that members connected; nothing while there are none. */
export function ConnectedAgents({ tenant }: { tenant: OwnTenant }) {
  const { api } = usePlatform();
  const grants = useQuery(agentGrantsQuery(api, tenant.tenantId));
  if (grants.isError) {
    return (
      <FailureNotice
        what={t`The connected agents could not be loaded.`}
        cause={grants.error}
        onRetry={() => void grants.refetch()}
      />
    );
  }
  if (grants.data === undefined || grants.data.length === 0) {
    return null;
  }
  return (
    <section aria-labelledby="connected-title">
      <h2 id="connected-title" className="font-semibold text-base">
        <Trans>Connected agents</Trans>
      </h2>
      <p className="mb-3 max-w-[72ch] text-ink-muted">
        <Trans>Programs that members let in. Each may do at most what its member may.</Trans>
      </p>
      <ul
        aria-label={t`Connected agents`}
        className="divide-y divide-line rounded-card border border-line bg-surface"
      >
        {grants.data.map((grant) => (
          <ConnectedAgent key={grant.agentGrantId} tenant={tenant} grant={grant} />
        ))}
      </ul>
    </section>
  );
}

function ConnectedAgent({ tenant, grant }: { tenant: OwnTenant; grant: AgentGrant }) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const { user } = useVerifiedUser();
  const standing = useStanding(tenant);
  const { tenantId } = tenant;
  const { agentGrantId, name, host, scopes, userId, createdAt, renewedAt } = grant;
  const isOwn = userId === user.userId;
  const members = useQuery({ ...tenantsQueries.members(api, tenantId), enabled: !isOwn });
  const member = members.data?.items.find((each) => each.userId === userId);
  const disconnect = useMutation({
    mutationKey: ["agent-grants", "revoke"],
    mutationFn: () => api.agentGrants.revoke({ tenantId, agentGrantId }),
    onSuccess: () => void toast.success(t`${name} is disconnected.`),
    onError: (error) => void toast.error(toErrorMessage(error)),
    onSettled: () =>
      Promise.all(
        [agentGrantsKey(tenantId), ["audit", tenantId]].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      ),
  });
  const by = isOwn
    ? t({ message: "you", context: "connected by" })
    : (member?.name ?? member?.email ?? t`a member`);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 grow basis-56">
        <h3 className="font-medium [overflow-wrap:anywhere]">{name}</h3>
        <p className="text-ink-muted text-xs [overflow-wrap:anywhere]">
          <Trans>
            {host === null ? "" : t`Described by ${host}. `}Connected by {by},{" "}
            <RelativeTime at={createdAt} />; last used
          </Trans>{" "}
          <RelativeTime at={renewedAt} />
        </p>
        <p className="text-ink-muted text-xs [overflow-wrap:anywhere]">{scopes.join(", ")}</p>
      </div>
      {(isOwn || mayDo(standing, "members:write")) && (
        <Button
          size="small"
          aria-label={t`Disconnect ${name}`}
          progress={disconnect.isPending ? t`Disconnecting…` : undefined}
          onClick={() => disconnect.mutate()}
        >
          <Trans>Disconnect</Trans>
        </Button>
      )}
    </li>
  );
}
