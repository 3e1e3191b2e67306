import { t } from "@lingui/core/macro";
import { Button } from "@turnpike/ui/button";
import { Combobox } from "@turnpike/ui/combobox";
import Globe from "lucide-react/icons/globe";
import { readOwnTimeZone } from "#platform/chart-formats.ts";

export type TimeZoneChoiceProps = {
  timeZone: string;
  /** Undefined for the reader's own. */
  onChange: (timeZone: string | undefined) => void;
};

/** The time zone in which days begin. */
export function TimeZoneChoice({ timeZone, onChange }: TimeZoneChoiceProps) {
  const own = readOwnTimeZone();
  const names = [...new Set([own, "UTC", timeZone, ...Intl.supportedValuesOf("timeZone")])];
  return (
    <Combobox
      label={t`Time zone`}
      searchLabel={t`Search time zones`}
      value={timeZone}
      choices={names.map((name) => ({
        value: name,
        label: name,
        ...(name === own ? { note: t`Your time zone` } : {}),
      }))}
      onValueChange={(name) => onChange(name === own ? undefined : name)}
      trigger={
        <Button aria-label={t`Time zone: ${timeZone}`}>
          <Globe className="size-4 text-ink-faint" aria-hidden="true" />
          {timeZone}
        </Button>
      }
    />
  );
}
