import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import {
  ALERT_WINDOW_MINUTES,
  type AlertConditionKind,
  type ChangeDirection,
} from "@turnpike/domain/alerts/alert-rule";
import { formatMinutes, nameMeasure } from "@turnpike/domain/alerts/describe-alert";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import { Button } from "@turnpike/ui/button";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { joinClasses } from "@turnpike/ui/join-classes";
import { NumberField } from "@turnpike/ui/number-field";
import { SelectField } from "@turnpike/ui/select";
import { TextField } from "@turnpike/ui/text-field";
import { useUnsaved } from "@turnpike/ui/unsaved";
import { useState } from "react";
import { toFormFailure } from "#platform/form-failure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { inLanguage, valueInLanguage } from "#platform/server-words/server-words.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { analyticsQueries, type TenantId } from "../analytics.queries.ts";
import type { KeyName } from "../breakdown.view-model.ts";
import {
  type AlertDraft,
  CALL_MEASURES,
  findDraftFaults,
  listFilterTexts,
  suggestName,
  toForText,
  toRule,
  unitOf,
} from "./alert-draft.view-model.ts";
import { AlertPreviewChart } from "./alert-preview-chart.tsx";
import type { Alert } from "./alerts.queries.ts";
import { RoleBoxes } from "./role-boxes.tsx";

export type AlertFormProps = {
  tenantId: TenantId;
  keyNames: ReadonlyMap<string, KeyName>;
  /** The alert being edited; undefined for a new one. */
  alertId: string | undefined;
  start: AlertDraft;
  onDone: (alert: Alert) => void;
  onCancel: () => void;
};

const KINDS: readonly { value: AlertConditionKind; label: string }[] = [
  { value: "above", label: t`is above` },
  { value: "below", label: t`is below` },
  { value: "change", label: t`changes from the previous window` },
  { value: "no_data", label: t`has no data` },
];
const DIRECTIONS: readonly { value: ChangeDirection; label: string }[] = [
  { value: "up", label: t`up by more than` },
  { value: "down", label: t`down by more than` },
  { value: "either", label: t`either way by more than` },
];

/** Written where it is shown: the words of durations come with the first request of a page. */
function listWindows() {
  return ALERT_WINDOW_MINUTES.map((minutes) => ({
    value: String(minutes),
    label: valueInLanguage(formatMinutes(minutes)),
  }));
}

function toReminderLabel(minutes: number): string {
  return t`Again every ${valueInLanguage(formatMinutes(minutes)).replace(/^1 /, "")}`;
}

function listReminders() {
  return [
    { value: "once", label: t`Only once` },
    ...[15, 60, 240, 1_440].map((minutes) => ({
      value: String(minutes),
      label: toReminderLabel(minutes),
    })),
  ];
}

const NUMBER_FORMAT: Intl.NumberFormatOptions = { maximumFractionDigits: 4 };

