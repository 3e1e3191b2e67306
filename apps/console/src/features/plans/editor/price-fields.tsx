import { t } from "@lingui/core/macro";
import { SelectField } from "@turnpike/ui/select";
import { TextField } from "@turnpike/ui/text-field";
import type { CardDraft, ModelChoice } from "./card-draft.view-model.ts";
import { listModels } from "./card-words.view-model.ts";
import type { FaultFinder } from "./plan-faults.view-model.ts";
import { TiersField } from "./tiers-field.tsx";

export type CardPartProps = {
  card: CardDraft;
  /** Of the card, as a JSON pointer. */
  pointer: string;
  /** ISO 4217. */
  currency: string;
  faults: FaultFinder;
  onChange: (part: Partial<CardDraft>) => void;
};

type DecimalName = "amount" | "unitAmount" | "size" | "rate" | "included" | "minimum" | "maximum";

/** How a card is priced: its model, the model's own fields, and for usage what bounds it. */
export function PriceFields(props: CardPartProps) {
  const { card, pointer, currency, faults, onChange } = props;
  const at = `${pointer}/price`;
  const decimal = (name: DecimalName) => ({
    name: `${at}/${name}`,
    inputMode: "decimal" as const,
    autoComplete: "off",
    maxLength: 25,
    value: card[name],
    error: faults.at(`${at}/${name}`),
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onChange({ [name]: currentTarget.value }),
  });
  return (
    <>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <div data-pointer={`${at}/model`}>
          <SelectField<ModelChoice>
            label={t`Price model`}
            value={card.model}
            choices={listModels(card.kind, card.model)}
            error={faults.at(`${at}/model`, at)}
            onValueChange={(model) => onChange({ model })}
          />
        </div>
        {(card.model === "flat" || card.model === "package") && (
          <TextField
            label={card.model === "flat" ? t`Amount` : t`Price of a package`}
            help={t`In ${currency}.`}
            placeholder="49.90"
            {...decimal("amount")}
          />
        )}
        {card.model === "per_unit" && (
          <TextField
            label={t`Unit price`}
            help={t`In ${currency}, up to 12 decimals.`}
            placeholder="0.002"
            {...decimal("unitAmount")}
          />
        )}
        {card.model === "package" && (
          <TextField label={t`Units in a package`} placeholder="1000" {...decimal("size")} />
        )}
        {card.model === "percentage" && (
          <TextField
            label={t`Rate, per cent`}
            help={t`Of the money that the meter sums.`}
            placeholder="2.5"
            {...decimal("rate")}
          />
        )}
      </div>
      {(card.model === "graduated" || card.model === "volume") && (
        <TiersField
          pointer={`${at}/tiers`}
          tiers={card.tiers}
          faults={faults}
          onChange={(tiers) => onChange({ tiers })}
        />
      )}
      {card.kind === "usage" && card.model !== "none" && (
        <div className="grid items-start gap-4 sm:grid-cols-3">
          <TextField
            isOptional
            label={t`Included`}
            help={t`Units that cost nothing; tiers count what is left.`}
            {...decimal("included")}
          />
          <TextField
            isOptional
            label={t`Minimum`}
            help={t`The least of a period; what lacks is charged.`}
            {...decimal("minimum")}
          />
          <TextField
            isOptional
            label={t`Maximum`}
            help={t`The most of a period.`}
            {...decimal("maximum")}
          />
        </div>
      )}
    </>
  );
}
