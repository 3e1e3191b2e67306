import { type KeyboardEvent, type MouseEvent, type ReactNode, useRef, useState } from "react";
import { Checkbox } from "./checkbox.tsx";
import type { Column } from "./column.tsx";
import { joinClasses } from "./join-classes.tsx";
import { Skeleton } from "./skeleton.tsx";

/** Rows drawn while the first page loads. */
const SKELETON_ROWS = 6;

export type DataTableBodyProps<Row> = {
  columns: readonly Column<Row>[];
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
  const [focused, setFocused] = useState(0);
  const lastToggled = useRef<number>(undefined);
  const isShiftHeld = useRef(false);
  const isOperable = props.onRowOpen !== undefined || props.selection !== undefined;
  const inTabOrder = Math.min(focused, props.rows.length - 1);

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
            {...(isOperable && {
              tabIndex: index === inTabOrder ? 0 : -1,
              onFocus: () => setFocused(index),
              onKeyDown: (event) => press(event, index),
            })}
            {...(props.onRowOpen !== undefined && {
              onClick: (event) => isOfRow(event) && props.onRowOpen?.(row),
            })}
            {...(props.openRowId === id && { "aria-current": "true" })}
            className={joinClasses(
              "focus-inset border-line border-t first:border-t-0 max-md:relative max-md:grid max-md:grid-cols-[auto_minmax(0,1fr)] max-md:gap-y-1 max-md:px-4 max-md:py-3 md:h-12",
              props.onRowOpen !== undefined && "cursor-pointer hover:bg-hover",
              (isSelected || props.openRowId === id) && "bg-selected hover:bg-selected",
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
                  label={`Select ${props.getRowName(row)}`}
                  isLabelHidden
                  isChecked={isSelected}
                  onCheckedChange={() => toggleByPointer(row, index)}
                />
              </td>
            )}
            {props.columns.map((column) => (
              <Cell key={column.id} column={column}>
                {column.cell(row)}
              </Cell>
            ))}
            {props.getRowActions !== undefined && (
              <td className="w-12 pr-2 text-right max-md:absolute max-md:top-1 max-md:right-1 max-md:w-auto max-md:pr-0">
                {props.getRowActions(row)}
              </td>
            )}
          </tr>
        );
      })}
    </tbody>
  );
}

const PHONE_CLASSES = {
  title: "max-md:order-first max-md:col-start-2 max-md:self-center max-md:mr-10 max-md:font-medium",
  detail:
    "max-md:col-span-full max-md:flex max-md:min-h-6 max-md:items-center max-md:justify-between max-md:gap-4",
  hidden: "max-md:hidden",
} as const;

function Cell<Row>({ column, children }: { column: Column<Row>; children: ReactNode }) {
  const phone = column.phone ?? "detail";
  return (
    <td
      className={joinClasses(
        "px-3 py-2.5 align-middle first:pl-4 last:pr-4 max-md:p-0 max-md:first:pl-0 max-md:last:pr-0",
        column.align === "end" && "md:text-right",
        PHONE_CLASSES[phone],
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
  hasSelection: boolean;
  hasActions: boolean;
};

/** The shape of the rows that are loading. */
export function SkeletonBody<Row>({ columns, hasSelection, hasActions }: SkeletonBodyProps<Row>) {
  return (
    <tbody className="max-md:block">
      {Array.from({ length: SKELETON_ROWS }, (_, index) => (
        <tr
          // biome-ignore lint/suspicious/noArrayIndexKey: rows that do not exist yet have no identity but their place
          key={index}
          className="border-line border-t first:border-t-0 max-md:block max-md:space-y-2 max-md:px-4 max-md:py-3 md:h-12"
        >
          {hasSelection && <td className="w-10 max-md:hidden" />}
          {columns.map((column) => (
            <Cell key={column.id} column={column}>
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
