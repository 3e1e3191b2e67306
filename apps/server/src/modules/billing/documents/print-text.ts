const DAY = new Intl.DateTimeFormat("en", {
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

const COUNTRIES = new Intl.DisplayNames("en", { type: "region" });

/** Groups the digits of a decimal: `1234.5` gives `1,234.5`. */
export function groupDigits(decimal: string): string {
  const [whole = "", fraction] = decimal.split(".");
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

export function toDayText(instant: Date | number): string {
  return DAY.format(instant);
}

/** A range is half open, so its last day is the one before its end, unless it ends within a day. */
export function toRangeText(fromMs: number, toMs: number): string {
  const [first, last] = [toDayText(fromMs), toDayText(Math.max(fromMs, toMs - 1))];
  return first === last ? first : `${first} – ${last}`;
}

export function toCountryText(country: string): string {
  return COUNTRIES.of(country) ?? country;
}
