import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { TextField } from "@turnpike/ui/text-field";
import { useUnsaved } from "@turnpike/ui/unsaved";
import { useState } from "react";
import { type BillingPlace, refreshBilling } from "#platform/billing-queries.ts";
import { toFormFailure } from "#platform/form-failure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import type { Credits } from "./credits.queries.ts";

export type AutomaticTopUpDialogProps = {
  place: BillingPlace;
  credits: Credits;
  isOpen: boolean;
  onClose: () => void;
};

/** Lets credit be bought by itself when little is left. */
export function AutomaticTopUpDialog({
  place,
  credits,
  isOpen,
  onClose,
}: AutomaticTopUpDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={t`Automatic top-up`}
      description={t`When little credit is left, its next invoice is issued by itself and paid the way you pay invoices. One at a time, never more than your limit in a month.`}
    >
      <AutomaticForm place={place} credits={credits} onDone={onClose} />
    </Dialog>
  );
}

type Wanted = { threshold: string; amount: string; monthLimit: string };

const POINTERS = {
  threshold: "/threshold",
  amount: "/amount",
  monthLimit: "/monthLimit",
} as const;

function AutomaticForm({
  place,
  credits,
  onDone,
}: {
  place: BillingPlace;
  credits: Credits;
  onDone: () => void;
}) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const { automatic, currency, topUps } = credits;
  const [known] = useState<Wanted>({
    threshold: automatic?.threshold ?? "",
    amount: automatic?.amount ?? topUps?.amounts[0] ?? "",
    monthLimit: automatic?.monthLimit ?? "",
  });
  const [draft, setDraft] = useState(known);
  useUnsaved(draft !== known);
  const change = useMutation({
    mutationKey: ["billing", "automatic-top-up"],
    mutationFn: (wanted: Wanted | undefined) =>
      wanted === undefined
        ? api.billing.deleteAutomaticTopUp(place)
        : api.billing.putAutomaticTopUp({
            ...place,
            threshold: wanted.threshold.trim(),
            amount: wanted.amount.trim(),
            monthLimit: wanted.monthLimit.trim(),
          }),
    onSuccess: async (_, wanted) => {
      toast.success(
        wanted === undefined
          ? t`No more credit is bought by itself.`
          : t`Credit is bought by itself from now on.`,
      );
      onDone();
      await refreshBilling(client, place);
    },
  });
  const submit = useSubmitOnce(change.mutateAsync, "failed");
  const failure = toFormFailure(change.error, POINTERS);
  const field = (name: keyof Wanted) => ({
    name,
    inputMode: "decimal" as const,
    autoComplete: "off",
    maxLength: 25,
    value: draft[name],
    error: failure?.fields[name],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      setDraft({ ...draft, [name]: currentTarget.value }),
  });
  return (
    <DialogForm
      onSubmit={() => submit(draft)}
      onCancel={onDone}
      action={automatic === null ? t`Turn on` : t`Save`}
      progress={change.isPending ? t`Saving…` : undefined}
      isDisabled={Object.values(draft).some((text) => text.trim() === "")}
      failure={t`Nothing was changed.`}
      errors={failure?.messages}
    >
      <TextField label={t`When less is left than, in ${currency}`} {...field("threshold")} />
      <TextField label={t`Buy, in ${currency}`} {...field("amount")} />
      <TextField
        label={t`At most in a month, in ${currency}`}
        help={t`Calendar months, UTC.`}
        {...field("monthLimit")}
      />
      {automatic !== null && (
        <Button look="quiet" disabled={change.isPending} onClick={() => submit(undefined)}>
          <Trans>Turn off</Trans>
        </Button>
      )}
    </DialogForm>
  );
}
