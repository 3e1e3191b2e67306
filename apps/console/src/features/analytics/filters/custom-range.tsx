import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { createZone } from "@turnpike/ui/charts/zone.view-model";
import { joinClasses } from "@turnpike/ui/join-classes";
import { Popover } from "@turnpike/ui/popover";
import { TextField } from "@turnpike/ui/text-field";
import CalendarRange from "lucide-react/icons/calendar-range";
import { type SubmitEvent, useState } from "react";

export type CustomRangeProps = {
  /** The current range in epoch milliseconds, which the form starts with. */
  fromMs: number;
  toMs: number;
  timeZone: string;
  /** The button's label: the chosen range, or an invitation to choose one. */
  label: string;
  isChosen: boolean;
  onChoose: (fromMs: number, toMs: number) => void;
};

/** A range by its two ends, in local time of the zone. */
export function CustomRange(props: CustomRangeProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Popover
      title={t`Custom range`}
      align="start"
      isOpen={isOpen}
      onOpenChange={setIsOpen}
      trigger={
        <Button aria-pressed={props.isChosen} className="max-w-full aria-pressed:bg-selected">
          <CalendarRange className="size-4 text-ink-faint" aria-hidden="true" />
          <span className={joinClasses("truncate", !props.isChosen && "max-md:sr-only")}>
            {props.label}
          </span>
        </Button>
      }
    >
      <RangeForm
        {...props}
        onChoose={(fromMs, toMs) => {
          setIsOpen(false);
          props.onChoose(fromMs, toMs);
        }}
      />
    </Popover>
  );
}

function RangeForm({ fromMs, toMs, timeZone, onChoose }: CustomRangeProps) {
  const zone = createZone(timeZone);
  const [error, setError] = useState<string>();

  function submit(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const read = (name: string) => zone.toInstant(Date.parse(`${String(form.get(name))}Z`));
    const [chosenFromMs, chosenToMs] = [read("from"), read("to")];
    if (chosenFromMs < chosenToMs) {
      onChoose(chosenFromMs, chosenToMs);
    } else {
      setError(t`Enter a start, and an end after it.`);
    }
  }

  const write = (ms: number) => new Date(zone.toLocal(ms)).toISOString().slice(0, 16);
  return (
    <form onSubmit={submit} noValidate className="space-y-3">
      <TextField
        label={t`From`}
        name="from"
        type="datetime-local"
        defaultValue={write(fromMs)}
        error={error}
      />
      <TextField
        label={t`To`}
        name="to"
        type="datetime-local"
        defaultValue={write(toMs)}
        help={t`In the time zone ${timeZone}; the end is not included.`}
      />
      <Button type="submit" look="primary" className="w-full">
        <Trans>Apply range</Trans>
      </Button>
    </form>
  );
}
