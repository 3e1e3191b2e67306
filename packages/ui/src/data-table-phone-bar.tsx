import { t } from "@lingui/core/macro";
import type { ReactNode } from "react";
import type { Column, Sort } from "./column.tsx";
import { Select } from "./select.tsx";

export type PhoneBarProps<Row> = {
  columns: readonly Column<Row>[];
  sort: Sort | undefined;
  onSortChange: ((sort: string) => void) | undefined;
  /** The box that chooses all; false where nothing can be chosen. */
  selectAll: ReactNode;
};

/** What the headers do, for a phone, where cards have none. */
export function PhoneBar<Row>({ columns, sort, onSortChange, selectAll }: PhoneBarProps<Row>) {
  const choices = columns.flatMap(({ sortKey, header }) =>
    sortKey === undefined
      ? []
      : [
          { value: sortKey, label: t`${header}, ascending` },
          { value: `-${sortKey}`, label: t`${header}, descending` },
        ],
  );
  const canSort = onSortChange !== undefined && choices.length > 0;
  if (!canSort && selectAll === false) {
    return null;
  }
  return (
    <div className="flex items-center gap-1 border-line border-b px-4 py-2 md:hidden">
      {selectAll !== false && <div className="-ml-3 shrink-0">{selectAll}</div>}
      {canSort && (
        <Select
          label={t`Sort by`}
          placeholder={t`Sort by…`}
          choices={choices}
          value={
            sort === undefined ? null : `${sort.direction === "descending" ? "-" : ""}${sort.key}`
          }
          onValueChange={onSortChange}
        />
      )}
    </div>
  );
}
