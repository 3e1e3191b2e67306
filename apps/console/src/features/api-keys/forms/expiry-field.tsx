import { t } from "@lingui/core/macro";
import { SelectField } from "@turnpike/ui/select";
import { TextField } from "@turnpike/ui/text-field";
import { formatInstant } from "#platform/format.ts";
import { EXPIRY_PRESETS, type Expiry, type KeyDraft } from "./key-draft.view-model.ts";

/** The chosen expiry of a key. */
export type ExpiryDraft = Pick<KeyDraft, "expiry" | "customExpiry">;

export type ExpiryFieldProps = {
  draft: ExpiryDraft;
  /** The expiry of an existing key, ISO 8601; null for never. */
  current: string | null;
  nowMs: number;
  timeZone: string;
  error?: string | undefined;
  onChange: (part: Pick<KeyDraft, "expiry"> | Pick<KeyDraft, "customExpiry">) => void;
};

/** The field for a key's expiry. */
export function ExpiryField(props: ExpiryFieldProps) {
  const { draft, current, nowMs, timeZone, error, onChange } = props;
  const isCustom = draft.expiry === "custom";
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <SelectField<Expiry>
        label={t`Expires`}
        value={draft.expiry}
        onValueChange={(expiry) => onChange({ expiry })}
        error={isCustom ? undefined : error}
        choices={[
          ...(current === null
            ? []
            : [{ value: "keep" as const, label: t`Unchanged: ${formatInstant(current)}` }]),
          { value: "never", label: t`Never` },
          ...EXPIRY_PRESETS.map(({ value, label, afterMs }) => ({
            value,
            label,
            note: formatInstant(new Date(nowMs + afterMs).toISOString()),
          })),
          { value: "custom", label: t`Custom date…` },
        ]}
      />
      {isCustom && (
        <TextField
          label={t`Expires on`}
          type="datetime-local"
          value={draft.customExpiry}
          help={t`In the time zone ${timeZone}.`}
          error={error}
          onChange={(event) => onChange({ customExpiry: event.currentTarget.value })}
        />
      )}
    </div>
  );
}
