import { LANGUAGE } from "@turnpike/ui/language";

const LOCAL = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: "medium", timeStyle: "medium" });

/** Formats an instant to the second: in the reader's time, and in UTC as in logs. */
export function toExactTime(iso: string): { local: string; utc: string } {
  const instant = new Date(iso);
  return {
    local: LOCAL.format(instant),
    utc: `${instant.toISOString().slice(0, 19).replace("T", " ")} UTC`,
  };
}
