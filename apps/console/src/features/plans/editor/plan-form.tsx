import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { PLAN_PHASES_MAX } from "@turnpike/domain/catalog/plan-phase";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { Checkbox } from "@turnpike/ui/checkbox";
import { SegmentedControl } from "@turnpike/ui/segmented-control";
import { TextArea } from "@turnpike/ui/text-area";
import { TextField } from "@turnpike/ui/text-field";
import Plus from "lucide-react/icons/plus";
import { useEffect, useRef, useState } from "react";
import type { Meter } from "#platform/shared-queries.ts";
import { CallLimitFields } from "./call-limit-fields.tsx";
import { FaultList } from "./fault-list.tsx";
import { PhaseFields } from "./phase-fields.tsx";
import { addPhase, copyPhase, type PhaseDraft, type PlanDraft } from "./plan-draft.view-model.ts";
import { listAncestors, makeFaultFinder, type PlanFault } from "./plan-faults.view-model.ts";
import { changeRow, removeRow } from "./rows.view-model.ts";

export type PlanFormProps = {
  draft: PlanDraft;
  /** Nothing of it is published: its fee, the first thing that is set, is open. */
  isNew: boolean;
  meters: readonly Meter[];
  faults: readonly PlanFault[];
  onChange: (part: Partial<PlanDraft>) => void;
};

const VISIBILITIES = [
  { value: "public", label: t`Public` },
  { value: "private", label: t`Private` },
] as const;

/** Everything that can be said of a plan, with each mistake beside its field and all of them above. */
export function PlanForm({ draft, isNew, meters, faults, onChange }: PlanFormProps) {
  const form = useRef<HTMLDivElement>(null);
  const finder = makeFaultFinder(faults);
  const open = useOpenCards(isNew ? draft.phases.at(-1) : undefined);
  /** The mistake to go to, once its card is open. */
  const [wanted, setWanted] = useState<{ pointer: string }>();
  const { phases } = draft;

  function goTo(pointer: string): void {
    const [, phase, card] = /^\/phases\/(\d+)\/rateCards\/(\d+)/.exec(pointer) ?? [];
    const phaseRow = phases[Number(phase)];
    const cardRow = phaseRow?.cards[Number(card)];
    if (phaseRow !== undefined && cardRow !== undefined) {
      open.set(phaseRow.rowId, cardRow.rowId, true);
    }
    setWanted({ pointer });
  }

  // The outside system is the document's focus; the field exists once the card is open.
  useEffect(() => {
    if (wanted !== undefined) {
      focusPlace(form.current, wanted.pointer);
    }
  }, [wanted]);

  return (
    <div ref={form} className="space-y-4">
      <FaultList faults={faults} draft={draft} onGoTo={goTo} />
      <TermsFields draft={draft} faults={finder} onChange={onChange} />
      {phases.length < PLAN_PHASES_MAX && (
        <Button onClick={() => onChange({ phases: addPhase(phases) })}>
          <Plus className="size-4" aria-hidden="true" />
          {plural(phases.length, {
            one: "Add a trial or a ramp before it",
            other: "Add phase at the start",
          })}
        </Button>
      )}
      {phases.map((phase, index) => (
        <PhaseFields
          key={phase.rowId}
          phase={phase}
          index={index}
          isLast={index === phases.length - 1}
          isOnly={phases.length === 1}
          currency={draft.currency}
          meters={meters}
          faults={finder}
          openCards={open.of(phase.rowId)}
          onOpenChange={(card, isOpen) => open.set(phase.rowId, card, isOpen)}
          onChange={(part) => onChange({ phases: changeRow(phases, phase.rowId, part) })}
          onCopy={() => onChange({ phases: copyPhase(phases, phase.rowId) })}
          onRemove={() => onChange({ phases: removeRow(phases, phase.rowId) })}
        />
      ))}
      <CallLimitFields draft={draft} faults={finder} onChange={onChange} />
    </div>
  );
}

