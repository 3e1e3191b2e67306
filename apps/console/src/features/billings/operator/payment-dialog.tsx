import { t } from "@lingui/core/macro";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { TextField } from "@turnpike/ui/text-field";
import { useUnsaved } from "@turnpike/ui/unsaved";
import { useState } from "react";
import type { Invoice } from "#platform/billing-queries.ts";
import { toFormFailure } from "#platform/form-failure.ts";
import { formatMoney, isZero } from "#platform/format-money.ts";
import { asInvoiceId, useInvoiceChange } from "./use-invoice-change.ts";

export type PaymentDialogProps = { invoice: Invoice; isOpen: boolean; onClose: () => void };

/** Records money that was received for an invoice. */
export function PaymentDialog({ invoice, isOpen, onClose }: PaymentDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={t`Record a payment of ${invoice.number}`}
      description={t`${formatMoney(invoice.due, invoice.currency)} is to be paid. What is beyond it becomes balance, which the next invoice takes.`}
    >
      <PaymentForm invoice={invoice} onDone={onClose} />
    </Dialog>
  );
}

type Payment = { amount: string; paidOn: string; reference: string };

const POINTERS = { amount: "/amount", paidOn: "/paidAt", reference: "/reference" } as const;

function PaymentForm({ invoice, onDone }: { invoice: Invoice; onDone: () => void }) {
  const [draft, setDraft] = useState<Payment>(() => ({
    amount: invoice.due,
    paidOn: "",
    reference: "",
  }));
  useUnsaved(draft.reference !== "" || draft.amount !== invoice.due);
  const { mutation, submit } = useInvoiceChange({
    invoice,
    change: (invoicing, { amount, paidOn, reference }: Payment) =>
      invoicing.recordPayment({
        invoiceId: asInvoiceId(invoice.invoiceId),
        amount: amount.trim(),
        reference: reference.trim(),
        ...(paidOn !== "" && { paidAt: `${paidOn}T00:00:00.000Z` }),
      }),
    toSuccess: ({ number, due, currency }) =>
      isZero(due)
        ? t`${number} is paid.`
        : t`The payment is recorded. ${formatMoney(due, currency)} of ${number} is still to be paid.`,
    onDone,
  });
  const failure = toFormFailure(mutation.error, POINTERS);
  const field = (name: keyof Payment) => ({
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
      action={t`Record payment`}
      progress={mutation.isPending ? t`Recording…` : undefined}
      isDisabled={draft.reference.trim() === "" || draft.amount.trim() === ""}
      failure={t`The payment was not recorded.`}
      errors={failure?.messages}
    >
      <TextField
        label={t`Amount in ${invoice.currency}`}
        inputMode="decimal"
        maxLength={25}
        {...field("amount")}
      />
      <TextField
        label={t`Reference`}
        help={t`Of the transfer. The same one counts once, so that nothing is recorded twice.`}
        maxLength={200}
        {...field("reference")}
      />
      <TextField
        isOptional
        label={t`Received on`}
        help={t`UTC. Left empty: now.`}
        type="date"
        {...field("paidOn")}
      />
    </DialogForm>
  );
}
