import type { ClickHouseSettings } from "#platform/clickhouse.ts";
import type { Config } from "./config.ts";

/** How ClickHouse is reached; undefined where there is none. */
export function toClickHouseSettings({
  clickhouse,
  clickhousePassword,
}: Pick<Config, "clickhouse" | "clickhousePassword">): ClickHouseSettings | undefined {
  return clickhouse === undefined
    ? undefined
    : {
        url: clickhouse.url,
        database: clickhouse.database,
        user: clickhouse.user,
        password: clickhousePassword ?? "",
        timeoutMs: clickhouse.timeoutMs,
      };
}
