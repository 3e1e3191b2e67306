import type { LINE_PARTS } from "@turnpike/contract/invoices";
import type { RunningTotal } from "@turnpike/domain/billing/rating/running-total";
import { toScaled } from "@turnpike/domain/money/decimal";
import type { UnitsRow } from "./line-usage.store.ts";

export type PartBy = (typeof LINE_PARTS)[number];

/** A part of a line. `quantity` is scaled, `amount` is in minor units. */
export type Part = { name: string | null; quantity: bigint; amount: bigint };

function nameOf({ day, keyId, place }: UnitsRow, by: PartBy): string | null {
  switch (by) {
    case "day":
      return day;
    case "key":
      // Usage without a key has an empty one.
      return keyId === "" ? null : keyId;
    case "route":
    case "model":
      return place;
  }
}

/** Days in their order, what else there is by its size; parts without a name come last. */
function compareParts(by: PartBy) {
  return (a: Part, b: Part): number => {
    if (a.name === null || b.name === null) {
      return Number(a.name === null) - Number(b.name === null);
    }
    if (by !== "day" && a.quantity !== b.quantity) {
      return a.quantity > b.quantity ? -1 : 1;
    }
    return a.name < b.name ? -1 : 1;
  };
}

/**
 * Sums units to parts. Units that are not there, because they are no longer kept, are a part without a name, so that all parts sum to
 * the line.
 *
 * @param rows - Units of the line with where they are in it.
 * @param input.all - The units of the whole line, when all of them are asked for.
 */
export async function sumParts(
  rows: AsyncIterable<readonly UnitsRow[]>,
  { by, total, all }: { by: PartBy; total: RunningTotal; all: bigint | undefined },
): Promise<Part[]> {
  const parts = new Map<string | null, Part>();
  const add = (name: string | null, fromUnits: bigint, toUnits: bigint) => {
    const part = parts.get(name) ?? { name, quantity: 0n, amount: 0n };
    part.quantity += toUnits - fromUnits;
    part.amount += total(toUnits) - total(fromUnits);
    parts.set(name, part);
  };
  let reached = 0n;
  for await (const batch of rows) {
    for (const row of batch) {
      const upto = toScaled(row.upto);
      add(nameOf(row, by), upto - toScaled(row.quantity), upto);
      reached = upto;
    }
  }
  if (all !== undefined && reached < all) {
    add(null, reached, all);
  }
  return [...parts.values()].sort(compareParts(by));
}
