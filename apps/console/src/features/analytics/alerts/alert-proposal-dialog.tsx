import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import type { AlertProposal } from "#components/insights/alert-proposal.view-model.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { analyticsQueries } from "../analytics.queries.ts";
import { toKeyNames } from "../breakdown.view-model.ts";
import { AlertDialogs } from "./alert-dialogs.tsx";
import { draftFromProposal } from "./alert-draft.view-model.ts";

export type AlertProposalDialogProps = {
  tenant: OwnTenant;
  proposal: AlertProposal;
  onClose: () => void;
};

/** Makes an alert of an anomaly or of an answer, from another screen. */
export function AlertProposalDialog({ tenant, proposal, onClose }: AlertProposalDialogProps) {
  const { api } = usePlatform();
  const keys = useQuery(analyticsQueries.keys(api, tenant.tenantId));
  return (
    <AlertDialogs
      tenantId={tenant.tenantId}
      keyNames={toKeyNames(keys.data?.items ?? [])}
      task={{ kind: "add", draft: draftFromProposal(proposal) }}
      onTask={onClose}
      onSaved={({ name }) => toast.success(t`${name} is checked from the next minute.`)}
    />
  );
}
