import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { PRICE_TIERS_MAX } from "@turnpike/domain/catalog/plan-phase";
import { Button } from "@turnpike/ui/button";
import { IconButton } from "@turnpike/ui/icon-button";
import { TextField } from "@turnpike/ui/text-field";
import Plus from "lucide-react/icons/plus";
import X from "lucide-react/icons/x";
import { useRef } from "react";
import { addTier, type TierDraft } from "./card-draft.view-model.ts";
import type { FaultFinder } from "./plan-faults.view-model.ts";
import { changeRow, removeRow } from "./rows.view-model.ts";

export type TiersFieldProps = {
  /** Of the list of tiers, as a JSON pointer. */
  pointer: string;
  tiers: readonly TierDraft[];
  faults: FaultFinder;
  onChange: (tiers: readonly TierDraft[]) => void;
};

/** Labels are shown for the first tier only, where there is room for a table, and read out for each. */
const ROW_CLASSES =
  "grid min-w-0 grid-cols-[1fr_1fr_1fr_2.25rem] items-start gap-2 max-sm:grid-cols-2 max-sm:rounded-control max-sm:border max-sm:border-line max-sm:p-2 sm:not-first:[&_label]:sr-only";

/** The tiers of a price, rising. The last one has no bound. */
export function TiersField({ pointer, tiers, faults, onChange }: TiersFieldProps) {
  const list = useRef<HTMLFieldSetElement>(null);

  function remove(rowId: number): void {
    onChange(removeRow(tiers, rowId));
    // The focused button was removed with its row.
    list.current?.querySelector<HTMLElement>("[data-add]")?.focus();
  }

  return (
    <fieldset ref={list} className="min-w-0" data-pointer={pointer}>
      <legend className="mb-1 font-medium text-sm">
        <Trans>Tiers</Trans>
      </legend>
      <p role="alert" className="mb-1 text-danger text-xs empty:hidden">
        {faults.at(pointer)}
      </p>
      <div className="space-y-2">
        {tiers.map((tier, index) => {
          const at = `${pointer}/${String(index)}`;
          const isLast = index === tiers.length - 1;
          const field = (name: "upTo" | "unitAmount" | "flatAmount") => ({
            name: `${at}/${name}`,
            inputMode: "decimal" as const,
            autoComplete: "off",
            maxLength: 25,
            value: tier[name],
            error: faults.at(`${at}/${name}`),
            onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
              onChange(changeRow(tiers, tier.rowId, { [name]: currentTarget.value })),
          });
          return (
            <fieldset
              key={tier.rowId}
              aria-label={t`Tier ${String(index + 1)}`}
              className={ROW_CLASSES}
            >
              {isLast ? (
                <TextField label={t`Up to, inclusive`} value={t`and above`} disabled readOnly />
              ) : (
                <TextField label={t`Up to, inclusive`} placeholder="1000" {...field("upTo")} />
              )}
              <TextField label={t`Unit price`} placeholder="0" {...field("unitAmount")} />
              <TextField label={t`Flat fee`} placeholder="0" {...field("flatAmount")} />
              <IconButton
                label={t`Remove tier ${String(index + 1)}`}
                className="self-end sm:[fieldset:first-child>&]:mt-6 sm:[fieldset:first-child>&]:self-start sm:self-start sm:mt-1"
                icon={<X aria-hidden="true" />}
                disabled={tiers.length === 1}
                onClick={() => remove(tier.rowId)}
              />
            </fieldset>
          );
        })}
        {tiers.length < PRICE_TIERS_MAX && (
          <Button size="small" data-add onClick={() => onChange(addTier(tiers))}>
            <Plus className="size-3.5" aria-hidden="true" />
            <Trans>Add tier</Trans>
          </Button>
        )}
      </div>
      <p className="mt-1 text-ink-muted text-xs">
        <Trans>
          The flat fee of the first tier is due without usage as well. For none, start with a tier
          up to 0.
        </Trans>
      </p>
    </fieldset>
  );
}
