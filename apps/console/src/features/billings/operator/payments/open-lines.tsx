import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { EmptyState } from "@turnpike/ui/empty-state";
import Landmark from "lucide-react/icons/landmark";
import { useState } from "react";
import { usePlatform } from "#platform/platform.tsx";
import type { AllInvoicesProps } from "../all-invoices-props.ts";
import { LineDialog } from "./line-dialog.tsx";
import { LineRow } from "./line-row.tsx";
import { LinesPending } from "./lines-pending.tsx";
import { openLinesQuery, type StatementLine } from "./payments.queries.ts";
import { describeProposal } from "./payments.view-model.ts";

/** Lines of bank statements that wait until it is said what they pay. */
export function OpenLines({ onSearchChange }: Pick<AllInvoicesProps, "onSearchChange">) {
  const { api } = usePlatform();
  const [line, setLine] = useState<StatementLine>();
  const lines = useQuery(openLinesQuery(api));
  const items = lines.data?.items;
  if (items === undefined) {
    return <LinesPending lines={lines} />;
  }
  if (items.length === 0) {
    return (
      <EmptyState icon={<Landmark />} title={t`Nothing waits`}>
        <Trans>
          Import a statement of your bank, as CSV or camt.053, to find what was transferred.
        </Trans>
      </EmptyState>
    );
  }
  return (
    <>
      <ul className="divide-y divide-line rounded-card border border-line bg-surface">
        {items.map((item) => (
          <LineRow
            key={item.lineId}
            line={item}
            note={
              item.proposals[0] && (
                <Proposal
                  proposal={item.proposals[0]}
                  onOpenInvoice={(invoice, owner) =>
                    onSearchChange({ view: "all", invoice, owner })
                  }
                />
              )
            }
            action={
              <Button size="small" onClick={() => setLine(item)}>
                <Trans>Decide</Trans>
              </Button>
            }
          />
        ))}
      </ul>
      {line !== undefined && (
        <LineDialog key={line.lineId} line={line} onClose={() => setLine(undefined)} />
      )}
    </>
  );
}

type ProposalProps = {
  proposal: StatementLine["proposals"][number];
  onOpenInvoice: (invoiceId: string, tenantId: string) => void;
};

/** The most likely invoice of a line. */
function Proposal({ proposal, onOpenInvoice }: ProposalProps) {
  return (
    <>
      <button
        type="button"
        className="cursor-pointer font-medium underline underline-offset-4"
        onClick={() => onOpenInvoice(proposal.invoiceId, proposal.tenantId)}
      >
        {proposal.number}
      </button>
      <Trans>
        {" "}
        of {proposal.tenantName}: {describeProposal(proposal)}
      </Trans>
    </>
  );
}