/** The form of an alert: its rule and who gets notified. */
export function AlertForm(props: AlertFormProps) {
  const { tenantId, alertId, start, keyNames } = props;
  const { api } = usePlatform();
  const client = useQueryClient();
  // Keeps the first draft: the parent may build an equal one on every render.
  const [first] = useState(start);
  const [draft, setDraft] = useState(first);
  const [isTried, setIsTried] = useState(false);
  const set = (change: Partial<AlertDraft>) => setDraft((before) => ({ ...before, ...change }));
  useUnsaved(draft !== first);
  const rule = toRule(draft);
  const faults = isTried ? findDraftFaults(draft) : {};
  const save = useMutation({
    mutationKey: ["alerts", "save"],
    mutationFn: async (input: NonNullable<typeof rule>) => {
      const all = {
        tenantId,
        name: draft.name.trim(),
        mailRoles: [...draft.mailRoles],
        ...input,
      };
      return alertId === undefined
        ? await api.alerts.create(all)
        : await api.alerts.update({ ...all, alertId });
    },
    onSuccess: async (alert) => {
      props.onDone(alert);
      await client.invalidateQueries({ queryKey: ["alerts", tenantId] });
    },
  });
  const saveOnce = useSubmitOnce(save.mutateAsync, "failed");
  const failure = toFormFailure(save.error, {
    name: "/name",
    measure: "/query",
    windowMinutes: "/windowMinutes",
    clear: "/condition/clear",
    threshold: "/condition",
    forEvaluations: "/forEvaluations",
  });

  function submit(): void {
    setIsTried(true);
    if (rule !== undefined && draft.name.trim() !== "") {
      saveOnce(rule);
    }
  }

  return (
    <DialogForm
      onSubmit={submit}
      onCancel={props.onCancel}
      action={alertId === undefined ? t`Create alert` : t`Save changes`}
      progress={save.isPending ? t`Saving…` : undefined}
      failure={t`The alert was not saved.`}
      errors={failure?.messages}
    >
      <TextField
        label={t`Name`}
        name="name"
        value={draft.name}
        placeholder={suggestName(draft)}
        maxLength={100}
        autoComplete="off"
        error={faults.name ?? failure?.fields.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <ConditionFields
        draft={draft}
        set={set}
        thresholdError={faults.threshold ?? failure?.fields.threshold}
        errors={failure?.fields ?? {}}
      />
      <FilterNote draft={draft} keyNames={keyNames} onClear={() => set({ filters: {} })} />
      <AlertPreviewChart tenantId={tenantId} rule={rule} />
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberField
          label={t`Consecutive evaluations`}
          help={t`Needed to fire and to recover: about ${toForText(draft)}.`}
          value={draft.forEvaluations}
          min={1}
          max={60}
          error={failure?.fields.forEvaluations}
          onValueChange={(forEvaluations) => set({ forEvaluations })}
        />
        <SelectField
          label={t`While it fires, notify`}
          choices={withChoice(draft.renotifyMinutes)}
          value={draft.renotifyMinutes === null ? "once" : String(draft.renotifyMinutes)}
          onValueChange={(value) =>
            set({ renotifyMinutes: value === "once" ? null : Number(value) })
          }
        />
      </div>
      <RoleBoxes roles={draft.mailRoles} onChange={(mailRoles) => set({ mailRoles })} />
    </DialogForm>
  );
}

/** Keeps values set through the API even if they are not among the choices. */
function withChoice(minutes: number | null) {
  const value = String(minutes);
  const reminders = listReminders();
  return minutes === null || reminders.some((choice) => choice.value === value)
    ? reminders
    : [...reminders, { value, label: toReminderLabel(minutes) }];
}

type ConditionProps = {
  draft: AlertDraft;
  set: (change: Partial<AlertDraft>) => void;
  thresholdError: string | undefined;
  errors: { measure?: string; windowMinutes?: string; clear?: string };
};

function ConditionFields({ draft, set, thresholdError, errors }: ConditionProps) {
  const { api } = usePlatform();
  const meters = useQuery(analyticsQueries.meters(api));
  const { kind, measure } = draft;
  const unit = unitOf(measure, kind);
  const measures = [
    ...CALL_MEASURES.map((value) => ({
      value: String(value),
      label: inLanguage(nameMeasure(value)),
    })),
    ...(meters.data?.items ?? [])
      .filter(({ meterId }) => meterId !== REQUESTS_METER)
      .map(({ meterId, name }) => ({ value: `meter:${meterId}`, label: t`Meter: ${name}` })),
  ];
  const choices = measures.some(({ value }) => value === measure)
    ? measures
    : [...measures, { value: measure, label: inLanguage(nameMeasure(measure)) }];
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label={t`Measure`}
          choices={choices}
          value={measure}
          error={errors.measure}
          onValueChange={(value) => set({ measure: value, threshold: null, clear: null })}
        />
        <SelectField
          label={t`In a window of`}
          choices={listWindows()}
          value={String(draft.windowMinutes)}
          error={errors.windowMinutes}
          onValueChange={(value) => {
            const windowMinutes = ALERT_WINDOW_MINUTES.find((one) => String(one) === value);
            if (windowMinutes !== undefined) {
              set({ windowMinutes });
            }
          }}
        />
      </div>
      <div
        className={joinClasses(
          "grid gap-4",
          kind === "change" ? "sm:grid-cols-2 lg:grid-cols-4" : "sm:grid-cols-3",
        )}
      >
        <SelectField
          label={t`Fires when it`}
          choices={KINDS}
          value={kind}
          onValueChange={(next) => set({ kind: next, threshold: null, clear: null })}
        />
        {kind === "change" && (
          <SelectField
            label={t`Direction`}
            choices={DIRECTIONS}
            value={draft.direction}
            onValueChange={(direction) => set({ direction })}
          />
        )}
        {kind !== "no_data" && (
          <>
            <NumberField
              label={t`Threshold`}
              value={draft.threshold}
              min={0}
              format={NUMBER_FORMAT}
              error={thresholdError}
              onValueChange={(threshold) => set({ threshold })}
              {...(unit !== undefined && { unit })}
            />
            <NumberField
              label={t`Recovers at`}
              isOptional
              help={t`Defaults to the threshold.`}
              value={draft.clear}
              min={0}
              format={NUMBER_FORMAT}
              error={errors.clear}
              onValueChange={(clear) => set({ clear })}
              {...(unit !== undefined && { unit })}
            />
          </>
        )}
      </div>
    </>
  );
}

type FilterNoteProps = {
  draft: AlertDraft;
  keyNames: ReadonlyMap<string, KeyName>;
  onClear: () => void;
};

/** The usage that the alert watches: the filters that were set when the form opened. */
function FilterNote({ draft, keyNames, onClear }: FilterNoteProps) {
  const texts = listFilterTexts(draft.filters, (keyId) => keyNames.get(keyId)?.name);
  if (texts.length === 0) {
    return (
      <p className="text-ink-muted">
        <Trans>
          Covers all usage of the tenant. To narrow it, set filters in Usage and create the alert
          from there.
        </Trans>
      </p>
    );
  }
  return (
    <div className="flex flex-wrap items-center justify-between gap-2 rounded-control bg-sunken px-3 py-1">
      <p className="min-w-0 [overflow-wrap:anywhere]">
        <Trans>Only {texts.join("; ")}</Trans>
      </p>
      <Button onClick={onClear}>
        <Trans>Cover all usage</Trans>
      </Button>
    </div>
  );
}
