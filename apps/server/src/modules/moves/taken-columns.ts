import type { TableShape } from "./schema.store.ts";
import { RESET_COLUMNS } from "./tables-of-tenant.ts";

/** Columns of a table that are written in the other cell as they are. */
export function takenColumns(table: string, shape: TableShape): string[] {
  const resets: Readonly<Record<string, readonly string[] | undefined>> = RESET_COLUMNS;
  return shape.columns.filter((column) => resets[table]?.includes(column) !== true);
}
