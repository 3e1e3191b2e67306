import { plural } from "@lingui/core/macro";
import { SelectField } from "@turnpike/ui/select";
import { TextField } from "@turnpike/ui/text-field";
import type { LengthDraft } from "./card-draft.view-model.ts";

export type LengthFieldProps<Unit extends string> = {
  /** "Every", "Lasts". */
  label: string;
  /** What the unit is of, for screen readers: "Unit of the interval". */
  unitLabel: string;
  /** Its place in the plan, as a JSON pointer. */
  pointer: string;
  units: readonly Unit[];
  value: LengthDraft<Unit>;
  error: string | undefined;
  onChange: (value: LengthDraft<Unit>) => void;
};

/** A length of time: a whole number and a unit of the calendar. */
export function LengthField<Unit extends string>(props: LengthFieldProps<Unit>) {
  const { value, onChange } = props;
  return (
    <div className="grid min-w-0 grid-cols-[minmax(4rem,2fr)_3fr] gap-2">
      <TextField
        label={props.label}
        name={props.pointer}
        inputMode="numeric"
        autoComplete="off"
        maxLength={6}
        value={value.count}
        error={props.error}
        onChange={(event) => onChange({ ...value, count: event.currentTarget.value })}
      />
      <SelectField<Unit>
        label={props.unitLabel}
        value={value.unit}
        choices={props.units.map((unit) => ({ value: unit, label: nameUnit(unit, value.count) }))}
        onValueChange={(unit) => onChange({ ...value, unit })}
      />
    </div>
  );
}

/** "month" for 1, "months" for more; units come as "month" or as "months". */
function nameUnit(unit: string, count: string): string {
  return UNIT_NAMES[unit.replace(/s$/, "")]?.(count.trim() === "1" ? 1 : 2) ?? unit;
}

const UNIT_NAMES: Readonly<Record<string, (count: number) => string>> = {
  day: (count) => plural(count, { one: "day", other: "days" }),
  week: (count) => plural(count, { one: "week", other: "weeks" }),
  month: (count) => plural(count, { one: "month", other: "months" }),
  quarter: (count) => plural(count, { one: "quarter", other: "quarters" }),
  year: (count) => plural(count, { one: "year", other: "years" }),
};
