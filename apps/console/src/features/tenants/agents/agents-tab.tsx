import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Badge } from "@turnpike/ui/badge";
import { CodeBlock } from "@turnpike/ui/code-block";
import { joinClasses } from "@turnpike/ui/join-classes";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { Skeleton } from "@turnpike/ui/skeleton";
import { DocsLink } from "#components/docs-link.tsx";
import { FailureNotice } from "#components/failure-notice.tsx";
import { toConnectSamples, toProposalTitle } from "#components/proposals/proposal.view-model.ts";
import { type Proposal, proposalsQuery } from "#components/proposals/proposals.queries.ts";
import { WaitingProposals } from "#components/proposals/waiting-proposals.tsx";
import { useOnceKnown } from "#components/use-once-known.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { agentGrantsQuery } from "./agent-grants.queries.ts";
import { ConnectedAgents } from "./connected-agents.tsx";

export type AgentsTabProps = { tenant: OwnTenant };

/** What agents proposed, which are connected, and how others are. */
export function AgentsTab({ tenant }: AgentsTabProps) {
  const { api } = usePlatform();
  const proposals = useQuery(proposalsQuery(api, tenant.tenantId));
  const grants = useQuery(agentGrantsQuery(api, tenant.tenantId));
  const isShown = useOnceKnown([proposals, grants]);
  return (
    <div className="space-y-8">
      <Proposals tenant={tenant} />
      <div className={joinClasses("space-y-8", !isShown && "hidden")}>
        <ConnectedAgents tenant={tenant} />
        <Connect />
      </div>
    </div>
  );
}

function Connect() {
  const { config } = usePlatform();
  const { address, command, commandWithKey } = toConnectSamples(config.urls.api);
  return (
    <section aria-labelledby="connect-title">
      <h2 id="connect-title" className="font-semibold text-base">
        <Trans>Connect an agent</Trans>
      </h2>
      <p className="mb-3 max-w-[72ch] text-ink-muted">
        <Trans>
          An assistant asks about usage, limits and invoices by the Model Context Protocol. Add the
          address, and it brings you here to let it in; a program without a browser uses an API key
          with the management scopes that it needs. It reads; what it wants to change waits here for
          a person. <DocsLink page="agents">Set up other clients</DocsLink>
        </Trans>
      </p>
      <div className="max-w-3xl space-y-3">
        <CodeBlock code={address} subject={t`Address of the server`} />
        <CodeBlock code={command} subject={t`Command for Claude Code`} note={t`For Claude Code.`} />
        <CodeBlock
          code={commandWithKey}
          subject={t`Command for Claude Code with a key`}
          note={t`The same with an API key.`}
        />
      </div>
    </section>
  );
}

function Proposals({ tenant }: AgentsTabProps) {
  const { api } = usePlatform();
  const proposals = useQuery(proposalsQuery(api, tenant.tenantId));
  const open = proposals.data?.filter(({ state }) => state === "open");
  const others = proposals.data?.filter(({ state }) => state !== "open") ?? [];
  return (
    <section aria-labelledby="proposals-title">
      <h2 id="proposals-title" className="font-semibold text-base">
        <Trans>Proposals</Trans>
      </h2>
      <p className="mb-3 max-w-[72ch] text-ink-muted">
        <Trans>What agents ask for. Accepting does it in your name; agents cannot accept.</Trans>
      </p>
      {proposals.isError && open === undefined ? (
        <FailureNotice
          what={t`The proposals could not be loaded.`}
          cause={proposals.error}
          onRetry={() => void proposals.refetch()}
        />
      ) : open === undefined ? (
        <Skeleton className="h-28 w-full rounded-card" />
      ) : open.length === 0 ? (
        <p className="rounded-card border border-line border-dashed px-4 py-5 text-ink-muted">
          <Trans>Nothing waits for a decision.</Trans>
        </p>
      ) : null}
      <WaitingProposals tenant={tenant} proposals={open ?? []} label={t`Proposals that wait`} />
      {others.length > 0 && <Decided proposals={others} />}
    </section>
  );
}

const STATES = {
  open: { label: t({ message: "Open", context: "state" }), tone: "info" },
  accepted: { label: t`Accepted`, tone: "ok" },
  declined: { label: t`Declined`, tone: "neutral" },
  expired: { label: t`Expired`, tone: "neutral" },
} as const;

function Decided({ proposals }: { proposals: readonly Proposal[] }) {
  return (
    <details className="mt-3">
      <summary className="cursor-pointer text-ink-muted">
        <Trans>Decided and expired</Trans>
      </summary>
      <ul aria-label={t`Decided proposals`} className="mt-2 divide-y divide-line">
        {proposals.map(({ proposalId, state, decidedAt, expiresAt, ...proposal }) => (
          <li key={proposalId} className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2">
            <span className="min-w-0 grow basis-56 [overflow-wrap:anywhere]">
              {toProposalTitle(proposal)}
            </span>
            <Badge tone={STATES[state].tone}>{STATES[state].label}</Badge>
            <span className="text-ink-muted text-xs">
              <RelativeTime at={decidedAt ?? expiresAt} />
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
