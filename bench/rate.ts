import { isPriced, type PricedCard } from "@turnpike/domain/billing/catalog/billing-plan";
import { readRateCard } from "@turnpike/domain/billing/catalog/read-rate-card";
import type { LineOwner } from "@turnpike/domain/billing/rating/line";
import { closeStretch } from "@turnpike/domain/billing/rating/stretch";
import { findCurrency } from "@turnpike/domain/money/currency";
import { SCALE } from "@turnpike/domain/money/decimal";
import { createReader } from "@turnpike/domain/pricing/catalog-fault";
import type { Bench, BenchOptions, BenchResult } from "./rig/bench.ts";
import { median, medianRatio, round } from "./rig/statistics.ts";

type Rated = { lines: number; cents: number };
type Rate = (units: number) => Rated;

/** Cards between two looks at the clock. */
const BATCH = 2_000;
const FULL = { fromMs: Date.UTC(2026, 0, 1), toMs: Date.UTC(2026, 1, 1) };
const TIERS = [
  { upTo: 1_000, unitAmount: 0, flatAmount: 0 },
  { upTo: 100_000, unitAmount: 0.002, flatAmount: 0 },
  { upTo: null, unitAmount: 0.001_25, flatAmount: 5 },
] as const;
const LINE = { card: "calls", span: FULL, discount: 0, credited: 0, taxClass: "standard" };
const MINIMUM = 10;
const MAXIMUM = 500;

function readCard(): PricedCard {
  const faults: Parameters<typeof createReader>[0] = [];
  const card = readRateCard(
    {
      key: "calls",
      meter: "calls",
      interval: { month: 1 },
      timing: "arrears",
      price: {
        model: "graduated",
        tiers: TIERS.map(({ upTo, unitAmount, flatAmount }) => ({
          upTo: upTo === null ? null : String(upTo),
          unitAmount: String(unitAmount),
          flatAmount: String(flatAmount),
        })),
        minimum: String(MINIMUM),
        maximum: String(MAXIMUM),
      },
    },
    {
      place: 0,
      meters: new Map([["calls", { meterId: "calls", aggregation: "sum", valueMax: undefined }]]),
    },
    createReader(faults),
  );
  if (!isPriced(card) || faults.length > 0) {
    throw new Error("The card of the bench cannot be read.");
  }
  return card;
}

function createExact(): Rate {
  const currency = findCurrency("USD");
  if (currency === undefined) {
    throw new Error("USD is a currency.");
  }
  const card = readCard();
  const owner: LineOwner = {
    planId: "pro",
    isAddOn: false,
    runOrder: 0,
    planPlace: 0,
    cardPlace: 0,
    card: card.key,
  };
  return (units) => {
    const used = BigInt(units) * SCALE;
    const stretch = {
      ...FULL,
      card,
      owner,
      full: FULL,
      seats: SCALE,
      uses: [{ atMs: FULL.fromMs, quantity: used }],
      used,
      beyond: [],
    };
    const { lines } = closeStretch(stretch, FULL.toMs, currency);
    const cents = lines.reduce((sum, { amount }) => sum + amount, 0n);
    return { lines: lines.length, cents: Number(cents) };
  };
}

/** The same lines in floating point, with the cents that it gets wrong. */
function rateInFloats(units: number): Rated {
  const tiers: { upTo: number | null; quantity: number; amount: number }[] = [];
  let floor = 0;
  for (const [index, { upTo, unitAmount, flatAmount }] of TIERS.entries()) {
    if (index > 0 && units <= floor) {
      break;
    }
    const quantity = (upTo === null || units < upTo ? units : upTo) - floor;
    tiers.push({ upTo, quantity, amount: quantity * unitAmount + flatAmount });
    floor = upTo ?? units;
  }
  const exact = Math.min(
    MAXIMUM,
    tiers.reduce((sum, { amount }) => sum + amount, 0),
  );
  const amount = Math.round(exact * 100);
  const share = (FULL.toMs - FULL.fromMs) / (FULL.toMs - FULL.fromMs);
  const missing = Math.max(0, Math.round(MINIMUM * share * 100) - amount);
  const lines = [{ kind: "usage", quantity: units, amount, tiers, ...LINE }];
  if (missing > 0) {
    lines.push({ kind: "commitment", quantity: 1, amount: missing, tiers: [], ...LINE });
  }
  return { lines: lines.length, cents: lines.reduce((sum, line) => sum + line.amount, 0) };
}

/** Quantities in all tiers, the same for both, in a scattered order. */
function unitsOf(index: number): number {
  return (index * 7919) % 250_000;
}

/** Creates lines at full speed; the sum keeps the work from being optimised away. */
function measure(rate: Rate, seconds: number): number {
  const startedAtMs = performance.now();
  let cards = 0;
  let lines = 0;
  let sum = 0;
  let elapsedMs = 0;
  while (elapsedMs < seconds * 1_000) {
    for (let index = 0; index < BATCH; index += 1) {
      const rated = rate(unitsOf(cards + index));
      sum += rated.cents;
      lines += rated.lines;
    }
    cards += BATCH;
    elapsedMs = performance.now() - startedAtMs;
  }
  if (!(sum > 0)) {
    throw new Error("Nothing was rated.");
  }
  return lines / (elapsedMs / 1_000);
}

/** Both must come to the same cents, except where a float is not exact. */
function countDifferences(exact: Rate): number {
  return Array.from({ length: 250_000 }, (_, units) => units).filter(
    (units) => exact(units).cents !== rateInFloats(units).cents,
  ).length;
}

function run({ seconds, rounds, note }: BenchOptions): Promise<BenchResult> {
  const exact = createExact();
  note("comparing both");
  const different = countDifferences(exact);
  const speeds: { exact: number[]; floats: number[] } = { exact: [], floats: [] };
  for (let turn = 0; turn < rounds; turn += 1) {
    note(`round ${String(turn + 1)}`);
    const order = turn % 2 === 0 ? (["exact", "floats"] as const) : (["floats", "exact"] as const);
    for (const name of order) {
      const perSecond = measure(name === "exact" ? exact : rateInFloats, seconds);
      speeds[name].push(perSecond);
    }
  }
  const row = (arithmetic: string, values: readonly number[]) => ({
    arithmetic,
    "lines/s": Math.round(median(values)),
    "µs/line": round(1_000_000 / median(values)),
  });
  return Promise.resolve({
    table: [
      row("exact: bigint picos", speeds.exact),
      row("plain number, the same lines", speeds.floats),
    ],
    ratios: { plainNumber: round(medianRatio(speeds.exact, speeds.floats)) },
    figures: {
      exactLinesPerSecond: Math.round(median(speeds.exact)),
      plainNumberLinesPerSecond: Math.round(median(speeds.floats)),
      wrongInPlainNumber: different,
    },
    remarks: [
      "A metered card with three tiers, a minimum and a maximum is closed at the end of its month: a line for usage with its tiers, and one for the true-up where usage is below the minimum. Reading usage and writing lines are not part of it.",
      `Of 250,000 quantities, plain number gets ${String(different)} wrong by a cent.`,
    ],
  });
}

export const rateBench: Bench = {
  name: "rate",
  summary: "Lines rated per second, against the same arithmetic in plain number.",
  defaults: { seconds: 1, rounds: 6 },
  run,
};
