import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Aggregation } from "@turnpike/domain/catalog/meter";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { SegmentedControl } from "@turnpike/ui/segmented-control";
import { SelectField } from "@turnpike/ui/select";
import { TextField } from "@turnpike/ui/text-field";
import { useUnsaved } from "@turnpike/ui/unsaved";
import { type ReactNode, useState } from "react";
import { usePlatform } from "#platform/platform.tsx";
import type { Meter } from "#platform/shared-queries.ts";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { DimensionsField } from "./dimensions-field.tsx";
import { AGGREGATION_CHOICES } from "./meter.view-model.ts";
import {
  describeFixed,
  hasValue,
  listDifferences,
  type MeterDraft,
  type MeterSource,
  toMeterChange,
  toMeterDraft,
  toMeterId,
  toMeterInput,
} from "./meter-draft.view-model.ts";
import { toMeterFailure } from "./meter-failure.ts";
import { MeterRehearsal } from "./meter-rehearsal.tsx";

const CALL_AGGREGATIONS: readonly Aggregation[] = ["count", "sum"];

export type MeterFormProps = {
  /** The meter being edited; undefined for a new one. */
  meter: Meter | undefined;
  onDone: (meter: Meter) => void;
  onCancel: () => void;
};

/** The form of a meter, which can be tried on recent events before it is published. */
export function MeterForm({ meter, onDone, onCancel }: MeterFormProps) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const [draft, setDraft] = useState(() => toMeterDraft(meter));
  const [isTouched, setIsTouched] = useState(false);
  const change = (part: Partial<MeterDraft>) => {
    setIsTouched(true);
    setDraft((before) => ({ ...before, ...part }));
  };
  useUnsaved(isTouched);
  const differences = meter === undefined ? undefined : listDifferences(meter, draft);
  const publish = useMutation({
    mutationKey: ["meters", "publish"],
    mutationFn: () =>
      meter === undefined
        ? api.catalog.createMeter(toMeterInput(draft))
        : api.catalog.updateMeter(toMeterChange(draft)),
    onSuccess: async (published) => {
      toast.success(
        meter === undefined
          ? t`${published.name} is counting now.`
          : t`${published.name} now counts by version ${String(published.version ?? "")}.`,
      );
      onDone(published);
      await Promise.all([
        client.invalidateQueries({ queryKey: ["catalog"] }),
        client.invalidateQueries({ queryKey: ["meters"] }),
      ]);
    },
  });
  const submitOnce = useSubmitOnce(publish.mutateAsync, "failed");
  const failure = toMeterFailure(publish.error, "");
  const next = String((meter?.version ?? 1) + 1);

  return (
    <DialogForm
      onSubmit={() => submitOnce()}
      onCancel={onCancel}
      action={meter === undefined ? t`Publish meter` : t`Publish version ${next}`}
      progress={publish.isPending ? t`Publishing…` : undefined}
      isDisabled={differences?.length === 0}
      failure={t`The meter was not published.`}
      errors={failure?.messages}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t`Name`}
          help={t`The name that customers see.`}
          name="name"
          value={draft.name}
          maxLength={60}
          placeholder={t`Tokens`}
          autoComplete="off"
          error={failure?.fields["name"]}
          onChange={({ currentTarget: { value } }) =>
            change({ name: value, ...(!draft.isIdTyped && { meterId: toMeterId(value) }) })
          }
        />
        {meter === undefined ? (
          <TextField
            label={t`Id`}
            help={t`Used by programs, plans and queries. Cannot be changed later.`}
            name="meterId"
            isMono
            value={draft.meterId}
            maxLength={64}
            placeholder={t`tokens`}
            autoComplete="off"
            spellCheck={false}
            error={failure?.fields["meterId"]}
            onChange={({ currentTarget: { value } }) => change({ meterId: value, isIdTyped: true })}
          />
        ) : (
          <Fixed label={t`Counts`} value={describeFixed(meter)}>
            <Trans>To count in another way, create a new meter.</Trans>
          </Fixed>
        )}
      </div>
      {meter === undefined && <CountingFields draft={draft} onChange={change} />}
      <div className="grid gap-4 sm:grid-cols-2">
        {draft.source === "events" && (
          <TextField
            label={t`Event type`}
            help={t`The type of CloudEvents it counts.`}
            name="eventType"
            isMono
            value={draft.eventType}
            maxLength={256}
            placeholder="llm.call"
            autoComplete="off"
            spellCheck={false}
            error={failure?.fields["eventType"]}
            onChange={({ currentTarget: { value } }) => change({ eventType: value })}
          />
        )}
        {hasValue(draft) && (
          <TextField
            label={t`Value`}
            help={t`Where it is in the event’s data, as a JSON pointer.`}
            name="valuePointer"
            isMono
            value={draft.valuePointer}
            maxLength={200}
            placeholder="/usage/tokens"
            autoComplete="off"
            spellCheck={false}
            error={failure?.fields["valuePointer"]}
            onChange={({ currentTarget: { value } }) => change({ valuePointer: value })}
          />
        )}
        <TextField
          label={t`Unit`}
          help={t`The name of one unit, in the singular.`}
          name="unit"
          value={draft.unit}
          maxLength={30}
          placeholder={t`token`}
          autoComplete="off"
          error={failure?.fields["unit"]}
          onChange={({ currentTarget: { value } }) => change({ unit: value })}
        />
      </div>
      {draft.source === "events" && (
        <>
          <DimensionsField
            value={draft.dimensions}
            errorAt={(place) => failure?.fields[`dimensions/${place}`]}
            onChange={(dimensions) => change({ dimensions })}
          />
          <MeterRehearsal draft={draft} />
        </>
      )}
      {differences !== undefined && differences.length > 0 && (
        <section
          aria-label={t`Changes`}
          className="rounded-control border border-line bg-sunken px-3 py-2.5"
        >
          <p className="font-medium">
            <Trans>This creates version {next}.</Trans>
          </p>
          <p className="text-ink-muted text-xs">
            <Trans>New usage is counted by it. Usage counted before does not change.</Trans>
          </p>
          <ul className="mt-2 space-y-1">
            {differences.map(({ label, from, to }) => (
              <li key={label} className="[overflow-wrap:anywhere]">
                {label}: <del className="text-ink-muted">{from || t`none`}</del>{" "}
                <ins>{to || t`none`}</ins>
              </li>
            ))}
          </ul>
        </section>
      )}
    </DialogForm>
  );
}

