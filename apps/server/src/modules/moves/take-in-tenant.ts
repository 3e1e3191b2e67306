import type { Tx } from "@turnpike/db/client";
import { databaseErrorCode, isUniqueViolation } from "@turnpike/db/database-errors";
import type { CallContext } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import { writeAudit } from "#modules/audit/index.ts";
import { forgetMovedMembers } from "#modules/cells/index.ts";
import { type Cell, type TwoCells, UNLIMITED } from "./cell-databases.ts";
import { compareRows } from "./compare-rows.ts";
import type { MatchedPeople } from "./match-people.ts";
import { readTables } from "./park-tenant.ts";
import {
  countParked,
  findLastParked,
  findRecordedTo,
  listParked,
  listParkedNumbers,
  type Names,
  raiseCutOff,
  takeInDocuments,
  takeInRows,
  takeInSeries,
} from "./parked-rows.store.ts";
import {
  insertPeopleRows,
  PEOPLE_TABLES,
  type PeopleTable,
  readPeopleRows,
} from "./people.store.ts";
import { listTableShapes, type TableShape } from "./schema.store.ts";
import { ENDED_TABLES } from "./tables-of-tenant.ts";
import { takenColumns } from "./taken-columns.ts";
import {
  findMove,
  markHoursChanged,
  publishWhole,
  putMove,
  setOpen,
  type TenantMove,
  updateLateTo,
  updateMoveState,
  updatePlaceVersion,
} from "./tenant-moves.store.ts";

/** Taken in last: all other changes wait for the commit from the first one on. */
const DOCUMENTS = "documents";
const ROWS_AT_ONCE = 2_000;
const BYTES_AT_ONCE = 4 * 1024 * 1024;

/** Goes through the parked rows of a table in their order. */
export async function* readParked(
  cell: Pick<Cell, "transact">,
  { tenantId, table }: Pick<TenantMove, "tenantId"> & { table: string },
): AsyncIterable<string[]> {
  for (let after = 0n, isMore = true; isMore; ) {
    const page = { table, after, limit: ROWS_AT_ONCE, bytesMax: BYTES_AT_ONCE };
    const rows = await cell.transact.asOperator((tx) => listParked(tx, tenantId, page));
    const last = rows.at(-1);
    isMore = last !== undefined;
    if (last !== undefined) {
      after = last.position;
      yield rows.map(({ content }) => content);
    }
  }
}

/** Programs that a member connected keep their tokens, which are of this cell. */
const RETURNED: ReadonlySet<string> = new Set(["agent_grants"]);

type Arrival = {
  /** True when the tenant is put back where it was parked. */
  isReturn: boolean;
  move: Pick<TenantMove, "tenantId" | "moveId" | "otherCell" | "name" | "slug">;
  people: MatchedPeople;
  /** The version of the directory's entry that says that the tenant is here. */
  placeVersion: number;
  order: readonly string[];
  shapes: ReadonlyMap<string, TableShape>;
  /** Called with how many rows are there by now. */
  onRows?: ((rows: number) => void) | undefined;
};

async function takeInPeople({ here }: TwoCells, tx: Tx, people: MatchedPeople): Promise<void> {
  const tables = Object.keys(PEOPLE_TABLES) as PeopleTable[];
  const shapes = await listTableShapes(tx, tables);
  for (const table of tables) {
    const shape = shapes.get(table);
    const ids = PEOPLE_TABLES[table] === "user_id" ? people.userIds : people.accountIds;
    const contents = await here.transact.asOperator((from) => readPeopleRows(from, table, ids));
    if (shape !== undefined && contents.length > 0) {
      await insertPeopleRows(tx, table, { shape, contents, subjects: people.names });
    }
  }
}

async function takeInTables(
  { here }: TwoCells,
  tx: Tx,
  { isReturn, move, people: { names }, order, shapes, onRows }: Arrival,
): Promise<void> {
  const { tenantId } = move;
  const isTaken = (table: string) => !(table in ENDED_TABLES) || (isReturn && RETURNED.has(table));
  const numbers = await here.transact.asOperator((from) => listParkedNumbers(from, tenantId));
  for await (const contents of readParked(here, { tenantId, table: "document_series" })) {
    await takeInSeries(tx, { tenantId, contents, numbers });
  }
  let taken = 0;
  for (const table of order.filter((name) => isTaken(name) && name !== DOCUMENTS)) {
    const shape = shapes.get(table);
    for await (const contents of readParked(here, { tenantId, table })) {
      if (shape !== undefined) {
        const columns = takenColumns(table, shape);
        const renamed = columns.filter((column) => shape.texts.includes(column));
        await takeInRows(tx, { tenantId, table, columns, renamed, names, contents });
      }
      taken += contents.length;
      onRows?.(taken);
    }
  }
}

