import { countCopies } from "#modules/analytics/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { openClickHouse } from "#platform/clickhouse.ts";
import type { Config } from "../config.ts";
import { toClickHouseSettings } from "../to-clickhouse-settings.ts";
import { type Finding, ok } from "./check.ts";

/** Two hours are being filled; a day that waits says that the job does not get on. */
const WAITING_MAX = 24;

/** Whether ClickHouse answers, and has what it should. */
export async function checkClickHouse(
  services: Pick<AppServices, "transact">,
  config: Config,
): Promise<Finding> {
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
    return waiting > WAITING_MAX
      ? {
          state: "warning",
          seen,
          advice:
            "Until they are, PostgreSQL answers. `turnpike clickhouse copy` copies them now, or says why it cannot.",
        }
      : ok(seen);
  } finally {
    await clickhouse.close();
  }
}
