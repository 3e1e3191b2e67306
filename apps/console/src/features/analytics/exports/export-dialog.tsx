import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ExportFormat } from "@turnpike/contract/exports";
import { Button } from "@turnpike/ui/button";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { FormField } from "@turnpike/ui/form-field";
import { RadioList } from "@turnpike/ui/radio-list";
import { Select } from "@turnpike/ui/select";
import { TextField } from "@turnpike/ui/text-field";
import { useUnsaved } from "@turnpike/ui/unsaved";
import Download from "lucide-react/icons/download";
import { useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import type { AnalyticsScope } from "../analytics.queries.ts";
import { countFilters, toPresetLabel } from "../analytics-search.view-model.ts";
import {
  EXPORT_SUBJECTS,
  type ExportSubject,
  toExportQuestion,
} from "./export-question.view-model.ts";

export type ExportButtonProps = {
  scope: AnalyticsScope;
  /** Opens the list that shows its progress. */
  onBegun: () => void;
};

/** Exports the current view to a file, in the background. */
export function ExportButton(props: ExportButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>
        <Download className="size-4 text-ink-faint" aria-hidden="true" />
        <Trans>Export</Trans>
      </Button>
      <Dialog
        isOpen={isOpen}
        onClose={close}
        title={t`Export usage`}
        description={t`A file with every row, written in the background and kept for a week.`}
      >
        <ExportForm {...props} onClose={close} />
      </Dialog>
    </>
  );
}

const FORMATS = [
  { value: "csv", label: "CSV", note: t`For spreadsheets` },
  { value: "json", label: "JSON", note: t`For programs` },
] as const satisfies readonly { value: ExportFormat; label: string; note: string }[];

function labelOf(subject: ExportSubject): string {
  return EXPORT_SUBJECTS.find(({ value }) => value === subject)?.label ?? subject;
}

function ExportForm({ scope, onBegun, onClose }: ExportButtonProps & { onClose: () => void }) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const [subject, setSubject] = useState<ExportSubject>("outcomes-over-time");
  const [format, setFormat] = useState<ExportFormat>("csv");
  const [typedName, setTypedName] = useState<string>();
  useUnsaved(typedName !== undefined);
  const name = typedName ?? labelOf(subject);
  const { tenantId, view, timeZone } = scope;
  const create = useMutation({
    mutationKey: ["exports", "create"],
    mutationFn: () =>
      api.exports.create({
        tenantId,
        name,
        format,
        question: toExportQuestion(subject, scope, Date.now()),
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["exports", tenantId] });
      toast.success(t`The export has started.`);
      onClose();
      onBegun();
    },
  });
  const submit = useSubmitOnce(create.mutateAsync, "failed");
  const filters = countFilters(view);
  const preset = toPresetLabel(view);
  const facts = [
    preset === undefined ? t`The chosen range` : t`The last ${preset}`,
    filters === 0
      ? t`no filters`
      : t`${String(filters)} filter${plural(filters, { one: "", other: "s" })}`,
    timeZone,
  ];
  return (
    <DialogForm
      onSubmit={() => submit()}
      onCancel={onClose}
      action={t`Export usage`}
      progress={create.isPending ? t`Starting…` : undefined}
      isDisabled={name.trim() === ""}
    >
      <FormField label={t`What`}>
        {(control) => (
          <Select<ExportSubject>
            {...control}
            label={t`What`}
            value={subject}
            onValueChange={setSubject}
            choices={EXPORT_SUBJECTS.map(({ value, label }) => ({ value, label }))}
          />
        )}
      </FormField>
      <RadioList
        label={t`Format`}
        choices={FORMATS}
        value={format}
        onValueChange={setFormat}
        isInColumns
      />
      <TextField
        label={t`Name`}
        value={name}
        maxLength={100}
        autoComplete="off"
        error={name.trim() === "" ? t`Enter a name.` : undefined}
        onChange={(event) => setTypedName(event.currentTarget.value)}
      />
      <p className="text-ink-muted">
        <Trans>{facts.join(" · ")}, as in the current view.</Trans>
      </p>
      {create.isError && (
        <FailureNotice what={t`The export could not be started.`} cause={create.error} />
      )}
    </DialogForm>
  );
}
