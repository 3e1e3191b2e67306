import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { IconButton } from "@turnpike/ui/icon-button";
import { TextField } from "@turnpike/ui/text-field";
import Plus from "lucide-react/icons/plus";
import X from "lucide-react/icons/x";
import { useRef } from "react";
import { type DraftErrors, errorAt } from "./draft-errors.ts";
import {
  isFilled,
  METADATA_MAX,
  type MetadataRow,
  toMetadataPointer,
} from "./key-draft.view-model.ts";

export type MetadataFieldProps = {
  value: readonly MetadataRow[];
  errors: DraftErrors;
  onChange: (rows: readonly MetadataRow[]) => void;
};

/** Names and values that the upstream gets with each verdict. */
export function MetadataField({ value, errors, onChange }: MetadataFieldProps) {
  const list = useRef<HTMLFieldSetElement>(null);
  const nextId = Math.max(-1, ...value.map((row) => row.rowId)) + 1;
  const change = (rowId: number, part: Partial<MetadataRow>) =>
    onChange(value.map((row) => (row.rowId === rowId ? { ...row, ...part } : row)));

  function remove(rowId: number): void {
    onChange(value.filter((row) => row.rowId !== rowId));
    // The focused button was removed with its line.
    list.current?.querySelector<HTMLElement>("[data-add]")?.focus();
  }

  return (
    <fieldset
      ref={list}
      aria-label={t`Metadata`}
      aria-describedby="metadata-help"
      className="min-w-0"
    >
      <div className="space-y-2">
        {value.map((row, index) => (
          <div key={row.rowId} className="flex items-start gap-2">
            <TextField
              className="w-2/5 [&_label]:sr-only"
              label={t`Name ${String(index + 1)}`}
              placeholder={t`Name`}
              value={row.name}
              maxLength={64}
              error={isFilled(row) ? errorAt(errors, toMetadataPointer(row)) : undefined}
              autoComplete="off"
              spellCheck={false}
              isMono
              // A new line gets the focus.
              autoFocus={row.stored === undefined && row.name === "" && row.text === ""}
              onChange={(event) => change(row.rowId, { name: event.currentTarget.value })}
            />
            <TextField
              className="grow [&_label]:sr-only"
              label={t`Value ${String(index + 1)}`}
              placeholder={t`Value`}
              value={row.text}
              maxLength={500}
              autoComplete="off"
              isMono
              onChange={(event) => change(row.rowId, { text: event.currentTarget.value })}
            />
            <IconButton
              className="mt-1"
              label={t`Remove ${row.name === "" ? t`line ${String(index + 1)}` : row.name}`}
              icon={<X aria-hidden="true" />}
              onClick={() => remove(row.rowId)}
            />
          </div>
        ))}
        {value.length < METADATA_MAX && (
          <Button
            size="small"
            data-add
            onClick={() => onChange([...value, { rowId: nextId, name: "", text: "" }])}
          >
            <Plus className="size-3.5" aria-hidden="true" />
            <Trans>Add metadata</Trans>
          </Button>
        )}
      </div>
      <p id="metadata-help" className="mt-1 text-ink-muted text-xs">
        <Trans>
          Your own names and values. Verification returns them, so never store a secret here.
        </Trans>
      </p>
      <p role="alert" className="mt-1 text-danger text-xs empty:hidden">
        {errors["/metadata"]}
      </p>
    </fieldset>
  );
}
