import type { Column, Sort } from "./column.tsx";
import { Select } from "./select.tsx";

export type PhoneSortProps<Row> = {
  columns: readonly Column<Row>[];
  sort: Sort | undefined;
  onSortChange: (sort: string) => void;
};

/** The order of the cards on a phone, where there are no headers to press. */
export function PhoneSort<Row>({ columns, sort, onSortChange }: PhoneSortProps<Row>) {
  const choices = columns.flatMap(({ sortKey, header }) =>
    sortKey === undefined
      ? []
      : [
          { value: sortKey, label: `${header}, ascending` },
          { value: `-${sortKey}`, label: `${header}, descending` },
        ],
  );
  if (choices.length === 0) {
    return null;
  }
  const value =
    sort === undefined ? null : `${sort.direction === "descending" ? "-" : ""}${sort.key}`;
  return (
    <div className="border-line border-b px-4 py-2 md:hidden">
      <Select
        label="Sort by"
        placeholder="Sort by…"
        choices={choices}
        value={value}
        onValueChange={onSortChange}
      />
    </div>
  );
}
