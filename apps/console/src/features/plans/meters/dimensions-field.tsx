import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { METER_DIMENSIONS_MAX } from "@turnpike/domain/catalog/meter";
import { Button } from "@turnpike/ui/button";
import { IconButton } from "@turnpike/ui/icon-button";
import { TextField } from "@turnpike/ui/text-field";
import Plus from "lucide-react/icons/plus";
import X from "lucide-react/icons/x";
import { useRef } from "react";
import { addDimension, type DimensionRow } from "./meter-draft.view-model.ts";

export type DimensionsFieldProps = {
  value: readonly DimensionRow[];
  /** By position and property, such as `0/name`. */
  errorAt: (place: string) => string | undefined;
  onChange: (rows: readonly DimensionRow[]) => void;
};

/** The dimensions that usage can be broken down by. */
export function DimensionsField({ value, errorAt, onChange }: DimensionsFieldProps) {
  const list = useRef<HTMLFieldSetElement>(null);
  const change = (rowId: number, part: Partial<DimensionRow>) =>
    onChange(value.map((row) => (row.rowId === rowId ? { ...row, ...part } : row)));

  function remove(rowId: number): void {
    onChange(value.filter((row) => row.rowId !== rowId));
    // The focused button was removed with its row.
    list.current?.querySelector<HTMLElement>("[data-add]")?.focus();
  }

  return (
    <fieldset ref={list} className="min-w-0">
      <legend className="mb-1 flex w-full items-baseline justify-between gap-2 font-medium text-sm">
        <Trans>
          Dimensions <span className="font-normal text-ink-faint text-xs">Optional</span>
        </Trans>
      </legend>
      <p className="mb-2 text-ink-muted text-xs">
        <Trans>Fields of an event, such as model or region, to break usage down by.</Trans>
      </p>
      <div className="space-y-2">
        {value.map((row, index) => (
          <fieldset
            key={row.rowId}
            aria-label={t`Dimension ${String(index + 1)}`}
            className="flex min-w-0 items-start gap-2"
          >
            <TextField
              className="min-w-0 grow basis-0"
              label={t`Name`}
              value={row.name}
              placeholder={t`model`}
              maxLength={40}
              autoComplete="off"
              spellCheck={false}
              isMono
              error={errorAt(`${String(index)}/name`)}
              onChange={(event) => change(row.rowId, { name: event.currentTarget.value })}
            />
            <TextField
              className="min-w-0 grow basis-0"
              label={t`Path`}
              value={row.pointer}
              placeholder="/model"
              maxLength={200}
              autoComplete="off"
              spellCheck={false}
              isMono
              error={errorAt(`${String(index)}/pointer`)}
              onChange={(event) => change(row.rowId, { pointer: event.currentTarget.value })}
            />
            <IconButton
              label={t`Remove dimension ${row.name === "" ? String(index + 1) : row.name}`}
              className="mt-6"
              icon={<X aria-hidden="true" />}
              onClick={() => remove(row.rowId)}
            />
          </fieldset>
        ))}
        {value.length < METER_DIMENSIONS_MAX && (
          <Button size="small" data-add onClick={() => onChange(addDimension(value))}>
            <Plus className="size-3.5" aria-hidden="true" />
            <Trans>Add dimension</Trans>
          </Button>
        )}
      </div>
    </fieldset>
  );
}
