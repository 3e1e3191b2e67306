import type { DraftsRow } from "@turnpike/contract/plan-drafts-preview";
import { fromScaled, toScaled } from "@turnpike/domain/money/decimal";

/** Of those who would pay more, and of those who would pay less, so many are listed. */
export const LISTED_MAX = 10;

export type DraftsSubscriber = Extract<DraftsRow, { kind: "subscriber" }>;
/** A subscriber whose amounts are known. */
export type Priced = DraftsSubscriber & {
  currency: string;
  before: string;
  after: string;
  difference: string;
};

type Sum = {
  more: number;
  less: number;
  same: number;
  /** Scaled by 10^12. */
  before: bigint;
  after: bigint;
  /** The most first. */
  losers: Priced[];
  winners: Priced[];
};

/** What all drafts together would change, as far as it is read. */
export type DraftsReport = {
  subscribers: number;
  unbilled: number;
  refused: number;
  faults: { planName: string; fault: string }[];
  sums: Map<string, Sum>;
};

export function createReport(): DraftsReport {
  return { subscribers: 0, unbilled: 0, refused: 0, faults: [], sums: new Map() };
}

function isPriced(row: DraftsSubscriber): row is Priced {
  return row.difference !== null && row.after !== null;
}

/** Keeps the few rows that differ most. */
function keep(rows: readonly Priced[], row: Priced): Priced[] {
  const size = (each: Priced) => {
    const scaled = toScaled(each.difference);
    return scaled < 0n ? -scaled : scaled;
  };
  return [...rows, row].toSorted((a, b) => (size(b) > size(a) ? 1 : -1)).slice(0, LISTED_MAX);
}

function addPriced(sums: DraftsReport["sums"], row: Priced): void {
  const none = { more: 0, less: 0, same: 0, before: 0n, after: 0n, losers: [], winners: [] };
  const sum = sums.get(row.currency) ?? none;
  const difference = toScaled(row.difference);
  sums.set(row.currency, {
    more: sum.more + (difference > 0n ? 1 : 0),
    less: sum.less + (difference < 0n ? 1 : 0),
    same: sum.same + (difference === 0n ? 1 : 0),
    before: sum.before + toScaled(row.before),
    after: sum.after + toScaled(row.after),
    losers: difference > 0n ? keep(sum.losers, row) : sum.losers,
    winners: difference < 0n ? keep(sum.winners, row) : sum.winners,
  });
}

/** Adds a row; those of an answer that goes on where another broke off are added to the same report. */
export function addRow(report: DraftsReport, row: DraftsRow): void {
  if (row.kind === "fault") {
    report.faults.push({ planName: row.planName, fault: row.fault });
    return;
  }
  report.subscribers += 1;
  if (isPriced(row)) {
    addPriced(report.sums, row);
  } else if (row.fault === null) {
    report.unbilled += 1;
  } else {
    report.refused += 1;
  }
}

/** The sums of one currency as decimals, in the words of a migration's preview. */
export function listTotals({ sums }: DraftsReport) {
  return [...sums].map(([currency, { before, after, ...rest }]) => ({
    currency,
    ...rest,
    before: fromScaled(before),
    after: fromScaled(after),
    difference: fromScaled(after - before),
  }));
}
