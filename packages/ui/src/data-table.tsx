import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { type ReactNode, useRef } from "react";
import { Checkbox } from "./checkbox.tsx";
import { type Column, findSort } from "./column.tsx";
import { DataTableBody, SkeletonBody } from "./data-table-body.tsx";
import { useKeptFocus } from "./data-table-focus.tsx";
import { DataTableHeader } from "./data-table-header.tsx";
import { PhoneBar } from "./data-table-phone-bar.tsx";
import { type ColumnRoom, toLeavingColumns } from "./data-table-room.tsx";
import { joinClasses } from "./join-classes.tsx";

export type Selection = {
  ids: ReadonlySet<string>;
  onChange: (ids: ReadonlySet<string>) => void;
  /** What can be done with what is chosen: buttons. */
  actions: ReactNode;
  /** What has to be said of the choice: that there is more on other pages. */
  notice?: ReactNode;
};

export type DataTableProps<Row> = {
  /** What the rows are, for screen readers: "API keys". */
  label: string;
  columns: readonly Column<Row>[];
  /** Columns that the person has put away. */
  hiddenColumns?: ReadonlySet<string>;
  /**
   * What each column takes, the most important first: where the table is too narrow, the last ones leave. Left out: all
   * stay, and what does not fit is scrolled to.
   */
  columnRoom?: ColumnRoom;
  /** Undefined while the first page loads. */
  rows: readonly Row[] | undefined;
  /** Rows drawn while it loads. Left out: six, as of a list that fills its page. */
  skeletonRows?: number;
  getRowId: (row: Row) => string;
  /** The name of a row where it is spoken of: "Select Production key". */
  getRowName: (row: Row) => string;
  /** A sort key, with `-` before it for the greatest first, as in the address. */
  sort?: string;
  onSortChange?: (sort: string) => void;
  selection?: Selection;
  /** What a press or Enter on a row does. */
  onRowOpen?: (row: Row) => void;
  /** Another key pressed on a row that has the focus. True when it did something. */
  onRowKey?: (row: Row, key: string) => boolean;
  /** The row whose details are open beside the table. */
  openRowId?: string | undefined;
  /** The menu of a row. */
  getRowActions?: (row: Row) => ReactNode;
  /** What has to be said above the rows. */
  notice?: ReactNode;
  /** Stands in for the rows when there is none. */
  empty: ReactNode;
  /** What is shown is about to be replaced: the next page, another filter. */
  isStale?: boolean;
  /** Pages, counts. */
  footer?: ReactNode;
};

const SKELETON_ROWS = 6;

/**
 * Rows under headers; cards below 768 px. Up, Down, Home and End move between rows, Enter opens one, Space chooses it.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const root = useRef<HTMLDivElement>(null);
  useKeptFocus(root);
  const columns = props.columns.filter((column) => props.hiddenColumns?.has(column.id) !== true);
  const isEmpty = props.rows?.length === 0;
  const sort = findSort(props.sort);
  const selectAll = props.selection !== undefined && (
    <SelectAll {...props} selection={props.selection} />
  );
  const hasSelection = props.selection !== undefined;
  const hasActions = props.getRowActions !== undefined;
  const leaving = toLeavingColumns({
    room: props.columnRoom ?? [],
    hiddenColumns: props.hiddenColumns,
    hasSelection,
    hasActions,
  });
  return (
    <div
      ref={root}
      tabIndex={-1}
      data-list=""
      className="@container/table min-w-0 scroll-mt-18 rounded-card"
    >
      {props.notice}
      <div
        className="overflow-clip rounded-card border border-line bg-surface"
        aria-busy={props.rows === undefined}
      >
        {!isEmpty && (
          <PhoneBar
            columns={columns}
            sort={sort}
            onSortChange={props.onSortChange}
            selectAll={selectAll}
          />
        )}
        {isEmpty ? (
          props.empty
        ) : (
          <div className="relative overflow-x-auto">
            <table
              aria-label={props.label}
              className={joinClasses(
                "w-full border-collapse text-left tabular-nums transition-opacity duration-150 max-md:block",
                props.isStale === true && "opacity-60",
              )}
            >
              <DataTableHeader
                columns={columns}
                leaving={leaving}
                sort={sort}
                onSortChange={props.onSortChange}
                selectAll={selectAll}
                hasActions={hasActions}
              />
              {props.rows === undefined ? (
                <SkeletonBody
                  columns={columns}
                  leaving={leaving}
                  hasSelection={hasSelection}
                  hasActions={hasActions}
                  rowCount={props.skeletonRows ?? SKELETON_ROWS}
                />
              ) : (
                <DataTableBody {...props} columns={columns} leaving={leaving} rows={props.rows} />
              )}
            </table>
          </div>
        )}
        {props.footer !== undefined && !isEmpty && (
          <div className="border-line border-t px-4 py-2">{props.footer}</div>
        )}
        {props.selection !== undefined && <BulkBar selection={props.selection} />}
      </div>
    </div>
  );
}

function SelectAll<Row>(props: DataTableProps<Row> & { selection: Selection }) {
  const ids = (props.rows ?? []).map(props.getRowId);
  const chosen = ids.filter((id) => props.selection.ids.has(id)).length;
  return (
    <Checkbox
      label={t`Select all ${props.label}`}
      isLabelHidden
      isChecked={ids.length > 0 && chosen === ids.length}
      isMixed={chosen > 0 && chosen < ids.length}
      isDisabled={ids.length === 0}
      onCheckedChange={(isChecked) => props.selection.onChange(new Set(isChecked ? ids : []))}
    />
  );
}

/**
 * What is chosen and what can be done with it, at the lower edge of the view: in reach from every row, and no row moves when
 * it comes.
 */
function BulkBar({ selection }: { selection: Selection }) {
  const { ids, onChange, actions, notice } = selection;
  return (
    <>
      <p role="status" className="sr-only">
        {ids.size === 0 ? "" : t`${ids.size} selected`}
      </p>
      {ids.size > 0 && (
        <section
          aria-label={t`Selection`}
          // Toasts stay above the buttons.
          data-layer-footer=""
          className="sticky bottom-0 z-10 flex flex-wrap items-center gap-2 border-line-control border-t bg-selected px-4 py-2 shadow-float"
        >
          {notice !== undefined && <div className="basis-full text-sm">{notice}</div>}
          <span className="mr-2 font-medium max-md:grow" aria-hidden="true">
            <Trans>{ids.size} selected</Trans>
          </span>
          <div className="flex flex-wrap gap-2 max-md:order-last max-md:basis-full">{actions}</div>
          <button
            type="button"
            onClick={() => onChange(new Set())}
            className="cursor-pointer md:ml-auto rounded-control px-2.5 py-1.5 font-medium text-xs hover:underline touch:min-h-11"
          >
            <Trans>Clear selection</Trans>
          </button>
        </section>
      )}
    </>
  );
}
