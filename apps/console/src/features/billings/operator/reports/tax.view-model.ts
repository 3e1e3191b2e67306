import { t } from "@lingui/core/macro";
import { LANGUAGE } from "@turnpike/ui/language";
import type { TaxCell, TaxReport } from "./reports.queries.ts";
import { formatMonth } from "./revenue.view-model.ts";

export const SCHEME_LABELS: Readonly<Record<TaxCell["scheme"], string>> = {
  domestic: t`Home country`,
  oss: t`One Stop Shop (OSS)`,
  reverse_charge: t`Reverse charge`,
  exempt: t`Exempt`,
  outside: t`Outside the scope`,
  untaxed: t`No tax configured`,
};

const COUNTRIES = new Intl.DisplayNames(LANGUAGE, { type: "region", fallback: "code" });

/** The name of a country; "not given" for `ZZ`. */
export function nameCountry(country: string): string {
  return country === "ZZ" ? t`Not given` : (COUNTRIES.of(country) ?? country);
}

/** Identifies a row of the report in an address. */
export function cellKeyOf({ currency, sellerCountry, country, category, rate, name }: TaxCell) {
  // Names of taxes may have any character.
  const safe = encodeURIComponent(name ?? "").slice(0, 60);
  return [currency, sellerCountry, country, category, rate, safe].join(" ").trimEnd();
}

/** Writes a period: "2026", "Q4 2026", "November 2026". */
export function formatPeriod(period: string): string {
  const [year = "", part] = period.split("-");
  if (part === undefined) {
    return t`Year ${year}`;
  }
  return part.startsWith("Q") ? `${part} ${year}` : formatMonth(period, "long");
}

/** The quarter that an instant is in. */
export function quarterOf(instantMs: number): string {
  const date = new Date(instantMs);
  return `${String(date.getUTCFullYear())}-Q${String(Math.floor(date.getUTCMonth() / 3) + 1)}`;
}

const MONTHS_A_YEAR = 12;
/** So many months back are listed one by one. */
const MONTHS_LISTED = 24;

/**
 * Periods to choose from, the newest first: years, quarters and months since the first invoice.
 *
 * @param firstMs - Undefined when there is no invoice: the running periods alone.
 */
export function listPeriods(nowMs: number, firstMs: number | undefined): string[] {
  const now = new Date(nowMs);
  const first = new Date(firstMs ?? nowMs);
  const toIndex = (date: Date) => date.getUTCFullYear() * MONTHS_A_YEAR + date.getUTCMonth();
  const [from, to] = [Math.min(toIndex(first), toIndex(now)), toIndex(now)];
  const years: string[] = [];
  const quarters: string[] = [];
  const months: string[] = [];
  for (let index = to; index >= from; index -= 1) {
    const year = String(Math.floor(index / MONTHS_A_YEAR));
    const month = index % MONTHS_A_YEAR;
    const quarter = `${year}-Q${String(Math.floor(month / 3) + 1)}`;
    if (years.at(-1) !== year) {
      years.push(year);
    }
    if (quarters.at(-1) !== quarter) {
      quarters.push(quarter);
    }
    if (months.length < MONTHS_LISTED) {
      months.push(`${year}-${String(month + 1).padStart(2, "0")}`);
    }
  }
  return [...quarters, ...months, ...years];
}

/** Rows of one currency, by rule and then by country. */
export function groupCells({ cells, totals }: TaxReport) {
  return totals.map((total) => ({
    total,
    cells: cells.filter(({ currency }) => currency === total.currency),
  }));
}
