import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { RadioList } from "@turnpike/ui/radio-list";
import { TextField } from "@turnpike/ui/text-field";
import { useUnsaved } from "@turnpike/ui/unsaved";
import { useState } from "react";
import { type BillingPlace, refreshBilling } from "#platform/billing-queries.ts";
import { toFormFailure } from "#platform/form-failure.ts";
import { formatMoney } from "#platform/format-money.ts";
import { usePlatform } from "#platform/platform.tsx";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import type { Credits } from "./credits.queries.ts";

export type BuyCreditDialogProps = {
  place: BillingPlace;
  credits: Credits;
  isOpen: boolean;
  onClose: () => void;
  /** Gets the id of the invoice that is to be paid. */
  onBought: (invoiceId: string) => void;
};

/** Buys credit: its invoice is issued and shown. */
export function BuyCreditDialog({ isOpen, onClose, ...props }: BuyCreditDialogProps) {
  const isTaxed = props.credits.topUps?.isTaxed === true;
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={t`Buy credit`}
      description={
        isTaxed
          ? t`Tax is charged now, and not again on what the credit pays. It is there as soon as the invoice is paid.`
          : t`It pays later invoices, their tax included. It is there as soon as its own invoice is paid.`
      }
    >
      <BuyForm {...props} onDone={onClose} />
    </Dialog>
  );
}

const OTHER = "other";

function BuyForm({
  place,
  credits,
  onDone,
  onBought,
}: Omit<BuyCreditDialogProps, "isOpen" | "onClose"> & { onDone: () => void }) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const { currency, topUps } = credits;
  const amounts = topUps?.amounts ?? [];
  const [choice, setChoice] = useState(amounts[0] ?? OTHER);
  const [other, setOther] = useState("");
  useUnsaved(other !== "");
  const amount = choice === OTHER ? other.trim() : choice;
  const buy = useMutation({
    mutationKey: ["billing", "buy-credit"],
    mutationFn: (wanted: string) => api.billing.buyCredit({ ...place, amount: wanted }),
    onSuccess: async ({ invoiceId }) => {
      onDone();
      onBought(invoiceId);
      await refreshBilling(client, place);
    },
  });
  const submit = useSubmitOnce(buy.mutateAsync, "failed");
  const failure = toFormFailure(buy.error, { amount: "/amount" });
  const range =
    topUps === null
      ? ""
      : t`From ${formatMoney(topUps.min, currency)} to ${formatMoney(topUps.max, currency)}.`;
  return (
    <DialogForm
      onSubmit={() => submit(amount)}
      onCancel={onDone}
      action={
        choice === OTHER ? t`Issue invoice` : t`Issue invoice of ${formatMoney(choice, currency)}`
      }
      progress={buy.isPending ? t`Issuing…` : undefined}
      isDisabled={amount === ""}
      failure={t`No credit was bought.`}
      errors={failure?.messages}
    >
      <RadioList
        label={t`Amount`}
        value={choice}
        choices={[
          ...amounts.map((value) => ({ value, label: formatMoney(value, currency) })),
          { value: OTHER, label: t`Another amount` },
        ]}
        onValueChange={setChoice}
      />
      {choice === OTHER && (
        <TextField
          label={t`Amount in ${currency}`}
          help={range}
          name="amount"
          inputMode="decimal"
          autoComplete="off"
          maxLength={25}
          value={other}
          error={failure?.fields.amount}
          onChange={(event) => setOther(event.currentTarget.value)}
        />
      )}
    </DialogForm>
  );
}
