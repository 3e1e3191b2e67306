/**
 * Puts tables in an order in which each comes after those that it refers to.
 *
 * @param references - The first one refers to the second one. Tables that are not among `tables` do not matter.
 * @returns `tables`, by name where their order does not matter.
 * @throws {TypeError} when references go in a circle.
 */
export function orderTables(
  tables: readonly string[],
  references: readonly { from: string; to: string }[],
): string[] {
  const left = new Set([...tables].sort());
  const ordered: string[] = [];
  while (left.size > 0) {
    const free = [...left].filter(
      (table) => !references.some(({ from, to }) => from === table && left.has(to)),
    );
    if (free.length === 0) {
      throw new TypeError(`Tables refer to each other in a circle: ${[...left].join(", ")}.`);
    }
    for (const table of free) {
      left.delete(table);
      ordered.push(table);
    }
  }
  return ordered;
}
