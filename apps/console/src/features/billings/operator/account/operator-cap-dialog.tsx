import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { TextArea } from "@turnpike/ui/text-area";
import { TextField } from "@turnpike/ui/text-field";
import { useUnsaved } from "@turnpike/ui/unsaved";
import { useState } from "react";
import { type BillingPlace, refreshBilling } from "#platform/billing-queries.ts";
import { toFormFailure } from "#platform/form-failure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import type { SpendCap } from "../../spend-cap/spend-cap.queries.ts";

export type OperatorCapDialogProps = {
  place: BillingPlace;
  /** Of the tenant. */
  name: string;
  cap: SpendCap;
  isOpen: boolean;
  onClose: () => void;
};

/** Sets or removes the operator's cap on what a tenant spends. */
export function OperatorCapDialog({ place, name, cap, isOpen, onClose }: OperatorCapDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={t`Cap the spend of ${name}`}
      description={t`Of two caps the smaller one counts. A higher cap counts at once; a lower one stops further calls, and what was used before stays charged.`}
    >
      <OperatorCapForm place={place} cap={cap} onDone={onClose} />
    </Dialog>
  );
}

const POINTERS = { amount: "/amount", reason: "/reason" } as const;

function OperatorCapForm({
  place,
  cap,
  onDone,
}: {
  place: BillingPlace;
  cap: SpendCap;
  onDone: () => void;
}) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const [known] = useState({ amount: cap.operatorCap ?? "", reason: "" });
  const [draft, setDraft] = useState(known);
  useUnsaved(draft !== known);
  const change = useMutation({
    mutationKey: ["billing", "operator-spend-cap"],
    mutationFn: ({ amount, reason }: typeof draft) =>
      api.invoicing.setOperatorSpendCap({
        tenantId: place.tenantId,
        amount: amount.trim() === "" ? null : amount.trim(),
        reason: reason.trim(),
      }),
    onSuccess: async () => {
      toast.success(t`The cap is changed.`);
      onDone();
      await refreshBilling(client, place);
    },
  });
  const submit = useSubmitOnce(change.mutateAsync, "failed");
  const failure = toFormFailure(change.error, POINTERS);
  return (
    <DialogForm
      onSubmit={() => submit(draft)}
      onCancel={onDone}
      action={t`Save`}
      progress={change.isPending ? t`Saving…` : undefined}
      isDisabled={draft.reason.trim() === "" || draft.amount === known.amount}
      failure={t`Nothing was changed.`}
      errors={failure?.messages}
    >
      <TextField
        label={t`At most in a period, in ${cap.currency}`}
        help={t`Empty removes your cap.`}
        name="amount"
        inputMode="decimal"
        autoComplete="off"
        isOptional
        maxLength={20}
        value={draft.amount}
        error={failure?.fields.amount}
        onChange={({ currentTarget }) => setDraft({ ...draft, amount: currentTarget.value })}
      />
      <TextArea
        label={t`Reason`}
        help={t`For the audit log.`}
        maxLength={500}
        value={draft.reason}
        error={failure?.fields.reason}
        onChange={({ currentTarget }) => setDraft({ ...draft, reason: currentTarget.value })}
      />
    </DialogForm>
  );
}
