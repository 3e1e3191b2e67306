import type { TenantId } from "@turnpike/domain/ids/ids";
import { periodAt, startOfMonth } from "@turnpike/domain/time/period";
import { DAY_MS, HOUR_MS } from "@turnpike/domain/time/zoned-buckets";
import { commitGroups } from "#modules/metering/index.ts";
import type { AppServices } from "#platform/app-services.ts";

/** Stores calls of the last complete days as the gateway does, at noon of each day by UTC. Monday is weekday 0. */
export async function recordDays(
  deps: AppServices,
  tenantId: TenantId,
  {
    days,
    countOn,
    meterId = "requests",
  }: { days: number; countOn: (weekday: number, daysAgo: number) => number; meterId?: string },
): Promise<void> {
  const todayMs = Math.floor(deps.clock.now().getTime() / DAY_MS) * DAY_MS;
  const keyId = deps.newId("key");
  const entries = Array.from({ length: days }, (_, index) => {
    const minuteMs = todayMs - (index + 1) * DAY_MS + 12 * HOUR_MS;
    const at = new Date(minuteMs);
    const { start, end } = periodAt(startOfMonth(at), "month", at);
    const count = countOn((at.getUTCDay() + 6) % 7, index + 1);
    return {
      tenantId,
      keyId,
      environment: "live" as const,
      meterId,
      outcome: "VALID" as const,
      status: 200,
      minuteMs,
      periodStartMs: start.getTime(),
      periodEndMs: end.getTime(),
      calls: count,
      quantity: count,
    };
  });
  await commitGroups(deps, [
    {
      groupId: deps.newId("group"),
      processId: deps.newId("process"),
      recordedAtMs: null,
      spends: [],
      entries: entries.filter(({ calls }) => calls > 0),
    },
  ]);
}
