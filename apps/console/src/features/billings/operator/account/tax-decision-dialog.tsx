import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { TextArea } from "@turnpike/ui/text-area";
import { TextField } from "@turnpike/ui/text-field";
import { useUnsaved } from "@turnpike/ui/unsaved";
import { useState } from "react";
import type { ApiClient } from "#platform/api-client.ts";
import { type BillingPlace, refreshBilling } from "#platform/billing-queries.ts";
import { toFormFailure } from "#platform/form-failure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import type { BillingDetails } from "../../details/billing-details.queries.ts";

/** What an operator decides: of the tax id, or of tax as a whole. */
export type TaxDecision = "confirmed" | "invalid" | "exempt" | "taxed";

export type TaxDecisionDialogProps = {
  place: BillingPlace;
  /** Of the tenant. */
  name: string;
  details: BillingDetails;
  /** Undefined: closed. */
  decision: TaxDecision | undefined;
  onClose: () => void;
};

function toWords(
  decision: TaxDecision,
  { name, taxId }: { name: string; taxId: string },
): { title: string; says: string; action: string } {
  switch (decision) {
    case "confirmed":
      return {
        title: t`Confirm ${taxId}`,
        says: t`From the next invoice on ${name} is taxed as a business with this id.`,
        action: t`Confirm the tax id`,
      };
    case "invalid":
      return {
        title: t`Refuse ${taxId}`,
        says: t`${name} is taxed as without a tax id, and sees the reason.`,
        action: t`Refuse the tax id`,
      };
    case "exempt":
      return {
        title: t`Exempt ${name} from tax`,
        says: t`No tax is charged from the next invoice on; invoices name the certificate.`,
        action: t`Grant the exemption`,
      };
    case "taxed":
      return {
        title: t`End the exemption of ${name}`,
        says: t`Tax is charged from the next invoice on.`,
        action: t`End the exemption`,
      };
  }
}

/** Asks for the reason of a decision about tax, and decides. */
export function TaxDecisionDialog(props: TaxDecisionDialogProps) {
  const { place, name, details, decision, onClose } = props;
  const taxId = details.taxId ?? "";
  const words = toWords(decision ?? "confirmed", { name, taxId });
  return (
    <Dialog
      isOpen={decision !== undefined}
      onClose={onClose}
      title={words.title}
      description={words.says}
    >
      {decision !== undefined && (
        <DecisionForm
          place={place}
          taxId={taxId}
          decision={decision}
          action={words.action}
          onDone={onClose}
        />
      )}
    </Dialog>
  );
}

type Draft = { exemption: string; reason: string };

async function decide(
  api: ApiClient,
  { place, taxId, decision }: { place: BillingPlace; taxId: string; decision: TaxDecision },
  draft: Draft,
): Promise<unknown> {
  const { tenantId } = place;
  const reason = draft.reason.trim();
  return decision === "confirmed" || decision === "invalid"
    ? await api.invoicing.setTaxIdStatus({ tenantId, taxId, status: decision, reason })
    : await api.invoicing.setExemption({
        tenantId,
        exemption: decision === "exempt" ? draft.exemption.trim() : null,
        reason,
      });
}

function DecisionForm({
  action,
  onDone,
  ...asked
}: {
  place: BillingPlace;
  taxId: string;
  decision: TaxDecision;
  action: string;
  onDone: () => void;
}) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const [draft, setDraft] = useState<Draft>({ exemption: "", reason: "" });
  useUnsaved(draft.exemption !== "" || draft.reason !== "");
  const change = useMutation({
    mutationKey: ["billing", "tax-decision"],
    mutationFn: (wanted: Draft) => decide(api, asked, wanted),
    onSuccess: async () => {
      toast.success(t`The tax of the tenant is decided.`);
      onDone();
      await refreshBilling(client, asked.place);
    },
  });
  const submit = useSubmitOnce(change.mutateAsync, "failed");
  const failure = toFormFailure(change.error, { exemption: "/exemption", reason: "/reason" });
  const isExempting = asked.decision === "exempt";
  return (
    <DialogForm
      onSubmit={() => submit(draft)}
      onCancel={onDone}
      action={action}
      progress={change.isPending ? t`Saving…` : undefined}
      isDisabled={draft.reason.trim() === "" || (isExempting && draft.exemption.trim() === "")}
      failure={t`Nothing was changed.`}
      errors={failure?.messages}
    >
      {isExempting && (
        <TextField
          label={t`Certificate`}
          help={t`As invoices name it.`}
          maxLength={200}
          value={draft.exemption}
          error={failure?.fields.exemption}
          onChange={({ currentTarget }) => setDraft({ ...draft, exemption: currentTarget.value })}
        />
      )}
      <TextArea
        label={t`Reason`}
        help={t`For the audit log and the customer.`}
        maxLength={500}
        value={draft.reason}
        error={failure?.fields.reason}
        onChange={({ currentTarget }) => setDraft({ ...draft, reason: currentTarget.value })}
      />
    </DialogForm>
  );
}
