const LOCAL = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" });

/** Writes an instant to the second: in the reader's time, and in UTC as logs have it. */
export function toExactTime(iso: string): { local: string; utc: string } {
  const instant = new Date(iso);
  return {
    local: LOCAL.format(instant),
    utc: `${instant.toISOString().slice(0, 19).replace("T", " ")} UTC`,
  };
}
