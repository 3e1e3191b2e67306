import { SlotBook } from "./slot-book.ts";

export type KeyPartRules<Row> = {
  /** True when two rows of one tenant differ in nothing but their key and what it did. */
  isSameButForKey(one: Row, other: Row): boolean;
  /** The same text for rows of one tenant that are the same but for their key. */
  nameOf(row: Row): string;
};

/** Rows that differ in nothing but their key and what it did, in the order in which they came; at least one. */
export type KeyPart<Row> = readonly [Row, ...Row[]];

/**
 * Most rows fill a page with their arrays when they are of the usual size: what is more goes out of its row, which is slower and no
 * harm.
 */
export const KEYS_IN_ONE_PART = 96;

/**
 * Puts rows together that stand as one in the database, with their keys in an array: of so many keys each its own row would cost
 * more than what is in it.
 */
export class KeyParts<Row extends { tenantId: string }> {
  readonly #book: SlotBook<Row, { first: Row; rows: Row[] }>;

  constructor({ isSameButForKey, nameOf }: KeyPartRules<Row>) {
    this.#book = new SlotBook({
      ownerOf: (row) => row.tenantId,
      isOf: ({ first }, row) => isSameButForKey(first, row),
      nameOf: (of) => nameOf("first" in of ? of.first : of),
      start: (first) => ({ first, rows: [] }),
    });
  }

  add(row: Row): void {
    this.#book.find(row).rows.push(row);
  }

  /** What was added, in parts of a bounded number of keys. */
  *parts(): Iterable<KeyPart<Row>> {
    for (const { rows } of this.#book.sums) {
      for (let start = 0; start < rows.length; start += KEYS_IN_ONE_PART) {
        const [first, ...others] = rows.slice(start, start + KEYS_IN_ONE_PART);
        if (first !== undefined) {
          yield [first, ...others];
        }
      }
    }
  }
}
