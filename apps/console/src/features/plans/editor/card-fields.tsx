import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { isAdditive } from "@turnpike/domain/catalog/meter";
import { CALENDAR_UNITS } from "@turnpike/domain/time/period";
import { Badge } from "@turnpike/ui/badge";
import { IconButton } from "@turnpike/ui/icon-button";
import { joinClasses } from "@turnpike/ui/join-classes";
import { SegmentedControl } from "@turnpike/ui/segmented-control";
import { SelectField } from "@turnpike/ui/select";
import { TextField } from "@turnpike/ui/text-field";
import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import ChevronRight from "lucide-react/icons/chevron-right";
import X from "lucide-react/icons/x";
import { useId } from "react";
import { nameMeter } from "#platform/name-meter.ts";
import type { Meter } from "#platform/shared-queries.ts";
import { changeCard, KIND_LABELS, summarizeCard, titleOf } from "./card-words.view-model.ts";
import { EntitlementFields } from "./entitlement-fields.tsx";
import { LengthField } from "./length-field.tsx";
import { type CardPartProps, PriceFields } from "./price-fields.tsx";

export type CardFieldsProps = Omit<CardPartProps, "onChange"> & {
  meters: readonly Meter[];
  isOpen: boolean;
  onToggle: () => void;
  onChange: (card: CardPartProps["card"]) => void;
  /** Undefined at an edge of the list. */
  onMoveUp: (() => void) | undefined;
  onMoveDown: (() => void) | undefined;
  onRemove: () => void;
};

const TIMINGS = [
  { value: "advance", label: t`In advance` },
  { value: "arrears", label: t`In arrears` },
] as const;

/** A rate card: one line when closed, its form when open. */
export function CardFields(props: CardFieldsProps) {
  const { card, pointer, faults, meters, isOpen } = props;
  const bodyId = useId();
  const title = titleOf(card, meters);
  const count = faults.countBelow(pointer);
  return (
    <fieldset
      aria-label={`${KIND_LABELS[card.kind]}: ${title}`}
      data-pointer={pointer}
      className={joinClasses(
        "min-w-0 rounded-control border",
        count > 0 ? "border-danger/50" : "border-line",
      )}
    >
      <div className="flex items-start gap-1 py-1.5 pr-1.5 pl-1">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={bodyId}
          onClick={props.onToggle}
          className="flex min-w-0 grow cursor-pointer items-start gap-2 rounded-control p-1.5 text-left hover:bg-hover touch:min-h-11"
        >
          <ChevronRight
            aria-hidden="true"
            className={joinClasses(
              "mt-0.5 size-4 shrink-0 text-ink-faint transition-transform duration-150",
              isOpen && "rotate-90",
            )}
          />
          <span className="min-w-0">
            <span className="block font-medium [overflow-wrap:anywhere]">{title}</span>
            <span className="block text-ink-muted text-xs">{summarizeCard(card)}</span>
          </span>
          {count > 0 && (
            <span className="ml-auto">
              <Badge tone="danger">
                <Trans>{String(count)} to fix</Trans>
              </Badge>
            </span>
          )}
        </button>
        <CardButtons title={title} {...props} />
      </div>
      <div id={bodyId} hidden={!isOpen} className="space-y-4 border-line border-t p-3 sm:p-4">
        {isOpen && <CardBody {...props} />}
      </div>
    </fieldset>
  );
}

function CardButtons({
  title,
  onMoveUp,
  onMoveDown,
  onRemove,
}: Pick<CardFieldsProps, "onMoveUp" | "onMoveDown" | "onRemove"> & { title: string }) {
  return (
    <span className="flex shrink-0">
      <IconButton
        label={t`Move ${title} up`}
        className="max-sm:hidden"
        icon={<ArrowUp aria-hidden="true" />}
        disabled={onMoveUp === undefined}
        onClick={onMoveUp}
      />
      <IconButton
        label={t`Move ${title} down`}
        className="max-sm:hidden"
        icon={<ArrowDown aria-hidden="true" />}
        disabled={onMoveDown === undefined}
        onClick={onMoveDown}
      />
      <IconButton label={t`Remove ${title}`} icon={<X aria-hidden="true" />} onClick={onRemove} />
    </span>
  );
}

