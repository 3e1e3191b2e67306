const LOCAL = new Intl.DateTimeFormat("en", {
  dateStyle: "medium",
  timeStyle: "medium",
});
const UTC = new Intl.DateTimeFormat("en", {
  dateStyle: "medium",
  timeStyle: "medium",
  timeZone: "UTC",
});

/** Writes an instant to the second, in the reader's time and in UTC. */
export function toExactTime(iso: string): { local: string; utc: string } {
  const instant = new Date(iso);
  return { local: LOCAL.format(instant), utc: `${UTC.format(instant)} UTC` };
}
