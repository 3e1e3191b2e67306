import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { IconButton } from "@turnpike/ui/icon-button";
import { NumberField } from "@turnpike/ui/number-field";
import { SelectField } from "@turnpike/ui/select";
import Plus from "lucide-react/icons/plus";
import X from "lucide-react/icons/x";
import { useRef } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { nameMeter } from "#platform/name-meter.ts";
import { usePlatform } from "#platform/platform.tsx";
import { catalogQuery } from "#platform/shared-queries.ts";
import { type DraftErrors, errorAt } from "./draft-errors.ts";
import { addQuota, KEY_LIMITS_MAX, type QuotaRow } from "./key-limits.view-model.ts";

export type QuotasFieldProps = {
  value: readonly QuotaRow[];
  errors: DraftErrors;
  onChange: (rows: readonly QuotaRow[]) => void;
};

/** The key's own quotas: units in one billing period. */
export function QuotasField({ value, errors, onChange }: QuotasFieldProps) {
  const { api } = usePlatform();
  const catalog = useQuery(catalogQuery(api));
  const meters = catalog.data?.meters ?? [];
  const list = useRef<HTMLFieldSetElement>(null);
  const change = (rowId: number, part: Partial<QuotaRow>) =>
    onChange(value.map((row) => (row.rowId === rowId ? { ...row, ...part } : row)));

  function remove(rowId: number): void {
    onChange(value.filter((row) => row.rowId !== rowId));
    // The focused button was removed with its row.
    list.current?.querySelector<HTMLElement>("[data-add]")?.focus();
  }

  return (
    <fieldset ref={list} className="min-w-0">
      <legend className="mb-1 font-medium">
        <Trans>Quotas</Trans>
      </legend>
      {catalog.isError && (
        <FailureNotice
          what={t`The meters could not be loaded.`}
          cause={catalog.error}
          onRetry={() => void catalog.refetch()}
        />
      )}
      <div className="space-y-2">
        {value.map((row, index) => {
          const at = `/quotas/${String(index)}`;
          const meter = meters.find(({ meterId }) => meterId === row.meter);
          // A meter that is no longer in the catalogue keeps its slug as its name.
          const gone =
            row.meter !== null && meter === undefined
              ? [{ value: row.meter, label: row.meter }]
              : [];
          return (
            <fieldset
              key={row.rowId}
              aria-label={t`Quota ${String(index + 1)}`}
              className="flex min-w-0 items-start gap-2 rounded-control border border-line p-3"
            >
              <div className="grid min-w-0 grow gap-2 sm:grid-cols-2">
                <SelectField
                  label={t`Meter`}
                  value={row.meter}
                  choices={[
                    ...meters.map((one) => ({ value: one.meterId, label: nameMeter(one) })),
                    ...gone,
                  ]}
                  error={errorAt(errors, `${at}/meter`)}
                  onValueChange={(chosen) => change(row.rowId, { meter: chosen })}
                />
                <NumberField
                  label={t`Units per billing period`}
                  value={row.limit}
                  min={0}
                  max={Number.MAX_SAFE_INTEGER}
                  error={errorAt(errors, `${at}/limit`)}
                  onValueChange={(limit) => change(row.rowId, { limit })}
                />
              </div>
              <IconButton
                label={t`Remove quota ${meter === undefined ? String(index + 1) : nameMeter(meter)}`}
                className="mt-6"
                icon={<X aria-hidden="true" />}
                onClick={() => remove(row.rowId)}
              />
            </fieldset>
          );
        })}
        {value.length < KEY_LIMITS_MAX && (
          <Button
            size="small"
            data-add
            disabled={catalog.data === undefined}
            onClick={() =>
              onChange(
                addQuota(
                  value,
                  meters.map(({ meterId }) => meterId),
                ),
              )
            }
          >
            <Plus className="size-3.5" aria-hidden="true" />
            <Trans>Add quota</Trans>
          </Button>
        )}
      </div>
    </fieldset>
  );
}
