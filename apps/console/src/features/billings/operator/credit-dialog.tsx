import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { RadioList } from "@turnpike/ui/radio-list";
import { TextArea } from "@turnpike/ui/text-area";
import { TextField } from "@turnpike/ui/text-field";
import { useUnsaved } from "@turnpike/ui/unsaved";
import { useState } from "react";
import type { Invoice } from "#platform/billing-queries.ts";
import { toFormFailure } from "#platform/form-failure.ts";
import { formatMoney } from "#platform/format-money.ts";
import {
  type CreditDraft,
  type CreditMode,
  type CreditPreview,
  EMPTY_CREDIT,
  listCreditable,
  previewCredit,
  toCreditInput,
} from "./credit.view-model.ts";
import { useInvoiceChange } from "./use-invoice-change.ts";

export type CreditDialogProps = { invoice: Invoice; isOpen: boolean; onClose: () => void };

/** Takes back an invoice, a part of it, or parts of its lines, by a credit note. */
export function CreditDialog({ invoice, isOpen, onClose }: CreditDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      size="wide"
      title={t`Credit ${invoice.number}`}
      description={t`A credit note lowers what is to be paid. What was paid already becomes balance, which the next invoice takes.`}
    >
      <CreditForm invoice={invoice} onDone={onClose} />
    </Dialog>
  );
}

const POINTERS = { amount: "/amount", lines: "/lines", reason: "/reason" } as const;

const MODES = [
  { value: "rest", label: t`All that is left` },
  { value: "amount", label: t`An amount`, note: t`Spread over the lines by what is left of them.` },
  { value: "lines", label: t`By line` },
] as const satisfies readonly { value: CreditMode; label: string; note?: string }[];

function CreditForm({ invoice, onDone }: { invoice: Invoice; onDone: () => void }) {
  const [draft, setDraft] = useState<CreditDraft>(EMPTY_CREDIT);
  const change = (part: Partial<CreditDraft>) => setDraft({ ...draft, ...part });
  useUnsaved(draft !== EMPTY_CREDIT);
  const { mutation, submit } = useInvoiceChange({
    invoice,
    change: (invoicing, input: CreditDraft) =>
      invoicing.createCreditNote(toCreditInput(invoice, input)),
    toSuccess: ({ number, total, currency }) =>
      t`Credit note ${number} takes back ${formatMoney(total, currency)}.`,
    onDone,
  });
  const failure = toFormFailure(mutation.error, POINTERS);
  const preview = previewCredit(invoice, draft);
  return (
    <DialogForm
      onSubmit={() => submit(draft)}
      onCancel={onDone}
      action={t`Issue credit note`}
      progress={mutation.isPending ? t`Issuing…` : undefined}
      isDisabled={!preview.isComplete || draft.reason.trim() === ""}
      failure={t`No credit note was issued.`}
      errors={failure?.messages}
    >
      <RadioList
        label={t`What is taken back`}
        value={draft.mode}
        choices={MODES}
        onValueChange={(mode) => change({ mode })}
      />
      {draft.mode === "amount" && (
        <TextField
          className="sm:max-w-64"
          label={t`Amount in ${invoice.currency}, before tax`}
          name="amount"
          inputMode="decimal"
          autoComplete="off"
          maxLength={25}
          value={draft.amount}
          error={preview.faults.amount ?? failure?.fields.amount}
          onChange={(event) => change({ amount: event.currentTarget.value })}
        />
      )}
      {draft.mode === "lines" && (
        <LineFields invoice={invoice} draft={draft} preview={preview} onChange={change} />
      )}
      <TextArea
        label={t`Reason`}
        help={t`On the credit note, for the customer, and in the audit log.`}
        maxLength={500}
        value={draft.reason}
        error={failure?.fields.reason}
        onChange={(event) => change({ reason: event.currentTarget.value })}
      />
      <Preview invoice={invoice} preview={preview} />
    </DialogForm>
  );
}

type LineFieldsProps = {
  invoice: Invoice;
  draft: CreditDraft;
  preview: CreditPreview;
  onChange: (part: Partial<CreditDraft>) => void;
};

function LineFields({ invoice, draft, preview, onChange }: LineFieldsProps) {
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-medium text-sm">
        <Trans>Amounts in {invoice.currency}, before tax</Trans>
      </legend>
      <ul className="divide-y divide-line border-line border-y">
        {listCreditable(invoice).map(({ number, description, left }) => (
          <li key={number} className="py-2 sm:flex sm:items-start sm:justify-between sm:gap-4">
            <p className="min-w-0 [overflow-wrap:anywhere]">
              {description}
              <span className="block text-ink-muted text-xs tabular-nums">
                <Trans>{formatMoney(left, invoice.currency)} left</Trans>
              </span>
            </p>
            <TextField
              className="shrink-0 max-sm:mt-1 sm:w-40 sm:[&_label]:sr-only"
              label={t`Credit of line ${String(number)}`}
              inputMode="decimal"
              autoComplete="off"
              maxLength={25}
              placeholder="0"
              value={draft.lines[number] ?? ""}
              error={preview.faults.lines[number]}
              onChange={({ currentTarget: { value } }) =>
                onChange({ lines: { ...draft.lines, [number]: value } })
              }
            />
          </li>
        ))}
      </ul>
    </fieldset>
  );
}

function Preview({ invoice, preview }: { invoice: Invoice; preview: CreditPreview }) {
  const { currency } = invoice;
  return (
    <div aria-live="polite" className="rounded-control bg-sunken px-3 py-2.5 tabular-nums">
      <dl className="space-y-1">
        <div className="flex justify-between gap-4">
          <dt>
            <Trans>This note, before tax</Trans>
          </dt>
          <dd className="font-medium">{formatMoney(preview.credited, currency)}</dd>
        </div>
        <div className="flex justify-between gap-4">
          <dt>
            <Trans>Left of the invoice afterwards, before tax</Trans>
          </dt>
          <dd className="font-medium">{formatMoney(preview.left, currency)}</dd>
        </div>
      </dl>
      <p className="mt-1 text-ink-muted text-xs">
        <Trans>Its tax is taken back as it was charged.</Trans>
      </p>
    </div>
  );
}