type CountingFieldsProps = { draft: MeterDraft; onChange: (part: Partial<MeterDraft>) => void };

/** What a new meter counts, and how. Neither can be changed later. */
function CountingFields({ draft, onChange }: CountingFieldsProps) {
  const isOfCalls = draft.source === "calls";
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <div className="min-w-0">
        <p className="mb-1 font-medium text-sm">
          <Trans>Counts</Trans>
        </p>
        <SegmentedControl<MeterSource>
          label={t`Counts`}
          value={draft.source}
          segments={[
            { value: "events", label: t`Events` },
            { value: "calls", label: t`Calls` },
          ]}
          onValueChange={(source) =>
            onChange({
              source,
              ...(source === "calls" &&
                !CALL_AGGREGATIONS.includes(draft.aggregation) && { aggregation: "sum" }),
            })
          }
        />
        <p className="mt-1 text-ink-muted text-xs">
          {isOfCalls
            ? t`Verification requests name the meter and the cost of the call.`
            : t`Your programs send events with the usage in their data.`}
        </p>
      </div>
      <SelectField<Aggregation>
        label={t`Aggregation`}
        help={t`Cannot be changed later.`}
        value={draft.aggregation}
        choices={AGGREGATION_CHOICES.filter(
          ({ value }) => !isOfCalls || CALL_AGGREGATIONS.includes(value),
        )}
        onValueChange={(aggregation) => onChange({ aggregation })}
      />
    </div>
  );
}

type FixedProps = { label: string; value: string; children: ReactNode };

/** A fixed property, shown in place of a field. */
function Fixed({ label, value, children }: FixedProps) {
  return (
    <div className="min-w-0">
      <p className="mb-1 font-medium text-sm">{label}</p>
      <p className="flex h-9 items-center">{value}</p>
      <p className="mt-1 text-ink-muted text-xs">{children}</p>
    </div>
  );
}
