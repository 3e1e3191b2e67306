import { t } from "@lingui/core/macro";
import { CALENDAR_UNITS } from "@turnpike/domain/time/period";
import { Checkbox } from "@turnpike/ui/checkbox";
import { SelectField } from "@turnpike/ui/select";
import { TextField } from "@turnpike/ui/text-field";
import { type EntitlementChoice, isQuota } from "./card-draft.view-model.ts";
import { listEntitlements } from "./card-words.view-model.ts";
import { LengthField } from "./length-field.tsx";
import type { CardPartProps } from "./price-fields.tsx";

/** What a card entitles to: a quota with its refill, a value, or a feature. */
export function EntitlementFields({
  card,
  pointer,
  faults,
  onChange,
}: Omit<CardPartProps, "currency">) {
  const at = `${pointer}/entitlement`;
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <div data-pointer={at}>
        <SelectField<EntitlementChoice>
          label={card.kind === "usage" ? t`Limit` : t`Entitles to`}
          value={card.entitlement}
          choices={listEntitlements(card.kind, card.entitlement)}
          error={faults.at(at, `${at}/kind`)}
          onValueChange={(entitlement) => onChange({ entitlement })}
        />
      </div>
      {(isQuota(card.entitlement) || card.entitlement === "static") && (
        <TextField
          label={isQuota(card.entitlement) ? t`Units` : t`Value`}
          name={`${at}/limit`}
          autoComplete="off"
          maxLength={200}
          placeholder={isQuota(card.entitlement) ? "50000" : "eu-west"}
          {...(isQuota(card.entitlement) && { inputMode: "numeric" })}
          value={card.limit}
          error={faults.at(`${at}/limit`)}
          onChange={(event) => onChange({ limit: event.currentTarget.value })}
        />
      )}
      {isQuota(card.entitlement) && (
        <>
          <Checkbox
            label={t`Refill on a clock of its own`}
            help={t`Otherwise as often as the card is charged.`}
            isChecked={card.hasRefill}
            onCheckedChange={(hasRefill) => onChange({ hasRefill })}
          />
          {card.hasRefill && (
            <LengthField
              label={t`Refill every`}
              unitLabel={t`Unit of the refill`}
              pointer={`${at}/refill`}
              units={CALENDAR_UNITS}
              value={card.refill}
              error={faults.below(`${at}/refill`)}
              onChange={(refill) => onChange({ refill })}
            />
          )}
        </>
      )}
    </div>
  );
}
