import { t } from "@lingui/core/macro";
import { type KeyboardEvent, type MouseEvent, type ReactNode, useRef, useState } from "react";
import { Checkbox } from "./checkbox.tsx";
import type { Column } from "./column.tsx";
import { type LeavingColumns, toLeavingClass } from "./data-table-room.tsx";
import { joinClasses } from "./join-classes.tsx";
import { Skeleton } from "./skeleton.tsx";

export type DataTableBodyProps<Row> = {
  columns: readonly Column<Row>[];
  leaving: LeavingColumns;
  rows: readonly Row[];
  getRowId: (row: Row) => string;
  getRowName: (row: Row) => string;
  selection?: { ids: ReadonlySet<string>; onChange: (ids: ReadonlySet<string>) => void };
  onRowOpen?: (row: Row) => void;
  onRowKey?: (row: Row, key: string) => boolean;
  openRowId?: string | undefined;
  getRowActions?: (row: Row) => ReactNode;
};

/** The rows. One of them is in the tab order; the arrow keys move to the others. */
export function DataTableBody<Row>(props: DataTableBodyProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  // By its id: a row that comes in above must not take its place.
  const [focused, setFocused] = useState<{ id: string; index: number }>();
  const lastToggled = useRef<number>(undefined);
  const isShiftHeld = useRef(false);
  const hasChoice = (props.selection?.ids.size ?? 0) > 0;
  const isOperable = props.onRowOpen !== undefined || props.selection !== undefined;
  const found = props.rows.findIndex((row) => props.getRowId(row) === focused?.id);
  const inTabOrder = found === -1 ? Math.min(focused?.index ?? 0, props.rows.length - 1) : found;

  function moveTo(index: number): void {
    const row = body.current?.rows[Math.max(0, Math.min(index, props.rows.length - 1))];
    row?.focus();
  }

  function press(event: KeyboardEvent<HTMLTableRowElement>, index: number): void {
    const row = props.rows[index];
    // Keys pressed in a button or field of the row are meant for that.
    if (event.target !== event.currentTarget || row === undefined || event.altKey) {
      return;
    }
    const isCommand = event.ctrlKey || event.metaKey;
    const isDone = isCommand
      ? event.key.toLowerCase() === "a" && selectAll()
      : event.shiftKey && (event.key === "ArrowDown" || event.key === "ArrowUp")
        ? extendTo(index, event.key === "ArrowDown" ? index + 1 : index - 1)
        : props.onRowKey?.(row, event.key) === true;
    if (isDone) {
      event.preventDefault();
      return;
    }
    switch (event.key) {
      case "ArrowDown":
        moveTo(index + 1);
        break;
      case "ArrowUp":
        moveTo(index - 1);
        break;
      case "Home":
        moveTo(0);
        break;
      case "End":
        moveTo(props.rows.length - 1);
        break;
      case "Enter":
        props.onRowOpen?.(row);
        break;
      case " ":
        toggle(row);
        break;
      case "Escape":
        props.selection?.onChange(new Set());
        break;
      default:
        return;
    }
    event.preventDefault();
  }

  /** @returns False where nothing can be chosen. */
  function selectAll(): boolean {
    props.selection?.onChange(new Set(props.rows.map(props.getRowId)));
    return props.selection !== undefined;
  }

  /** Chooses both rows with all between them, and goes to the second. @returns False where nothing can be chosen. */
  function extendTo(from: number, to: number): boolean {
    const [first, last] = from < to ? [from, to] : [to, from];
    const between = props.rows.slice(Math.max(0, first), last + 1).map(props.getRowId);
    props.selection?.onChange(new Set([...props.selection.ids, ...between]));
    moveTo(to);
    return props.selection !== undefined;
  }

  /** With Shift, from the row that was toggled last. */
  function toggleByPointer(row: Row, index: number): void {
    const anchor = lastToggled.current;
    lastToggled.current = index;
    if (isShiftHeld.current && anchor !== undefined && anchor !== index) {
      extendTo(anchor, index);
    } else {
      toggle(row);
    }
  }

  function toggle(row: Row): void {
    const id = props.getRowId(row);
    const ids = new Set(props.selection?.ids);
    if (!ids.delete(id)) {
      ids.add(id);
    }
    props.selection?.onChange(ids);
  }

  return (
    <tbody ref={body} className="max-md:block">
      {props.rows.map((row, index) => {
        const id = props.getRowId(row);
        const isSelected = props.selection?.ids.has(id) === true;
        return (
          <tr
            key={id}
            data-row={id}
            {...(isOperable && {
              tabIndex: index === inTabOrder ? 0 : -1,
              onFocus: () => setFocused({ id, index }),
              onKeyDown: (event) => press(event, index),
            })}
            {...(props.onRowOpen !== undefined && {
              onClick: (event) => isOfRow(event) && props.onRowOpen?.(row),
            })}
            {...(props.openRowId === id && { "aria-current": "true" })}
            className={joinClasses(
              "group/row focus-inset scroll-mt-14 border-line border-t first:border-t-0 max-md:relative max-md:grid max-md:grid-cols-[auto_minmax(0,1fr)] max-md:gap-y-1 max-md:px-4 max-md:py-3 md:h-12",
              props.onRowOpen !== undefined && "cursor-pointer hover:bg-hover",
              // What is pinned at the right covers what is scrolled below it: the ground of a row is never clear.
              isSelected || props.openRowId === id ? "bg-selected hover:bg-selected" : "bg-surface",
              // Nor does the bar of what is chosen cover the row that has the focus.
              hasChoice && "scroll-mb-16 max-md:scroll-mb-44",
            )}
          >
            {props.selection !== undefined && (
              <td
                onClickCapture={(event) => {
                  isShiftHeld.current = event.shiftKey;
                }}
                className="w-10 pl-2 max-md:-my-2 max-md:order-first max-md:-ml-3 max-md:w-auto max-md:pl-0"
              >
                <Checkbox
                  label={t`Select ${props.getRowName(row)}`}
                  isLabelHidden
                  isChecked={isSelected}
                  onCheckedChange={() => toggleByPointer(row, index)}
                />
              </td>
            )}
            {props.columns.map((column) => (
              <Cell key={column.id} column={column} leaving={props.leaving}>
                {column.cell(row)}
              </Cell>
            ))}
            {props.getRowActions !== undefined && (
              <td
                className={joinClasses(
                  "w-12 bg-inherit pr-2 text-right md:sticky md:right-0 md:z-1 max-md:absolute max-md:top-1 max-md:right-1 max-md:w-auto max-md:pr-0",
                  PINNED_FOCUS,
                )}
              >
                {props.getRowActions(row)}
              </td>
            )}
          </tr>
        );
      })}
    </tbody>
  );
}

