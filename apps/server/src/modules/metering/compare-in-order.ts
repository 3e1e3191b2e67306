/** Orders numbers, and texts by their characters, as the database does by bytes: in one order, whoever writes. */
export function compareInOrder<Value extends string | number>(one: Value, other: Value): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
