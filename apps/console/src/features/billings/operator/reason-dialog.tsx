import { t } from "@lingui/core/macro";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { TextArea } from "@turnpike/ui/text-area";
import { useUnsaved } from "@turnpike/ui/unsaved";
import { useState } from "react";
import type { Invoice } from "#platform/billing-queries.ts";
import { toFormFailure } from "#platform/form-failure.ts";
import { formatMoney } from "#platform/format-money.ts";
import { asInvoiceId, useInvoiceChange } from "./use-invoice-change.ts";

type Change = "void" | "writeOff";

const WORDS = {
  void: {
    title: t`Void`,
    action: t`Void invoice`,
    progress: t`Voiding…`,
    done: t`is void.`,
    failure: t`The invoice was not voided.`,
  },
  writeOff: {
    title: t`Write off`,
    action: t`Write off`,
    progress: t`Writing off…`,
    done: t`is written off.`,
    failure: t`The invoice was not written off.`,
  },
} as const;

export type ReasonDialogProps = {
  invoice: Invoice;
  /** Undefined: closed. */
  change: Change | undefined;
  onClose: () => void;
};

/** Asks why an invoice is voided or written off, and does it. */
export function ReasonDialog({ invoice, change, onClose }: ReasonDialogProps) {
  const words = WORDS[change ?? "void"];
  return (
    <Dialog
      isOpen={change !== undefined}
      onClose={onClose}
      title={`${words.title} ${invoice.number}`}
      description={
        change === "writeOff"
          ? t`${formatMoney(invoice.due, invoice.currency)} stays due and can still be paid, but is expected no more.`
          : t`It is owed no more, and what it took from the balance comes back. Its number stays, and what it charged is not charged again.`
      }
    >
      {change !== undefined && <ReasonForm invoice={invoice} change={change} onDone={onClose} />}
    </Dialog>
  );
}

type ReasonFormProps = { invoice: Invoice; change: Change; onDone: () => void };

function ReasonForm({ invoice, change, onDone }: ReasonFormProps) {
  const [reason, setReason] = useState("");
  const words = WORDS[change];
  useUnsaved(reason !== "");
  const { mutation, submit } = useInvoiceChange({
    invoice,
    change: (invoicing, input: { reason: string }) => {
      const change = { invoiceId: asInvoiceId(invoice.invoiceId), ...input };
      return words === WORDS.void
        ? invoicing.voidInvoice(change)
        : invoicing.markUncollectible(change);
    },
    toSuccess: ({ number }) => `${number} ${words.done}`,
    onDone,
  });
  const failure = toFormFailure(mutation.error, { reason: "/reason" });
  return (
    <DialogForm
      onSubmit={() => submit({ reason: reason.trim() })}
      onCancel={onDone}
      action={words.action}
      progress={mutation.isPending ? words.progress : undefined}
      isDisabled={reason.trim() === ""}
      failure={words.failure}
      errors={failure?.messages}
    >
      <TextArea
        label={t`Reason`}
        help={t`For the audit log and the customer.`}
        maxLength={500}
        value={reason}
        error={failure?.fields.reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </DialogForm>
  );
}
