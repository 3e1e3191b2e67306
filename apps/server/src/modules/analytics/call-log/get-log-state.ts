import { DAY_MS } from "@turnpike/domain/time/zoned-buckets";
import type { AppServices } from "#platform/app-services.ts";
import type { CallLog } from "./call-log.ts";
import { countUnloggedCalls } from "./unlogged-calls.store.ts";

export type CallLogState = {
  /** Days for which calls are kept. */
  days: number;
  /** When the newest call in the log began; null while it has none. */
  newestAt: string | null;
  /** How many calls that began in the last 24 hours could not be logged, as far as processes have told. */
  leftOutOfDay: number;
};

/** How far the log has come, over all processes. @throws {AppError} `CLICKHOUSE_UNAVAILABLE`. */
export async function getCallLogState(
  deps: Pick<AppServices, "transact" | "clock"> & { callLog: CallLog },
): Promise<CallLogState> {
  const nowMs = deps.clock.now().getTime();
  const day = { fromMs: nowMs - DAY_MS, toMs: nowMs + DAY_MS };
  const newestMs = await deps.callLog.findNewestMs();
  return {
    days: deps.callLog.days,
    newestAt: newestMs === undefined ? null : new Date(newestMs).toISOString(),
    leftOutOfDay: await deps.transact.asOperator((tx) => countUnloggedCalls(tx, day)),
  };
}
