/** A place on a drawing, in pixels from its top left corner. */
export type Place = { x: number; y: number };

/** Straight from place to place, as the `d` of a path. */
export function toLinePath(places: readonly Place[]): string {
  return places.length === 0 ? "" : `M${places.map(toText).join("L")}`;
}

/** The surface between an upper edge and a lower one, both in order from left to right. */
export function toAreaPath(upper: readonly Place[], lower: readonly Place[]): string {
  return upper.length === 0 ? "" : `${toLinePath([...upper, ...lower.toReversed()])}Z`;
}

function toText({ x, y }: Place): string {
  return `${round(x)},${round(y)}`;
}

/** Finer than any screen. */
function round(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}
