import type { Tx } from "@turnpike/db/client";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { type TwoCells, UNLIMITED } from "./cell-databases.ts";
import { type Names, type RowSum, sumRows } from "./parked-rows.store.ts";
import type { TableShape } from "./schema.store.ts";
import { takenColumns } from "./taken-columns.ts";

type Compared = {
  tenantId: TenantId;
  names: Names;
  order: readonly string[];
  shapes: ReadonlyMap<string, TableShape>;
  /** How many rows are parked, by table. */
  parked: ReadonlyMap<string, number>;
  isCompared: (table: string) => boolean;
};

/**
 * Compares every table of a tenant in the other cell with what is parked here: how many rows there are, and a checksum of all columns
 * that are not numbered anew.
 *
 * @throws {AppError} `CONFLICT` that names the tables that differ.
 */
export async function compareRows(
  { here }: TwoCells,
  tx: Tx,
  { tenantId, names, order, shapes, parked, isCompared }: Compared,
): Promise<void> {
  const back = Object.fromEntries(Object.entries(names).map(([was, becomes]) => [becomes, was]));
  const questions = order.filter(isCompared).flatMap((table) => {
    const shape = shapes.get(table);
    return shape === undefined
      ? []
      : [
          {
            tenantId,
            table,
            columns: takenColumns(table, shape).filter(
              // A person's own collections are named by their id.
              (column) => column !== "collection" || Object.keys(names).length === 0,
            ),
            renamed: shape.texts,
          },
        ];
  });
  const sums = await here.transact.asOperatorWithDeleted(async (from) => {
    const found = new Map<string, RowSum>();
    for (const question of questions.filter(({ table }) => parked.has(table))) {
      found.set(question.table, await sumRows(from, { ...question, names: {}, areParked: true }));
    }
    return found;
  }, UNLIMITED);
  const differing: string[] = [];
  for (const question of questions) {
    const there = await sumRows(tx, { ...question, names: back, areParked: false });
    const wanted = sums.get(question.table) ?? { rows: "0", checksum: "0" };
    if (there.rows !== wanted.rows || there.checksum !== wanted.checksum) {
      differing.push(question.table);
    }
  }
  if (differing.length > 0) {
    throw new AppError({
      code: "CONFLICT",
      publicMessage: `The other cell would not have the same rows in: ${differing.join(", ")}. Nothing was added there.`,
    });
  }
}
