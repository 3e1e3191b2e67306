import { TextField } from "@turnpike/ui/text-field";

export type DateRange = { from: string | undefined; to: string | undefined };

export type DateRangeFieldsProps = {
  range: DateRange;
  labels: { from: string; to: string };
  /** Gets the day that changed; undefined for one that was cleared. */
  onChange: (part: Partial<DateRange>) => void;
};

/** Two days of a filter, each of which may be left out; neither can be beyond the other. */
export function DateRangeFields({ range: { from, to }, labels, onChange }: DateRangeFieldsProps) {
  return (
    <div className="grid grid-cols-2 gap-2 max-sm:w-full sm:w-80">
      <TextField
        label={labels.from}
        type="date"
        value={from ?? ""}
        max={to}
        onChange={(event) => onChange({ from: event.currentTarget.value || undefined })}
      />
      <TextField
        label={labels.to}
        type="date"
        value={to ?? ""}
        min={from}
        onChange={(event) => onChange({ to: event.currentTarget.value || undefined })}
      />
    </div>
  );
}
