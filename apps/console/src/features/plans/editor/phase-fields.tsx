import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { PHASE_CARDS_MAX } from "@turnpike/domain/catalog/plan-phase";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { IconButton } from "@turnpike/ui/icon-button";
import { TextField } from "@turnpike/ui/text-field";
import Copy from "lucide-react/icons/copy";
import Plus from "lucide-react/icons/plus";
import X from "lucide-react/icons/x";
import { useRef } from "react";
import type { Meter } from "#platform/shared-queries.ts";
import { CARD_KINDS, type CardDraft, type CardKind, makeCard } from "./card-draft.view-model.ts";
import { CardFields } from "./card-fields.tsx";
import { LengthField } from "./length-field.tsx";
import { DURATION_UNITS, type PhaseDraft } from "./plan-draft.view-model.ts";
import type { FaultFinder } from "./plan-faults.view-model.ts";
import { addRow, moveRow, removeRow } from "./rows.view-model.ts";

export type PhaseFieldsProps = {
  phase: PhaseDraft;
  /** From 0. */
  index: number;
  isLast: boolean;
  isOnly: boolean;
  currency: string;
  meters: readonly Meter[];
  faults: FaultFinder;
  /** Of the cards of this phase, by row. */
  openCards: ReadonlySet<number>;
  onOpenChange: (cardRowId: number, isOpen: boolean) => void;
  onChange: (part: Partial<PhaseDraft>) => void;
  onCopy: () => void;
  onRemove: () => void;
};

/** A phase of a plan: how long it lasts, and its rate cards. */
export function PhaseFields(props: PhaseFieldsProps) {
  const { phase, index, isLast, faults, onChange } = props;
  const list = useRef<HTMLDivElement>(null);
  const at = `/phases/${String(index)}`;
  const { cards } = phase;
  const setCards = (next: readonly CardDraft[]) => onChange({ cards: next });

  function add(kind: CardKind): void {
    const next = addRow(cards, makeCard(kind));
    setCards(next);
    props.onOpenChange(next.at(-1)?.rowId ?? 0, true);
  }

  function remove(rowId: number): void {
    setCards(removeRow(cards, rowId));
    // The focused button was removed with its card.
    list.current?.querySelector<HTMLElement>("[data-add]")?.focus();
  }

  const last = cards.length - 1;
  return (
    <div ref={list} data-pointer={at}>
      <Card
        title={toPhaseTitle(phase, index, props.isOnly)}
        description={describePhase(cards, isLast, props.isOnly)}
        aside={
          !props.isOnly && (
            <div className="flex">
              {!isLast && (
                <IconButton
                  label={t`Copy phase ${String(index + 1)}`}
                  icon={<Copy aria-hidden="true" />}
                  onClick={props.onCopy}
                />
              )}
              <IconButton
                label={t`Remove phase ${String(index + 1)}`}
                icon={<X aria-hidden="true" />}
                onClick={props.onRemove}
              />
            </div>
          )
        }
      >
        <div className="space-y-4">
          <PhaseTerms {...props} at={at} />
          <p role="alert" className="text-danger text-xs empty:hidden">
            {faults.at(at, `${at}/rateCards`)}
          </p>
          <div className="space-y-2">
            {cards.map((card, place) => (
              <CardFields
                key={card.rowId}
                card={card}
                pointer={`${at}/rateCards/${String(place)}`}
                currency={props.currency}
                faults={faults}
                meters={props.meters}
                isOpen={props.openCards.has(card.rowId)}
                onToggle={() => props.onOpenChange(card.rowId, !props.openCards.has(card.rowId))}
                onChange={(changed) =>
                  setCards(cards.map((each) => (each.rowId === card.rowId ? changed : each)))
                }
                onMoveUp={place === 0 ? undefined : () => setCards(moveRow(cards, card.rowId, -1))}
                onMoveDown={
                  place === last ? undefined : () => setCards(moveRow(cards, card.rowId, 1))
                }
                onRemove={() => remove(card.rowId)}
              />
            ))}
          </div>
          {cards.length < PHASE_CARDS_MAX && (
            <div className="flex flex-wrap gap-2">
              {CARD_KINDS.map((kind) => (
                <Button
                  key={kind}
                  size="small"
                  data-add
                  onClick={() => add(kind)}
                  aria-label={t`Add ${kind} to phase ${String(index + 1)}`}
                >
                  <Plus className="size-3.5" aria-hidden="true" />
                  <Trans>Add {kind}</Trans>
                </Button>
              ))}
            </div>
          )}
        </div>
      </Card>
    </div>
  );
}

function PhaseTerms({
  phase,
  at,
  isLast,
  isOnly,
  currency,
  faults,
  onChange,
}: PhaseFieldsProps & { at: string }) {
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      {!isOnly && (
        <TextField
          isOptional
          label={t`Name of the phase`}
          placeholder={t`Trial`}
          name={`${at}/name`}
          autoComplete="off"
          maxLength={60}
          value={phase.name}
          error={faults.at(`${at}/name`)}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
      )}
      {!isLast && (
        <LengthField
          label={t`Lasts`}
          unitLabel={t`Unit of the duration`}
          pointer={`${at}/duration`}
          units={DURATION_UNITS}
          value={phase.duration}
          error={faults.below(`${at}/duration`)}
          onChange={(duration) => onChange({ duration })}
        />
      )}
      <TextField
        isOptional
        label={t`Minimum of the plan`}
        help={t`The least that one period charges, in ${currency}; what lacks is a line of its own.`}
        name={`${at}/minimum`}
        inputMode="decimal"
        autoComplete="off"
        maxLength={25}
        value={phase.minimum}
        error={faults.at(`${at}/minimum`)}
        onChange={(event) => onChange({ minimum: event.currentTarget.value })}
      />
      {phase.minimum.trim() !== "" && (
        <TextField
          label={t`Tax class of the minimum`}
          name={`${at}/taxClass`}
          autoComplete="off"
          maxLength={60}
          value={phase.taxClass}
          error={faults.at(`${at}/taxClass`)}
          onChange={(event) => onChange({ taxClass: event.currentTarget.value })}
        />
      )}
    </div>
  );
}

function toPhaseTitle({ name }: PhaseDraft, index: number, isOnly: boolean): string {
  if (isOnly) {
    return t`Prices and limits`;
  }
  const place = t`Phase ${String(index + 1)}`;
  return name.trim() === "" ? place : `${place}: ${name.trim()}`;
}

function describePhase(cards: readonly CardDraft[], isLast: boolean, isOnly: boolean): string {
  const isFree = cards.every(({ kind, model }) => kind === "feature" || model === "none");
  if (!isLast) {
    return isFree ? t`A trial: nothing has a price.` : t`Ends by itself; the next phase follows.`;
  }
  const what = isFree
    ? t`Free: nothing has a price.`
    : t`Fees, prices of usage, and what it limits.`;
  return isOnly ? what : t`Lasts until the subscription ends. ${what}`;
}
