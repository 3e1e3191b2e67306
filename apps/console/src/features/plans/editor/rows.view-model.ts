/** A row of a list in a form. Its id stays when rows before it go, so that no field loses what is typed or the focus. */
export type Row = { rowId: number };

/** Gives each row its id. */
export function toRows<Item extends object>(items: readonly Item[]): (Item & Row)[] {
  return items.map((item, rowId) => ({ ...item, rowId }));
}

/** Adds a row behind the last one, or before `beforeId`. */
export function addRow<R extends Row>(
  rows: readonly R[],
  row: Omit<R, "rowId">,
  beforeId?: number,
): R[] {
  const rowId = Math.max(-1, ...rows.map((each) => each.rowId)) + 1;
  const added = { ...row, rowId } as R;
  const place = rows.findIndex((each) => each.rowId === beforeId);
  return place === -1 ? [...rows, added] : rows.toSpliced(place, 0, added);
}

export function changeRow<R extends Row>(
  rows: readonly R[],
  rowId: number,
  part: Partial<Omit<R, "rowId">>,
): R[] {
  return rows.map((row) => (row.rowId === rowId ? { ...row, ...part } : row));
}

export function removeRow<R extends Row>(rows: readonly R[], rowId: number): R[] {
  return rows.filter((row) => row.rowId !== rowId);
}

/** Moves a row by one place; at the edge nothing moves. */
export function moveRow<R extends Row>(rows: readonly R[], rowId: number, by: -1 | 1): R[] {
  const from = rows.findIndex((row) => row.rowId === rowId);
  const row = rows[from];
  const to = from + by;
  if (row === undefined || to < 0 || to >= rows.length) {
    return [...rows];
  }
  return rows.toSpliced(from, 1).toSpliced(to, 0, row);
}
