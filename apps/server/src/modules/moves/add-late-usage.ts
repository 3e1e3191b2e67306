import type { TenantId } from "@turnpike/domain/ids/ids";
import { type TwoCells, UNLIMITED } from "./cell-databases.ts";
import { parkLateRows, readTables } from "./park-tenant.ts";
import { addLateRows, listParked } from "./parked-rows.store.ts";
import { LATE_TABLES } from "./tables-of-tenant.ts";
import { lockLateTo, setOpen, updateLateTo } from "./tenant-moves.store.ts";

const PAGE = { limit: 2_000, bytesMax: 4 * 1024 * 1024 };

/**
 * Brings to the other cell what this one recorded of a tenant after it had left: calls from the journal of a node that was away. They
 * are on the next invoice there. Repeating it adds nothing.
 *
 * @returns How many rows.
 */
export async function addLateUsage({ here, there }: TwoCells, tenantId: TenantId): Promise<number> {
  await parkLateRows(here, tenantId);
  const { shapes } = await readTables(there);
  let added = 0;
  await there.transact.asOperatorWithDeleted(async (tx) => {
    const before = await lockLateTo(tx, tenantId);
    let newest = before;
    await setOpen(tx, tenantId, true);
    for (const [table, sums] of Object.entries(LATE_TABLES)) {
      const shape = shapes.get(table);
      for (let after = before, isMore = true; isMore && shape !== undefined; ) {
        const page = { ...PAGE, table, after };
        const rows = await here.transact.asOperator((from) => listParked(from, tenantId, page));
        const contents = rows.map(({ content }) => content);
        await addLateRows(tx, { tenantId, table, shape, sums, contents });
        added += rows.length;
        after = rows.at(-1)?.position ?? after;
        if (after > newest) {
          newest = after;
        }
        isMore = rows.length > 0;
      }
    }
    await setOpen(tx, tenantId, false);
    await updateLateTo(tx, tenantId, newest);
  }, UNLIMITED);
  return added;
}
