import { SumRegistry } from "./sum-registry.ts";

export type PackingRules<Row> = {
  /** True when two rows of one tenant differ only in their key and its numbers. */
  isSameButForKey(one: Row, other: Row): boolean;
  /** The same text for rows of one tenant that differ only in their key. */
  nameOf(row: Row): string;
};

/** Rows that differ only in their key and its numbers, in the order in which they came. The database stores them as one row. */
export type PackedRow<Row> = readonly [Row, ...Row[]];

/**
 * With keys of the usual size, the arrays of this many keys about fill a page of the database. A larger row is stored out of
 * line, which is slower but does no harm.
 */
export const KEYS_IN_ONE_ROW = 96;

/**
 * Packs rows that differ only in their key into one row with an array of keys. A row for each of many keys would cost more than
 * what it holds.
 */
export class RowPacker<Row extends { tenantId: string }> {
  readonly #registry: SumRegistry<Row, { first: Row; rows: Row[] }>;

  constructor({ isSameButForKey, nameOf }: PackingRules<Row>) {
    this.#registry = new SumRegistry({
      ownerOf: (row) => row.tenantId,
      isOf: ({ first }, row) => isSameButForKey(first, row),
      nameOf: (of) => nameOf("first" in of ? of.first : of),
      start: (first) => ({ first, rows: [] }),
    });
  }

  add(row: Row): void {
    this.#registry.find(row).rows.push(row);
  }

  /** Everything that was added, at most {@link KEYS_IN_ONE_ROW} keys a row. */
  *packed(): Iterable<PackedRow<Row>> {
    for (const { rows } of this.#registry.sums) {
      for (let start = 0; start < rows.length; start += KEYS_IN_ONE_ROW) {
        const [first, ...others] = rows.slice(start, start + KEYS_IN_ONE_ROW);
        if (first !== undefined) {
          yield [first, ...others];
        }
      }
    }
  }
}
