import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogActions } from "@turnpike/ui/dialog-actions";
import { SecretOnce } from "@turnpike/ui/secret-once";
import { useStake } from "@turnpike/ui/unsaved";
import { useState } from "react";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { toProposalTitle } from "./proposal.view-model.ts";
import { ProposalFacts } from "./proposal-facts.tsx";
import { type Proposal, proposalsKey } from "./proposals.queries.ts";

export type AcceptProposalDialogProps = {
  tenant: OwnTenant;
  /** Undefined: closed. */
  proposal: Proposal | undefined;
  onClose: () => void;
};

/** Shows once more what is accepted, and the text of a new key this one time. */
export function AcceptProposalDialog({ tenant, proposal, onClose }: AcceptProposalDialogProps) {
  const [secret, setSecret] = useState<string>();

  function close(): void {
    setSecret(undefined);
    onClose();
  }

  return (
    <Dialog
      isOpen={proposal !== undefined}
      onClose={close}
      title={
        secret === undefined
          ? `${proposal === undefined ? "" : toProposalTitle(proposal)}?`
          : t`The key is ready`
      }
      description={
        secret === undefined
          ? t`It is done in your name, in ${tenant.name}, at once.`
          : t`Copy it now. Only a hash is stored, and the agent does not see it.`
      }
    >
      {secret !== undefined ? (
        <SecretOnce
          subject={t`API key`}
          secret={secret}
          advice={t`Store it where your program reads its secrets.`}
          onStored={close}
        />
      ) : (
        proposal !== undefined && (
          <AcceptForm
            proposal={proposal}
            tenant={tenant}
            onCancel={close}
            onAccepted={(key) => (key === undefined ? close() : setSecret(key))}
          />
        )
      )}
    </Dialog>
  );
}

type AcceptFormProps = {
  tenant: OwnTenant;
  proposal: Proposal;
  onCancel: () => void;
  /** With the text of a new key. */
  onAccepted: (key: string | undefined) => void;
};

function AcceptForm({ tenant, proposal, onCancel, onAccepted }: AcceptFormProps) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const { tenantId } = tenant;
  const accept = useMutation({
    mutationKey: ["proposals", "accept"],
    // The answer may contain a key's text, so only this dialog holds it.
    gcTime: 0,
    mutationFn: () => api.proposals.accept({ tenantId, proposalId: proposal.proposalId }),
    onSuccess: ({ createdKey }) => onAccepted(createdKey?.key),
    onSettled: () =>
      Promise.all(
        [
          proposalsKey(tenantId),
          ["keys", tenantId],
          ["billing", tenantId],
          ["audit", tenantId],
        ].map((queryKey) => client.invalidateQueries({ queryKey })),
      ),
  });
  useStake("secret", accept.isPending);
  const acceptOnce = useSubmitOnce(accept.mutateAsync, "failed");
  return (
    <>
      <ProposalFacts proposal={proposal} />
      <p role="alert" className="mt-3 text-danger empty:hidden">
        {accept.isError ? t`Nothing was changed: ${toErrorMessage(accept.error)}` : undefined}
      </p>
      <DialogActions>
        <Button onClick={onCancel}>
          <Trans>Cancel</Trans>
        </Button>
        <Button
          look="primary"
          progress={accept.isPending ? t`Accepting…` : undefined}
          onClick={() => acceptOnce()}
        >
          <Trans>Accept</Trans>
        </Button>
      </DialogActions>
    </>
  );
}
