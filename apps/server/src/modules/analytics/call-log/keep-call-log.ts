import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { DAY_MS } from "@turnpike/domain/time/zoned-buckets";
import type { AppServices } from "#platform/app-services.ts";
import type { CallLog } from "./call-log.ts";
import { listPurgedTenantIds } from "./tenants-of-log.store.ts";
import { deleteOldUnloggedCalls } from "./unlogged-calls.store.ts";

/** Calls are kept for some hours more than `days`, until their parts are dropped. */
const MARGIN_DAYS = 3;
/** Tenants in one statement. */
const TENANTS_AT_ONCE = 1_000;

type KeepDeps = Pick<AppServices, "transact" | "clock" | "logger"> & { callLog: CallLog };

/**
 * Keeps the log as the settings say: its days, and nothing of tenants of which nothing may be left. With 0 days it deletes all of
 * it. Idempotent; while the engine is away the next run does it.
 */
export async function keepCallLog(deps: KeepDeps): Promise<void> {
  try {
    await keep(deps);
  } catch (error) {
    if (!(error instanceof AppError && error.code === "CLICKHOUSE_UNAVAILABLE")) {
      throw error;
    }
    deps.logger.warn({ err: error }, "the log of calls is not kept up while ClickHouse is away");
  }
}

async function keep({ transact, clock, callLog }: KeepDeps): Promise<void> {
  const keptFromMs = clock.now().getTime() - callLog.days * DAY_MS;
  await transact.asOperator((tx) => deleteOldUnloggedCalls(tx, keptFromMs));
  if (callLog.days === 0) {
    await callLog.drop();
    return;
  }
  await callLog.ensure();
  const since = new Date(keptFromMs - MARGIN_DAYS * DAY_MS);
  const purged = await transact.asOperatorWithDeleted((tx) => listPurgedTenantIds(tx, since));
  for (let start = 0; start < purged.length; start += TENANTS_AT_ONCE) {
    const tenantIds: TenantId[] = purged.slice(start, start + TENANTS_AT_ONCE);
    await callLog.forgetTenants(tenantIds);
  }
}