/**
 * Which cards are open, by the rows of phase and card.
 *
 * @param first - The phase whose first card is open at the beginning; left out: all are closed.
 */
function useOpenCards(first: PhaseDraft | undefined) {
  const [opened, setOpened] = useState<ReadonlyMap<number, ReadonlySet<number>>>(
    () =>
      new Map(
        first === undefined
          ? []
          : [[first.rowId, new Set(first.cards.slice(0, 1).map(({ rowId }) => rowId))]],
      ),
  );
  return {
    of: (phase: number): ReadonlySet<number> => opened.get(phase) ?? new Set(),
    set: (phase: number, card: number, isOpen: boolean) =>
      setOpened((before) => {
        const cards = new Set(before.get(phase));
        if (isOpen) {
          cards.add(card);
        } else {
          cards.delete(card);
        }
        return new Map(before).set(phase, cards);
      }),
  };
}

/** Puts the focus into the field of a place, or the nearest one around it. */
function focusPlace(form: HTMLElement | null, pointer: string): void {
  for (const place of listAncestors(pointer)) {
    const name = CSS.escape(place);
    const found = form?.querySelector<HTMLElement>(
      `[name="${name}"], [data-pointer="${name}"] :is(input, button, textarea)`,
    );
    if (found) {
      found.focus();
      found.scrollIntoView({ block: "center" });
      return;
    }
  }
}

type TermsFieldsProps = Pick<PlanFormProps, "draft" | "onChange"> & {
  faults: ReturnType<typeof makeFaultFinder>;
};

function TermsFields({ draft, faults, onChange }: TermsFieldsProps) {
  return (
    <Card title={t`Plan`}>
      <div className="space-y-4">
        <div className="grid items-start gap-4 sm:grid-cols-[1fr_8rem]">
          <TextField
            label={t`Name`}
            name="/name"
            autoComplete="off"
            maxLength={60}
            placeholder={t`Pro`}
            value={draft.name}
            error={faults.at("/name")}
            onChange={(event) => onChange({ name: event.currentTarget.value })}
          />
          <TextField
            label={t`Currency`}
            name="/currency"
            isMono
            autoComplete="off"
            spellCheck={false}
            maxLength={3}
            placeholder={t`USD`}
            value={draft.currency}
            error={faults.at("/currency")}
            onChange={(event) => onChange({ currency: event.currentTarget.value.toUpperCase() })}
          />
        </div>
        <TextArea
          isOptional
          label={t`Description`}
          help={t`One sentence for customers.`}
          name="/description"
          rows={2}
          maxLength={300}
          value={draft.description}
          error={faults.at("/description")}
          onChange={(event) => onChange({ description: event.currentTarget.value })}
        />
        <div className="flex flex-wrap items-start gap-x-8 gap-y-4">
          <div data-pointer="/visibility">
            <p className="mb-1 font-medium text-sm">
              <Trans>Visibility</Trans>
            </p>
            <SegmentedControl
              label={t`Visibility`}
              segments={VISIBILITIES}
              value={draft.visibility}
              onValueChange={(visibility) => onChange({ visibility })}
            />
            <p className="mt-1 text-ink-muted text-xs">
              {draft.visibility === "public"
                ? t`Shown to everyone.`
                : t`Only you see and assign it.`}
            </p>
          </div>
          <div className="sm:pt-7" data-pointer="/isAddOn">
            <Checkbox
              label={t`Add-on`}
              help={t`Only bought beside another plan.`}
              isChecked={draft.isAddOn}
              onCheckedChange={(isAddOn) => onChange({ isAddOn })}
            />
          </div>
          <div className="sm:col-span-2" data-pointer="/isPrepaid">
            <Checkbox
              label={t`Prepaid`}
              help={t`Usage draws on the customer's credit as calls happen. Without credit, calls that cost something are denied.`}
              isChecked={draft.isPrepaid}
              onCheckedChange={(isPrepaid) => onChange({ isPrepaid })}
            />
          </div>
        </div>
      </div>
    </Card>
  );
}
