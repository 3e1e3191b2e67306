/** Compares numbers, and texts by their characters, in the same order as the database's `collate "C"`. */
export function compareInOrder<Value extends string | number>(one: Value, other: Value): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
