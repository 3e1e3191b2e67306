import type { Line, LineKind } from "./line.ts";

/** What a limit kept out follows the usage of its card, so both have one rank. */
const RANKS: Readonly<Record<LineKind, number>> = {
  base: 0,
  proration: 1,
  addOn: 2,
  usage: 3,
  beyondCap: 3,
  late: 4,
  commitment: 5,
  adjustment: 6,
  topUp: 6,
  discount: 7,
  promotional: 8,
};

function toKeys(line: Line): number[] {
  const { kind, owner, span } = line;
  const isPhase = owner !== undefined && owner.cardPlace === undefined;
  const isAddOn = owner?.isAddOn === true;
  return [
    RANKS[kind],
    isPhase ? 1 : 0,
    span?.fromMs ?? 0,
    isAddOn ? 1 : 0,
    // Add-ons follow the catalogue; plans follow each other in time.
    isAddOn ? owner.planPlace : (owner?.runOrder ?? 0),
    owner?.runOrder ?? 0,
    owner?.cardPlace ?? 0,
    kind === "beyondCap" ? 1 : 0,
  ];
}

function compareKeys(a: readonly number[], b: readonly number[]): number {
  for (const [index, key] of a.entries()) {
    const difference = key - (b[index] ?? 0);
    if (difference !== 0) {
      return difference;
    }
  }
  return 0;
}

/** Orders the lines of an invoice: by kind, by start, the plan before its add-ons, then as in the catalogue. */
export function orderLines(lines: readonly Line[]): Line[] {
  return lines
    .map((line) => ({ line, keys: toKeys(line) }))
    .sort((a, b) => compareKeys(a.keys, b.keys))
    .map(({ line }) => line);
}
