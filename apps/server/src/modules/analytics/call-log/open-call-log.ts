import type { AppServices } from "#platform/app-services.ts";
import type { ClickHouse } from "#platform/clickhouse.ts";
import type { CallLog } from "./call-log.ts";
import { ensureLogId } from "./call-log-id.store.ts";
import {
  deleteCallsOf,
  dropLog,
  ensureLog,
  findNewestCallMs,
  searchLog,
  tableOf,
  toLine,
} from "./logged-calls.store.ts";

const LOG_ID_BYTES = 8;

/** The log of this installation in ClickHouse. Opens nothing yet. */
export function openCallLog(
  deps: Pick<AppServices, "transact" | "randomBytes"> & { clickhouse: ClickHouse },
  days: number,
): CallLog {
  const { transact, clickhouse } = deps;
  let known: string | undefined;

  async function findTable(): Promise<string> {
    if (known === undefined) {
      const candidate = Buffer.from(deps.randomBytes(LOG_ID_BYTES)).toString("hex");
      known = tableOf(await transact.asOperator((tx) => ensureLogId(tx, candidate)));
    }
    return known;
  }

  return {
    days,
    toLine,
    ensure: async () => await ensureLog(clickhouse, await findTable(), days),
    add: async (lines) => await clickhouse.insertLines(await findTable(), lines),
    search: async (search) => await searchLog(clickhouse, await findTable(), search),
    findNewestMs: async () => await findNewestCallMs(clickhouse, await findTable()),
    forgetTenants: async (tenantIds) =>
      await deleteCallsOf(clickhouse, await findTable(), tenantIds),
    drop: async () => await dropLog(clickhouse, await findTable()),
  };
}
