import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { IconButton } from "@turnpike/ui/icon-button";
import { NumberField } from "@turnpike/ui/number-field";
import { SelectField } from "@turnpike/ui/select";
import { TextField } from "@turnpike/ui/text-field";
import Plus from "lucide-react/icons/plus";
import X from "lucide-react/icons/x";
import { useRef } from "react";
import { type DraftErrors, errorAt } from "./draft-errors.ts";
import {
  addRateLimit,
  KEY_LIMITS_MAX,
  RATE_LIMIT_MAX,
  type RateLimitRow,
  WINDOW_UNITS,
  type WindowUnit,
} from "./key-limits.view-model.ts";

export type RateLimitsFieldProps = {
  value: readonly RateLimitRow[];
  errors: DraftErrors;
  onChange: (rows: readonly RateLimitRow[]) => void;
};

/** The key's own rate limits: calls in short windows. */
export function RateLimitsField({ value, errors, onChange }: RateLimitsFieldProps) {
  const list = useRef<HTMLFieldSetElement>(null);
  const change = (rowId: number, part: Partial<RateLimitRow>) =>
    onChange(value.map((row) => (row.rowId === rowId ? { ...row, ...part } : row)));

  function remove(rowId: number): void {
    onChange(value.filter((row) => row.rowId !== rowId));
    // The focused button was removed with its row.
    list.current?.querySelector<HTMLElement>("[data-add]")?.focus();
  }

  return (
    <fieldset ref={list} className="min-w-0">
      <legend className="mb-1 font-medium">
        <Trans>Rate limits</Trans>
      </legend>
      <div className="space-y-2">
        {value.map((row, index) => {
          const at = `/rateLimits/${String(index)}`;
          return (
            <fieldset
              key={row.rowId}
              aria-label={t`Rate limit ${String(index + 1)}`}
              className="min-w-0 rounded-control border border-line p-3"
            >
              <div className="flex items-start gap-2">
                <TextField
                  className="grow"
                  label={t`Limit name`}
                  value={row.name}
                  maxLength={40}
                  autoComplete="off"
                  spellCheck={false}
                  isMono
                  error={errorAt(errors, `${at}/name`)}
                  onChange={(event) => change(row.rowId, { name: event.currentTarget.value })}
                />
                <IconButton
                  label={t`Remove rate limit ${row.name === "" ? String(index + 1) : row.name}`}
                  className="mt-6"
                  icon={<X aria-hidden="true" />}
                  onClick={() => remove(row.rowId)}
                />
              </div>
              <div className="mt-2 grid grid-cols-2 gap-2 sm:grid-cols-[1fr_1fr_7.5rem]">
                <NumberField
                  className="max-sm:col-span-full"
                  label={t`Calls`}
                  value={row.limit}
                  min={1}
                  max={RATE_LIMIT_MAX}
                  error={errorAt(errors, `${at}/limit`)}
                  onValueChange={(limit) => change(row.rowId, { limit })}
                />
                <NumberField
                  label={t`In a window of`}
                  value={row.every}
                  min={1}
                  max={86_400}
                  error={errorAt(errors, `${at}/windowSeconds`)}
                  onValueChange={(every) => change(row.rowId, { every })}
                />
                <SelectField<WindowUnit>
                  label={t`Unit`}
                  value={row.unit}
                  choices={WINDOW_UNITS.map((unit) => ({
                    value: unit,
                    label: row.every === 1 ? unit.slice(0, -1) : unit,
                  }))}
                  onValueChange={(unit) => change(row.rowId, { unit })}
                />
              </div>
            </fieldset>
          );
        })}
        {value.length < KEY_LIMITS_MAX && (
          <Button size="small" data-add onClick={() => onChange(addRateLimit(value))}>
            <Plus className="size-3.5" aria-hidden="true" />
            <Trans>Add rate limit</Trans>
          </Button>
        )}
      </div>
    </fieldset>
  );
}
