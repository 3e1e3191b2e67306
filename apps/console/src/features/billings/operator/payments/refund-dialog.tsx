import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Checkbox } from "@turnpike/ui/checkbox";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { TextArea } from "@turnpike/ui/text-area";
import { TextField } from "@turnpike/ui/text-field";
import { useUnsaved } from "@turnpike/ui/unsaved";
import { useDeferredValue, useState } from "react";
import { toFormFailure } from "#platform/form-failure.ts";
import { formatMoney } from "#platform/format-money.ts";
import { usePlatform } from "#platform/platform.tsx";
import { inLanguage } from "#platform/server-words/server-words.ts";
import { type ReceivedPayment, type RefundInput, refundPreviewQuery } from "./payments.queries.ts";
import { usePaymentChange } from "./use-payment-change.ts";

/** Gives a payment back, as a whole or in part, with what that does to invoices and balance. */
export function RefundDialog({
  payment,
  onClose,
}: {
  payment: ReceivedPayment;
  onClose: () => void;
}) {
  const { amount, left, currency, tenantName } = payment;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t`Refund ${tenantName}`}
      description={t`${formatMoney(left, currency)} is left of ${formatMoney(amount, currency)}.`}
    >
      <RefundForm payment={payment} onDone={onClose} />
    </Dialog>
  );
}

const POINTERS = { amount: "/amount", reason: "/reason" } as const;
const AMOUNT = /^\d{1,12}(\.\d{1,12})?$/;

function RefundForm({ payment, onDone }: { payment: ReceivedPayment; onDone: () => void }) {
  const { api } = usePlatform();
  const { currency, left } = payment;
  const [draft, setDraft] = useState({ amount: left, withCreditNote: true, reason: "" });
  useUnsaved(draft.reason !== "" || draft.amount !== left);
  const input: RefundInput = {
    paymentId: payment.paymentId as RefundInput["paymentId"],
    amount: draft.amount.trim(),
    withCreditNote: draft.withCreditNote,
  };
  const asked = useDeferredValue(input);
  const preview = useQuery({
    ...refundPreviewQuery(api, asked),
    enabled: AMOUNT.test(asked.amount ?? ""),
    placeholderData: keepPreviousData,
  });
  const { mutation, submit } = usePaymentChange({
    change: (payments, reason: string) => payments.createRefund({ ...input, reason }),
    toSuccess: ({ refunds }) =>
      refunds.at(-1)?.state === "failed" ? t`The refund failed.` : t`The refund is on its way.`,
    onDone,
  });
  const failure = toFormFailure(mutation.error ?? preview.error, POINTERS);
  return (
    <DialogForm
      onSubmit={() => submit(draft.reason.trim())}
      onCancel={onDone}
      action={t({ message: "Refund", context: "action" })}
      progress={mutation.isPending ? t`Refunding…` : undefined}
      isDisabled={draft.reason.trim() === "" || preview.data === undefined || preview.isError}
      failure={t`Nothing was refunded.`}
      errors={failure?.messages}
    >
      <TextField
        className="sm:max-w-64"
        label={t`Amount in ${currency}`}
        inputMode="decimal"
        autoComplete="off"
        maxLength={25}
        value={draft.amount}
        error={failure?.fields.amount}
        onChange={({ currentTarget }) => setDraft({ ...draft, amount: currentTarget.value })}
      />
      <Checkbox
        label={t`Also credit its invoices`}
        help={t`Without a credit note, what the balance does not cover is due again.`}
        isChecked={draft.withCreditNote}
        onCheckedChange={(withCreditNote) => setDraft({ ...draft, withCreditNote })}
      />
      <TextArea
        label={t`Reason`}
        help={t`On credit notes, for the customer, and in the audit log.`}
        maxLength={500}
        value={draft.reason}
        error={failure?.fields.reason}
        onChange={({ currentTarget }) => setDraft({ ...draft, reason: currentTarget.value })}
      />
      <div aria-live="polite" className="rounded-control bg-sunken px-3 py-2.5 text-sm">
        <p className="font-medium">
          <Trans>What changes</Trans>
        </p>
        <ul className="mt-1 list-disc space-y-1 pl-4">
          {(preview.data?.texts ?? []).map((text) => (
            <li key={text}>{inLanguage(text)}</li>
          ))}
        </ul>
      </div>
    </DialogForm>
  );
}
