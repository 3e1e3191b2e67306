/** A part and its share of a change; `weight` is its share of the whole before. */
export type Suspect = { name: string; share: number; weight: number };
export type Cause<Dimension extends string> = Suspect & { dimension: Dimension };

/** Below, no part stands out: the change is everywhere. */
const SHARE_MIN = 0.5;
const EXCESS_MIN = 0.2;

/**
 * Chooses the part that explains a change: of all dimensions the one whose share of the change exceeds most its share of the
 * whole. A key with nine tenths of the calls that makes nine tenths of the rise explains nothing.
 *
 * @returns Nothing when no part makes half of the change and a fifth more than its weight; of equals, that of the dimension
 *   named first.
 */
export function chooseCause<Dimension extends string>(
  suspects: readonly { dimension: Dimension; parts: readonly Suspect[] }[],
): Cause<Dimension> | undefined {
  let best: Cause<Dimension> | undefined;
  for (const { dimension, parts } of suspects) {
    for (const part of parts) {
      const excess = part.share - part.weight;
      const isBetter = best === undefined || excess > best.share - best.weight + Number.EPSILON;
      if (part.share >= SHARE_MIN && excess >= EXCESS_MIN && isBetter) {
        best = { ...part, dimension };
      }
    }
  }
  return best;
}
