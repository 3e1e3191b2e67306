import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { Select } from "@turnpike/ui/select";
import { TextField } from "@turnpike/ui/text-field";
import { useUnsaved } from "@turnpike/ui/unsaved";
import { useId, useState } from "react";
import { toFormFailure } from "#platform/form-failure.ts";
import { formatMoney } from "#platform/format-money.ts";
import { formatDate } from "#platform/format-period.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { StatementInput, StatementPreview } from "./payments.queries.ts";
import { COLUMN_LABELS, COLUMN_NAMES, type ColumnName } from "./payments.view-model.ts";
import { usePaymentChange } from "./use-payment-change.ts";

/** Takes in a statement of the operator's bank: read, looked at, then kept. */
export function ImportDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      size="wide"
      title={t`Import a bank statement`}
      description={t`CSV or camt.053. A line that was imported before is not imported again, and nothing is paid before you confirm it.`}
    >
      <ImportForm onDone={onClose} />
    </Dialog>
  );
}

function ImportForm({ onDone }: { onDone: () => void }) {
  const { api } = usePlatform();
  const id = useId();
  const [draft, setDraft] = useState<StatementInput>();
  const [data, setData] = useState<StatementPreview>();
  useUnsaved(draft !== undefined);
  const preview = useMutation({
    mutationKey: ["payments", "preview-statement"],
    mutationFn: (input: StatementInput) => api.payments.previewStatement(input),
    // What was recognised stays in sight while it is read again.
    onSuccess: setData,
  });
  const { mutation, submit } = usePaymentChange({
    change: (payments, input: StatementInput) => payments.importStatement(input),
    toSuccess: ({ fresh, certain }) =>
      t`${String(fresh)} new ${plural(fresh, { one: "line", other: "lines" })}, ${String(certain)} certain.`,
    onDone,
  });
  const read = (input: StatementInput) => {
    setDraft(input);
    preview.mutate(input);
  };
  const failure = toFormFailure(mutation.error ?? preview.error, {});
  return (
    <DialogForm
      onSubmit={() => draft !== undefined && submit(draft)}
      onCancel={onDone}
      action={
        data === undefined
          ? t`Import`
          : t`Import ${String(data.fresh)} new of ${String(data.count)}`
      }
      progress={mutation.isPending ? t`Importing…` : undefined}
      isDisabled={data === undefined || data.fresh === 0 || preview.isPending}
      failure={t`The statement could not be read.`}
      errors={failure?.messages}
    >
      <div>
        <label htmlFor={id} className="mb-1 block font-medium text-sm">
          <Trans>File</Trans>
        </label>
        <input
          id={id}
          type="file"
          accept=".csv,.xml,.txt,text/csv,application/xml"
          className="w-full text-sm file:mr-3 file:cursor-pointer file:rounded-control file:border file:border-line-control file:bg-surface file:px-3 file:py-1.5 file:text-ink"
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            void file?.text().then((content) => read({ name: file.name, content }));
          }}
        />
      </div>
      {draft !== undefined && data !== undefined && (
        <Recognised
          preview={data}
          currency={draft.currency ?? ""}
          onCurrency={(currency) => {
            if (currency.length === 3) {
              read({ ...draft, currency });
            }
          }}
          onColumn={(column, heading) =>
            read({ ...draft, columns: { ...draft.columns, [column]: heading } })
          }
        />
      )}
    </DialogForm>
  );
}

type RecognisedProps = {
  preview: StatementPreview;
  currency: string;
  onCurrency: (currency: string) => void;
  onColumn: (column: ColumnName, heading: string) => void;
};

function Recognised({ preview, currency, onCurrency, onColumn }: RecognisedProps) {
  const { headings, columns, lines, problems } = preview;
  const [code, setCode] = useState(currency);
  return (
    <div aria-live="polite" className="space-y-4">
      {headings.length > 0 && (
        <fieldset className="grid gap-3 sm:grid-cols-2">
          <legend className="mb-1 font-medium text-sm">
            <Trans>Columns</Trans>
          </legend>
          {COLUMN_NAMES.map((name) => (
            <div key={name} className="grid grid-cols-2 items-center gap-2 text-sm">
              <span>{COLUMN_LABELS[name]}</span>
              <Select
                label={COLUMN_LABELS[name]}
                placeholder={t`None`}
                value={columns[name] ?? null}
                choices={[...new Set(headings)]
                  .filter((heading) => heading !== "")
                  .map((heading) => ({ value: heading, label: heading }))}
                onValueChange={(heading) => onColumn(name, heading)}
              />
            </div>
          ))}
        </fieldset>
      )}
      {headings.length > 0 && (columns["currency"] ?? null) === null && (
        <TextField
          className="sm:max-w-56"
          label={t`Currency of the account`}
          help={t`Such as EUR.`}
          maxLength={3}
          autoComplete="off"
          value={code}
          onChange={({ currentTarget }) => {
            const typed = currentTarget.value.toUpperCase();
            setCode(typed);
            onCurrency(typed);
          }}
        />
      )}
      {problems.length > 0 && (
        <ul className="rounded-control bg-warning-soft px-3 py-2 text-sm text-warning">
          {problems.slice(0, 5).map(({ line, message }) => (
            <li key={line}>
              <Trans>
                Line {line}: {message}
              </Trans>
            </li>
          ))}
          {problems.length > 5 && (
            <li>
              <Trans>And {problems.length - 5} more, which are left out.</Trans>
            </li>
          )}
        </ul>
      )}
      {lines.length > 0 && (
        <ul className="divide-y divide-line border-line border-y text-sm">
          {lines.slice(0, 6).map((line, place) => (
            // Lines of a preview have no ids, and their order does not change.
            <li
              key={`${String(place)} ${line.bookedOn}`}
              className="flex justify-between gap-4 py-1.5"
            >
              <span className="min-w-0 [overflow-wrap:anywhere]">
                {formatDate(line.bookedOn)} {line.payer}{" "}
                <span className="text-ink-muted">{line.purpose}</span>
              </span>
              <span className="shrink-0 tabular-nums">
                {formatMoney(line.amount, line.currency)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