function CardBody(props: CardFieldsProps) {
  const { card, pointer, currency, faults, meters } = props;
  const change: CardPartProps["onChange"] = (part) => props.onChange(changeCard(card, part));
  const part: CardPartProps = { card, pointer, currency, faults, onChange: change };
  const hasInterval = card.kind === "usage" || (card.kind === "fee" && card.model !== "none");
  return (
    <>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        {card.kind === "usage" && (
          <div data-pointer={`${pointer}/meter`}>
            <SelectField
              label={t`Meter`}
              value={card.meter === "" ? null : card.meter}
              placeholder={t`Choose a meter`}
              choices={listMeters(meters, card.meter)}
              error={faults.at(`${pointer}/meter`)}
              onValueChange={(meter) => change({ meter })}
            />
          </div>
        )}
        <TextField
          isOptional
          label={t`Name`}
          help={t`What customers read.`}
          name={`${pointer}/name`}
          autoComplete="off"
          maxLength={60}
          value={card.name}
          error={faults.at(`${pointer}/name`)}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <TextField
          label={t`Key`}
          help={t`Identifies the card from version to version.`}
          name={`${pointer}/key`}
          isMono
          autoComplete="off"
          spellCheck={false}
          maxLength={60}
          value={card.key}
          error={faults.at(`${pointer}/key`)}
          onChange={(event) => change({ key: event.currentTarget.value, isKeyTyped: true })}
        />
      </div>
      {card.kind !== "feature" && <PriceFields {...part} />}
      {hasInterval && <Charging {...part} />}
      <EntitlementFields {...part} />
      {card.kind !== "feature" && (
        <TextField
          className="sm:max-w-64"
          label={t`Tax class`}
          help={t`Which of your tax rates applies.`}
          name={`${pointer}/taxClass`}
          autoComplete="off"
          maxLength={60}
          value={card.taxClass}
          error={faults.at(`${pointer}/taxClass`)}
          onChange={(event) => change({ taxClass: event.currentTarget.value })}
        />
      )}
    </>
  );
}

/** How often a card is charged; for a fee also when, and for how many seats. */
function Charging({ card, pointer, faults, onChange }: CardPartProps) {
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <LengthField
        label={t`Every`}
        unitLabel={t`Unit of the interval`}
        pointer={`${pointer}/interval`}
        units={CALENDAR_UNITS}
        value={card.interval}
        error={faults.below(`${pointer}/interval`)}
        onChange={(interval) => onChange({ interval })}
      />
      {card.kind === "fee" && (
        <>
          <div className="min-w-0" data-pointer={`${pointer}/timing`}>
            <p className="mb-1 font-medium text-sm">
              <Trans>Charged</Trans>
            </p>
            <SegmentedControl
              label={t`Charged`}
              segments={TIMINGS}
              value={card.timing}
              onValueChange={(timing) => onChange({ timing })}
            />
            <p role="alert" className="mt-1 text-danger text-xs empty:hidden">
              {faults.at(`${pointer}/timing`)}
            </p>
          </div>
          <TextField
            isOptional
            label={t`Seats`}
            help={t`Until the customer chooses another number.`}
            placeholder="1"
            name={`${pointer}/quantity`}
            inputMode="decimal"
            autoComplete="off"
            maxLength={25}
            value={card.quantity}
            error={faults.at(`${pointer}/quantity`)}
            onChange={(event) => onChange({ quantity: event.currentTarget.value })}
          />
        </>
      )}
    </div>
  );
}

/** Prices need numbers that can be added up; what is not there any more stays in sight. */
function listMeters(meters: readonly Meter[], current: string) {
  const isMissing = current !== "" && !meters.some(({ meterId }) => meterId === current);
  return [
    ...meters.map(({ meterId, name, aggregation }) => ({
      value: meterId,
      label: nameMeter({ meterId, name }),
      ...(!isAdditive(aggregation) && {
        note: t`${aggregation} cannot be added up`,
        isDisabled: true,
      }),
    })),
    ...(isMissing ? [{ value: current, label: current, note: t`There is no such meter` }] : []),
  ];
}
