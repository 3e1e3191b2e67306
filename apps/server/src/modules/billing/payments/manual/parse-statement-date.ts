/** How a column writes days whose year does not come first. */
export type DateOrder = "dmy" | "mdy";

const PARTS = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{2})/;

/** Which part of a column's dates is the day: the one that is more than 12 in some row. In doubt it comes first. */
export function findDateOrder(texts: readonly string[]): DateOrder {
  const isMonthFirst = texts.some((text) => Number(PARTS.exec(text.trim())?.[2] ?? 0) > 12);
  return isMonthFirst ? "mdy" : "dmy";
}

function toDay(year: string, month: string, day: string): string | undefined {
  const text = `${year.length === 2 ? `20${year}` : year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const date = new Date(`${text}T00:00:00Z`);
  // 31 February is a date to some, and the 3rd of March to others.
  return Number.isNaN(date.getTime()) || !date.toISOString().startsWith(text) ? undefined : text;
}

/** Reads a day: `2026-11-26`, `20261126`, `26.11.2026`, `26/11/26`. @returns `undefined` for what is no day. */
export function parseStatementDate(text: string, order: DateOrder): string | undefined {
  const trimmed = text.trim();
  const iso = /^(\d{4})[-/.]?(\d{2})[-/.]?(\d{2})(?!\d)/.exec(trimmed);
  if (iso !== null) {
    return toDay(iso[1] ?? "", iso[2] ?? "", iso[3] ?? "");
  }
  const [, first = "", second = "", year = ""] = PARTS.exec(trimmed) ?? [];
  return order === "dmy" ? toDay(year, second, first) : toDay(year, first, second);
}
