import type { MeterActivity } from "@turnpike/contract/events";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import type { AppServices } from "#platform/app-services.ts";
import { listMeterActivity as readMeterActivity } from "./events.store.ts";

const DAY_MS = 86_400_000;
/** Meter rollups are stored by the quarter of an hour. */
const QUARTER_MS = 900_000;

/** Lists recent activity of each meter that counts events, over all tenants. @throws {AppError} `INSUFFICIENT_SCOPE`. */
export async function listMeterActivity(
  deps: Pick<AppServices, "transact" | "clock">,
  context: CallContext,
): Promise<{ items: MeterActivity[] }> {
  assertMay(context.actor, "usage:read");
  const sinceMs = deps.clock.now().getTime() - DAY_MS;
  const since = new Date(Math.ceil(sinceMs / QUARTER_MS) * QUARTER_MS);
  const rows = await deps.transact.asOperator((tx) => readMeterActivity(tx, since));
  return {
    items: rows.map((row) => ({
      meterId: row.meter_id,
      events: Number(row.events),
      lastEventAt: row.last_event_at?.toISOString() ?? null,
    })),
  };
}
