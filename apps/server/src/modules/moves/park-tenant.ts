import { setTimeout as delay } from "node:timers/promises";
import { isRetryableError } from "@turnpike/db/database-errors";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { exportsOfTenant } from "#modules/analytics/index.ts";
import { keepMovedMembers } from "#modules/cells/index.ts";
import { holdRollUps } from "#modules/metering/index.ts";
import { type Cell, UNLIMITED } from "./cell-databases.ts";
import { orderTables } from "./order-tables.ts";
import { countParked, parkFiles, parkRows, parkSeries } from "./parked-rows.store.ts";
import {
  listReferences,
  listTableShapes,
  listTablesWithRows,
  type TableShape,
} from "./schema.store.ts";
import {
  AFTER,
  ENDED_TABLES,
  LATE_TABLES,
  MOVED_TABLES,
  ORDER_COLUMNS,
} from "./tables-of-tenant.ts";
import {
  endActing,
  findUnderWay,
  lockTenant,
  markHoursChanged,
  publishWhole,
  setOpen,
  updateMoveState,
} from "./tenant-moves.store.ts";

const TRY_AGAIN_MS = 250;

/** Tables of a tenant with their shapes, each after those that it refers to. */
export async function readTables(
  cell: Pick<Cell, "transact">,
): Promise<{ order: string[]; shapes: Map<string, TableShape> }> {
  const tables = [...MOVED_TABLES, ...Object.keys(ENDED_TABLES)];
  return await cell.transact.asOperator(async (tx) => ({
    order: orderTables(tables, [
      ...(await listReferences(tx)),
      ...AFTER.map(([from, to]) => ({ from, to })),
      // Policies hide rows of a tenant that is not there.
      ...tables.filter((table) => table !== "tenants").map((from) => ({ from, to: "tenants" })),
    ]),
    shapes: await listTableShapes(tx, tables),
  }));
}

/** The column whose order is kept where rows are numbered anew. */
function orderColumnOf(table: string, shape: TableShape | undefined): string | null {
  const columns: Readonly<Record<string, string | undefined>> = ORDER_COLUMNS;
  return columns[table] ?? shape?.numbered ?? null;
}

class UnderWayError extends Error {
  override readonly name = "UnderWayError";
}

async function parkOnce(
  cell: Cell,
  tenantId: TenantId,
  { order, shapes }: Awaited<ReturnType<typeof readTables>>,
): Promise<number> {
  const now = cell.clock.now();
  return await cell.transact.asOperatorWithDeleted(async (tx) => {
    // Nothing is added to the tenant from here on. What others change in its rows they have changed before, or find no rows.
    if ((await lockTenant(tx, tenantId)) === undefined) {
      throw resourceNotFound("tenant");
    }
    // What is being summed up is in neither of two tables for others.
    await holdRollUps(tx);
    await setOpen(tx, tenantId, true);
    await exportsOfTenant.close(tx, { tenantId, now });
    await endActing(tx, tenantId);
    await parkFiles(tx, tenantId);
    await keepMovedMembers(tx, tenantId);
    await markHoursChanged(tx, tenantId);
    // Before the rows are gone, whose ids it publishes.
    await publishWhole(tx, tenantId);
    let rows = 0;
    for (const table of [...order].reverse()) {
      rows += await parkRows(tx, {
        tenantId,
        table,
        orderColumn: orderColumnOf(table, shapes.get(table)),
      });
    }
    await parkSeries(tx, tenantId);
    // No one can begin anything with rows that are locked or gone, so this is what it stays.
    const reason = await findUnderWay(tx, tenantId, now);
    if (reason !== null) {
      throw new UnderWayError(reason);
    }
    const left = await listTablesWithRows(tx, order, tenantId);
    if (left.length > 0) {
      throw new UnderWayError(`Something still writes to ${left.join(", ")}.`);
    }
    await updateMoveState(tx, tenantId, "parked");
    return rows;
  }, UNLIMITED);
}

/**
 * Takes all rows of a tenant out of their tables and parks them, in one transaction: from then on nothing here can act for it, and
 * every sum over the tables is as if it had never been here.
 *
 * @param input.timeoutMs - How long to wait for what is under way, such as a webhook that is being sent.
 * @returns How many rows.
 * @throws {AppError} `CONFLICT` when something is still under way by then, `RESOURCE_NOT_FOUND`. Nothing is parked then.
 */
export async function parkTenant(
  cell: Cell,
  { tenantId, timeoutMs }: { tenantId: TenantId; timeoutMs: number },
): Promise<number> {
  const tables = await readTables(cell);
  const endMs = cell.clock.monotonicMs() + timeoutMs;
  for (;;) {
    try {
      return await parkOnce(cell, tenantId, tables);
    } catch (error) {
      const isUnderWay = error instanceof UnderWayError;
      if (!isUnderWay && !isRetryableError(error)) {
        throw error;
      }
      if (cell.clock.monotonicMs() >= endMs) {
        throw new AppError({
          code: "CONFLICT",
          publicMessage: `${isUnderWay ? error.message : "Other work holds rows of the tenant."} Run the same command again.`,
          cause: error,
        });
      }
      await delay(TRY_AGAIN_MS);
    }
  }
}

/** Parks what was recorded of a tenant after it had left. */
export async function parkLateRows(cell: Cell, tenantId: TenantId): Promise<void> {
  const { order, shapes } = await readTables(cell);
  await cell.transact.asOperatorWithDeleted(async (tx) => {
    await setOpen(tx, tenantId, true);
    for (const table of order.filter((name) => name in LATE_TABLES)) {
      await parkRows(tx, { tenantId, table, orderColumn: orderColumnOf(table, shapes.get(table)) });
    }
    await setOpen(tx, tenantId, false);
  }, UNLIMITED);
}

/** How many rows are parked, in all. */
export async function countParkedRows(cell: Cell, tenantId: TenantId): Promise<number> {
  const counts = await cell.transact.asOperator((tx) => countParked(tx, tenantId));
  return [...counts.values()].reduce((sum, rows) => sum + rows, 0);
}
