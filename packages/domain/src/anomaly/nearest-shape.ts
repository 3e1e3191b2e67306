import { makeRoom, REMEMBERED } from "./recent-points.ts";

/** Points of a shape. */
export const SHAPE_POINTS = 64;
/** What rounding leaves of a difference of equal shapes, relative to their size. */
const ROUNDING = 1e-9;

/**
 * A left matrix profile that grows by a point at a time: the distance of the newest shape to the nearest earlier one that does
 * not overlap it. `products[j]` is the scalar product of the newest shape and the one that ends at `j`, `energies[j]` the
 * sum of squares of that one.
 */
export type NearestShape = { products: Float64Array; energies: Float64Array };

export function createNearestShape(room: number): NearestShape {
  return { products: new Float64Array(room), energies: new Float64Array(room) };
}

function productOf(values: Float64Array, one: number, other: number): number {
  let sum = 0;
  for (let back = 0; back < SHAPE_POINTS; back += 1) {
    sum += (values[one - back] ?? 0) * (values[other - back] ?? 0);
  }
  return sum;
}

/**
 * Takes the newest value, at `last`, into account: each product follows from that of the shapes one point earlier.
 *
 * @param forgotten - By how much the indexes have fallen since the last call.
 * @returns The Euclidean distance; nothing while there is no earlier shape.
 */
export function measureNearest(
  state: NearestShape,
  values: Float64Array,
  { last, forgotten }: { last: number; forgotten: number },
): number | undefined {
  if (forgotten > 0 || last >= state.products.length) {
    state.products = makeRoom(state.products, last + forgotten);
    state.energies = makeRoom(state.energies, last + forgotten);
  }
  const { products, energies } = state;
  const first = SHAPE_POINTS - 1;
  if (last < first) {
    return undefined;
  }
  const energy = productOf(values, last, last);
  energies[last] = energy;
  const newest = last - SHAPE_POINTS;
  const oldest = Math.max(first, last - REMEMBERED);
  if (newest < oldest) {
    return undefined;
  }
  const incoming = values[last] ?? 0;
  const outgoing = values[newest] ?? 0;
  let nearest = Number.POSITIVE_INFINITY;
  let nearestSize = 0;
  // Downwards, as each product takes the place of the one that the next needs.
  for (let end = newest; end >= oldest; end -= 1) {
    const product =
      end === oldest
        ? productOf(values, last, end)
        : (products[end - 1] ?? 0) +
          incoming * (values[end] ?? 0) -
          outgoing * (values[end - SHAPE_POINTS] ?? 0);
    products[end] = product;
    const size = energy + (energies[end] ?? 0);
    const distance = size - 2 * product;
    if (distance < nearest) {
      nearest = distance;
      nearestSize = size;
    }
  }
  return nearest > ROUNDING * nearestSize ? Math.sqrt(nearest) : 0;
}
