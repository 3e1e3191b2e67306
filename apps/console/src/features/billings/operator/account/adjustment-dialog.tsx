import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { RadioList } from "@turnpike/ui/radio-list";
import { TextArea } from "@turnpike/ui/text-area";
import { TextField } from "@turnpike/ui/text-field";
import { useUnsaved } from "@turnpike/ui/unsaved";
import { useState } from "react";
import { type BillingPlace, refreshBilling } from "#platform/billing-queries.ts";
import { toFormFailure } from "#platform/form-failure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";

export type AdjustmentDialogProps = {
  place: BillingPlace;
  /** Of the tenant. */
  name: string;
  isOpen: boolean;
  onClose: () => void;
};

/** Charges a tenant something that no plan has. */
export function AdjustmentDialog({ place, name, isOpen, onClose }: AdjustmentDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={t`Charge ${name} once`}
      description={t`A line that no plan has, such as work that was agreed on.`}
    >
      <AdjustmentForm place={place} onDone={onClose} />
    </Dialog>
  );
}

type Adjustment = {
  description: string;
  amount: string;
  taxClass: string;
  when: "now" | "next_invoice";
  reason: string;
};

const EMPTY: Adjustment = {
  description: "",
  amount: "",
  taxClass: "standard",
  when: "next_invoice",
  reason: "",
};

const POINTERS = {
  description: "/description",
  amount: "/amount",
  taxClass: "/taxClass",
  when: "/when",
  reason: "/reason",
} as const;

const TIMES = [
  { value: "next_invoice", label: t`On the next invoice` },
  { value: "now", label: t`Now`, note: t`On an invoice of its own.` },
] as const;

function AdjustmentForm({ place, onDone }: { place: BillingPlace; onDone: () => void }) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const [draft, setDraft] = useState(EMPTY);
  useUnsaved(draft !== EMPTY);
  const charge = useMutation({
    mutationKey: ["billing", "adjust"],
    mutationFn: ({ when, ...texts }: Adjustment) =>
      api.invoicing.addAdjustment({
        ...place,
        when,
        description: texts.description.trim(),
        amount: texts.amount.trim(),
        taxClass: texts.taxClass.trim(),
        reason: texts.reason.trim(),
      }),
    onSuccess: async (_, { when, description }) => {
      toast.success(
        when === "now"
          ? t`${description} is invoiced.`
          : t`${description} will be on the next invoice.`,
      );
      onDone();
      await refreshBilling(client, place);
    },
  });
  const submit = useSubmitOnce(charge.mutateAsync, "failed");
  const failure = toFormFailure(charge.error, POINTERS);
  const field = (name: "description" | "amount" | "taxClass") => ({
    name,
    autoComplete: "off",
    value: draft[name],
    error: failure?.fields[name],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      setDraft({ ...draft, [name]: currentTarget.value }),
  });
  return (
    <DialogForm
      onSubmit={() => submit(draft)}
      onCancel={onDone}
      action={draft.when === "now" ? t`Charge now` : t`Add to the next invoice`}
      progress={charge.isPending ? t`Charging…` : undefined}
      isDisabled={[draft.description, draft.amount, draft.reason].some(
        (text) => text.trim() === "",
      )}
      failure={t`Nothing was charged.`}
      errors={failure?.messages}
    >
      <TextField
        label={t`Description`}
        help={t`As the customer reads it on the invoice.`}
        maxLength={200}
        {...field("description")}
      />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField
          label={t`Amount, before tax`}
          help={t`In the currency of its plan.`}
          inputMode="decimal"
          maxLength={25}
          {...field("amount")}
        />
        <TextField
          label={t`Tax class`}
          help={t`Which of your tax rates applies.`}
          maxLength={60}
          {...field("taxClass")}
        />
      </div>
      <RadioList
        label={t`When`}
        isInColumns
        value={draft.when}
        choices={TIMES}
        onValueChange={(when) => setDraft({ ...draft, when })}
      />
      <TextArea
        label={t`Reason`}
        help={t`For the audit log.`}
        maxLength={500}
        value={draft.reason}
        error={failure?.fields.reason}
        onChange={(event) => setDraft({ ...draft, reason: event.currentTarget.value })}
      />
    </DialogForm>
  );
}