/** What is pinned covers the end of the ring around a row that has the focus, and draws it itself. */
const PINNED_FOCUS = joinClasses(
  "[--row-glow:light-dark(var(--brand-accent),transparent)] [--row-ring:light-dark(var(--asphalt-ink),var(--brand-accent))]",
  "md:group-focus-visible/row:shadow-[inset_-2px_0_var(--row-ring),inset_0_2px_var(--row-ring),inset_0_-2px_var(--row-ring),inset_-4px_0_var(--row-glow),inset_0_4px_var(--row-glow),inset_0_-4px_var(--row-glow)]",
);

const PHONE_CLASSES = {
  title: "max-md:order-first max-md:col-start-2 max-md:self-center max-md:mr-10 max-md:font-medium",
  detail:
    "max-md:col-span-full max-md:flex max-md:min-h-6 max-md:items-center max-md:justify-between max-md:gap-4",
  hidden: "max-md:hidden",
} as const;

type CellProps<Row> = { column: Column<Row>; leaving: LeavingColumns; children: ReactNode };

function Cell<Row>({ column, leaving, children }: CellProps<Row>) {
  const phone = column.phone ?? "detail";
  return (
    <td
      className={joinClasses(
        "px-3 py-2.5 align-middle first:pl-4 last:pr-4 max-md:p-0 max-md:first:pl-0 max-md:last:pr-0",
        column.align === "end" && "md:text-right",
        PHONE_CLASSES[phone],
        toLeavingClass(leaving, column.id),
        column.className,
      )}
    >
      {phone === "detail" && (
        <span className="shrink-0 text-ink-muted text-xs md:hidden">{column.header}</span>
      )}
      <div className="min-w-0">{children}</div>
    </td>
  );
}

type SkeletonBodyProps<Row> = {
  columns: readonly Column<Row>[];
  leaving: LeavingColumns;
  hasSelection: boolean;
  hasActions: boolean;
  rowCount: number;
};

/** The shape of the rows that are loading. */
export function SkeletonBody<Row>(props: SkeletonBodyProps<Row>) {
  const { columns, leaving, hasSelection, hasActions, rowCount } = props;
  return (
    <tbody className="max-md:block">
      {Array.from({ length: rowCount }, (_, index) => (
        <tr
          // biome-ignore lint/suspicious/noArrayIndexKey: rows that do not exist yet have no identity but their place
          key={index}
          className="border-line border-t first:border-t-0 max-md:block max-md:space-y-2 max-md:px-4 max-md:py-3 md:h-12"
        >
          {hasSelection && <td className="w-10 max-md:hidden" />}
          {columns.map((column) => (
            <Cell key={column.id} column={column} leaving={leaving}>
              <Skeleton
                className={joinClasses(
                  "h-5 w-24 max-w-full",
                  column.align === "end" && "md:ml-auto",
                )}
              />
            </Cell>
          ))}
          {hasActions && <td className="w-12 max-md:hidden" />}
        </tr>
      ))}
    </tbody>
  );
}

/** A press on a link, button or field of the row, or the end of selecting text, is not a press on the row. */
function isOfRow(event: MouseEvent<HTMLTableRowElement>): boolean {
  const target = event.target;
  const isInner =
    target instanceof Element &&
    (!event.currentTarget.contains(target) ||
      target.closest("a, button, input, label, select, textarea, [role=menuitem]") !== null);
  return !isInner && (window.getSelection()?.toString() ?? "") === "";
}
