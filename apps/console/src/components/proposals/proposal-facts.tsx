import { t } from "@lingui/core/macro";
import { listProposalFacts } from "./proposal.view-model.ts";
import type { Proposal } from "./proposals.queries.ts";

/** What the change says and why the agent wants it, as text: an agent may have read it somewhere. */
export function ProposalFacts({ proposal }: { proposal: Proposal }) {
  return (
    <dl className="mt-2 grid gap-x-6 gap-y-1 sm:grid-cols-[max-content_minmax(0,1fr)]">
      {[...listProposalFacts(proposal), { label: t`Reason given`, value: proposal.reason }].map(
        ({ label, value }) => (
          <div key={label} className="contents">
            <dt className="text-ink-muted">{label}</dt>
            <dd className="min-w-0 [overflow-wrap:anywhere] max-sm:mb-1.5">{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
