import { countCopies, getCallLogState, openCallLog } from "#modules/analytics/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { type ClickHouse, openClickHouse } from "#platform/clickhouse.ts";
import type { Config } from "../config.ts";
import { toClickHouseSettings } from "../to-clickhouse-settings.ts";
import { type Finding, ok } from "./check.ts";

/** Two hours are being filled; a day that waits says that the job does not get on. */
const WAITING_MAX = 24;

type Services = Pick<AppServices, "transact" | "clock" | "randomBytes">;

/** What is said of the log of calls; undefined where there is none, or nothing is wrong with it. */
async function findLogTrouble(
  services: Services,
  { clickhouse, days }: { clickhouse: ClickHouse; days: number },
): Promise<Finding | undefined> {
  if (days === 0) {
    return undefined;
  }
  const callLog = openCallLog({ ...services, clickhouse }, days);
  const { leftOutOfDay } = await getCallLogState({ ...services, callLog });
  return leftOutOfDay === 0
    ? undefined
    : {
        state: "warning",
        seen: `It answers, and could not log ${String(leftOutOfDay)} calls of the last day.`,
        advice:
          "They are counted and billed, and the operator's search does not find them. The server's log says when ClickHouse took no calls, and why.",
      };
}

/** Whether ClickHouse answers, and has what it should. */
export async function checkClickHouse(services: Services, config: Config): Promise<Finding> {
  const settings = toClickHouseSettings(config);
  if (settings === undefined) {
    return ok("There is none: PostgreSQL answers questions over all tenants.");
  }
  const clickhouse = openClickHouse(settings);
  try {
    const trouble = await clickhouse.findTrouble();
    if (trouble !== undefined) {
      return {
        state: "failed",
        seen: trouble,
        advice:
          "Fix ClickHouse or the section clickhouse; without it nothing over all tenants is shown. Take the section out to let PostgreSQL answer.",
      };
    }
    const { waiting, all } = await countCopies(services);
    const seen = `It answers; ${String(waiting)} of ${String(all)} hours of usage wait to be copied.`;
    if (waiting > WAITING_MAX) {
      return {
        state: "warning",
        seen,
        advice:
          "Until they are, PostgreSQL answers. `turnpike clickhouse copy` copies them now, or says why it cannot.",
      };
    }
    const days = config.clickhouse?.callsDays ?? 0;
    return (await findLogTrouble(services, { clickhouse, days })) ?? ok(seen);
  } finally {
    await clickhouse.close();
  }
}
