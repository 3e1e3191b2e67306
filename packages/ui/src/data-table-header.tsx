import { Trans } from "@lingui/react/macro";
import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import type { ReactNode } from "react";
import { type Column, type Sort, toNextSort } from "./column.tsx";
import { type LeavingColumns, toLeavingClass } from "./data-table-room.tsx";
import { joinClasses } from "./join-classes.tsx";
import { VisuallyHidden } from "./visually-hidden.tsx";

export type DataTableHeaderProps<Row> = {
  columns: readonly Column<Row>[];
  leaving: LeavingColumns;
  sort: Sort | undefined;
  onSortChange: ((sort: string) => void) | undefined;
  selectAll: ReactNode;
  hasActions: boolean;
};

/** The headers: those that sort are buttons, and `aria-sort` says which one does. */
export function DataTableHeader<Row>(props: DataTableHeaderProps<Row>) {
  return (
    <thead className="max-md:hidden">
      <tr className="border-line border-b">
        {props.selectAll !== false && (
          <th scope="col" className="w-10 pl-2 font-normal">
            {props.selectAll}
          </th>
        )}
        {props.columns.map((column) => {
          const isSorted = column.sortKey !== undefined && props.sort?.key === column.sortKey;
          return (
            <th
              key={column.id}
              scope="col"
              {...(isSorted && { "aria-sort": props.sort?.direction })}
              className={joinClasses(
                "h-10 px-3 font-medium text-ink-muted text-xs whitespace-nowrap first:pl-4 last:pr-4",
                column.align === "end" && "text-right",
                toLeavingClass(props.leaving, column.id),
              )}
            >
              {column.sortKey === undefined || props.onSortChange === undefined ? (
                column.header
              ) : (
                <button
                  type="button"
                  onClick={() => props.onSortChange?.(toNextSort(column, props.sort))}
                  className={joinClasses(
                    "group -mx-1.5 inline-flex h-8 cursor-pointer items-center gap-1 rounded px-1.5 hover:text-ink",
                    isSorted && "text-ink",
                  )}
                >
                  {column.header}
                  <SortArrow direction={isSorted ? props.sort?.direction : undefined} />
                </button>
              )}
            </th>
          );
        })}
        {props.hasActions && (
          <th scope="col" className="sticky right-0 z-1 w-12 bg-surface">
            <VisuallyHidden>
              <Trans>Actions</Trans>
            </VisuallyHidden>
          </th>
        )}
      </tr>
    </thead>
  );
}

function SortArrow({ direction }: { direction: Sort["direction"] | undefined }) {
  const Arrow = direction === "descending" ? ArrowDown : ArrowUp;
  return (
    <Arrow
      aria-hidden="true"
      className={joinClasses(
        "size-3.5",
        direction === undefined && "opacity-0 group-hover:opacity-50",
      )}
    />
  );
}
