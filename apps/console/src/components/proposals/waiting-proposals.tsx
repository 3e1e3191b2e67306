import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { useState } from "react";
import { insightsQueries } from "#components/insights/insights.queries.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { mayInTenant, nameRole } from "#platform/may-in-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { AcceptProposalDialog } from "./accept-proposal-dialog.tsx";
import {
  listProposerKeys,
  scopeOfChange,
  toProposalTitle,
  toProposerName,
} from "./proposal.view-model.ts";
import { ProposalFacts } from "./proposal-facts.tsx";
import { type Proposal, proposalsKey } from "./proposals.queries.ts";

export type WaitingProposalsProps = {
  tenant: OwnTenant;
  /** Without any only the dialog of the one that was accepted last is left. */
  proposals: readonly Proposal[];
  /** Names the list. */
  label: string;
};

/** Proposals that wait, with what a person may decide on each. */
export function WaitingProposals({ tenant, proposals, label }: WaitingProposalsProps) {
  const [accepting, setAccepting] = useState<Proposal>();
  return (
    <>
      {proposals.length > 0 && (
        <ul
          aria-label={label}
          className="divide-y divide-line rounded-card border border-line bg-surface"
        >
          {proposals.map((proposal) => (
            <WaitingProposal
              key={proposal.proposalId}
              tenant={tenant}
              proposal={proposal}
              onAccept={() => setAccepting(proposal)}
            />
          ))}
        </ul>
      )}
      <AcceptProposalDialog
        tenant={tenant}
        proposal={accepting}
        onClose={() => setAccepting(undefined)}
      />
    </>
  );
}

type WaitingProposalProps = { tenant: OwnTenant; proposal: Proposal; onAccept: () => void };

function WaitingProposal({ tenant, proposal, onAccept }: WaitingProposalProps) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const { tenantId } = tenant;
  const names = useQuery(insightsQueries.keyNames(api, tenantId, listProposerKeys(proposal)));
  const decline = useMutation({
    mutationKey: ["proposals", "decline"],
    mutationFn: () => api.proposals.decline({ tenantId, proposalId: proposal.proposalId }),
    onSuccess: () => void toast.success(t`Declined. Nothing was changed.`),
    onError: (error) => void toast.error(toErrorMessage(error)),
    onSettled: () => client.invalidateQueries({ queryKey: proposalsKey(tenantId) }),
  });
  const title = toProposalTitle(proposal);
  const mayDecide = mayInTenant(tenant, "proposals:write");
  const mayAccept = mayDecide && mayInTenant(tenant, scopeOfChange(proposal));
  return (
    <li className="px-4 py-3">
      <h3 className="font-medium [overflow-wrap:anywhere]">{title}</h3>
      <p className="text-ink-muted text-xs [overflow-wrap:anywhere]">
        <Trans>
          By {toProposerName(proposal.proposedBy, names.data ?? new Map())},{" "}
          <RelativeTime at={proposal.createdAt} />; expires
        </Trans>{" "}
        <RelativeTime at={proposal.expiresAt} />
      </p>
      <ProposalFacts proposal={proposal} />
      <div className="mt-3 flex flex-wrap items-center gap-2">
        {mayAccept && (
          <Button size="small" look="primary" aria-label={t`Accept: ${title}`} onClick={onAccept}>
            <Trans>Accept…</Trans>
          </Button>
        )}
        {mayDecide && (
          <Button
            size="small"
            aria-label={t`Decline: ${title}`}
            progress={decline.isPending ? t`Declining…` : undefined}
            onClick={() => decline.mutate()}
          >
            <Trans>Decline</Trans>
          </Button>
        )}
        {!mayAccept && (
          <p className="text-ink-muted text-xs">
            <Trans>
              Accepting needs a role with {scopeOfChange(proposal)}; yours is {nameRole(tenant)}.
            </Trans>
          </p>
        )}
      </div>
    </li>
  );
}
