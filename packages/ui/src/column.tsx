import type { ReactNode } from "react";

/** A column of a table, and how a phone shows it. */
export type Column<Row> = {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** Numbers are aligned to the end. */
  align?: "start" | "end";
  /** What the API sorts by, where it can. */
  sortKey?: string;
  /** The first press sorts by the greatest or newest. */
  isDescendingFirst?: boolean;
  /** Below 768 px: the head of the card, a line with its header (the default), or nothing. */
  phone?: "title" | "detail" | "hidden";
  /** The person may put it away. The column that names the row never is. */
  isOptional?: boolean;
  className?: string;
};

export type SortDirection = "ascending" | "descending";
export type Sort = { key: string; direction: SortDirection };

/** Reads a sort of the address: `-createdAt` is the greatest `createdAt` first. Undefined for none. */
export function findSort(sort: string | undefined): Sort | undefined {
  if (sort === undefined || sort === "") {
    return undefined;
  }
  return sort.startsWith("-")
    ? { key: sort.slice(1), direction: "descending" }
    : { key: sort, direction: "ascending" };
}

/** The sort after a press on a header: its own first direction, then the other one. */
export function toNextSort<Row>(column: Column<Row>, sort: Sort | undefined): string {
  const key = column.sortKey ?? "";
  const isDescending =
    sort?.key === key ? sort.direction === "ascending" : column.isDescendingFirst === true;
  return isDescending ? `-${key}` : key;
}