async function takeInLast(
  { here }: TwoCells,
  tx: Tx,
  tenantId: TenantMove["tenantId"],
  names: Names,
) {
  for await (const contents of readParked(here, { tenantId, table: DOCUMENTS })) {
    await takeInDocuments(tx, { tenantId, contents, names });
  }
}

function assertNotCancelled({ state }: TenantMove): void {
  if (state === "cancelled") {
    throw new AppError({ code: "CONFLICT", publicMessage: "The move was cancelled." });
  }
}

/** Turns what the other database refuses into a sentence. */
function toRefusal(error: unknown): unknown {
  if (isUniqueViolation(error) || databaseErrorCode(error) === "TP409") {
    const said = error instanceof Error ? error.message : "";
    return new AppError({
      code: "CONFLICT",
      publicMessage: `The other cell refuses a row: ${said} Nothing was added there. Change that and run the same command again, or take the move back with --cancel.`,
      cause: error,
    });
  }
  return error;
}

/**
 * Adds a parked tenant to the other cell, in one transaction that ends by comparing every table with what is parked. The tenant acts
 * there from its commit on. Repeating it adds nothing.
 *
 * @returns False when it was there already.
 * @throws {AppError} `CONFLICT` when the other cell refuses a row, or has another one than was parked; nothing is added then.
 */
export async function takeInTenant(
  cells: TwoCells,
  context: CallContext,
  input: Pick<Arrival, "isReturn" | "move" | "people" | "placeVersion" | "onRows"> & {
    /** Called in the transaction, before it commits. */
    beforeCommit?: (() => Promise<void>) | undefined;
  },
): Promise<boolean> {
  const { here, there } = cells;
  const { isReturn, move, people } = input;
  const { tenantId, moveId } = move;
  const recordedTo = await here.transact.asOperator((tx) => findRecordedTo(tx, tenantId));
  const parked = await here.transact.asOperator((tx) => countParked(tx, tenantId));
  const lastParked = await here.transact.asOperator((tx) => findLastParked(tx, tenantId));
  const arrival: Arrival = { ...input, ...(await readTables(there)) };
  try {
    await there.transact.asOperator((tx) => raiseCutOff(tx, recordedTo));
    return await there.transact.asOperatorWithDeleted(async (tx) => {
      const known = await findMove(tx, tenantId);
      if (known?.moveId === moveId && known.direction === "in") {
        assertNotCancelled(known);
        return false;
      }
      // A command that cancels the move meanwhile waits for this row.
      await putMove(tx, { ...move, direction: "in", state: "parked" });
      await updateLateTo(tx, tenantId, lastParked);
      await forgetMovedMembers(tx, tenantId);
      await setOpen(tx, tenantId, true);
      await takeInPeople(cells, tx, people);
      await takeInTables(cells, tx, arrival);
      const compared = { ...arrival, tenantId, names: people.names, parked };
      await compareRows(cells, tx, {
        ...compared,
        isCompared: (table) => !(table in ENDED_TABLES) && table !== DOCUMENTS,
      });
      await updatePlaceVersion(tx, tenantId, input.placeVersion);
      await markHoursChanged(tx, tenantId);
      await writeAudit(there, tx, context, {
        ...{
          tenantId,
          action: isReturn ? "tenant.move_cancelled" : "tenant.moved_in",
          entityType: "tenant",
          entityId: tenantId,
        },
        details: { cell: move.otherCell, moveId },
      });
      await publishWhole(tx, tenantId);
      await input.beforeCommit?.();
      await takeInLast(cells, tx, tenantId, people.names);
      await compareRows(cells, tx, { ...compared, isCompared: (table) => table === DOCUMENTS });
      await updateMoveState(tx, tenantId, "done");
      return true;
    }, UNLIMITED);
  } catch (error) {
    throw toRefusal(error);
  }
}
