import { queryOptions } from "@tanstack/react-query";
import type { MigrationRow, MigrationTotals } from "@turnpike/contract/plan-migrations";
import type { ApiClient } from "#platform/api-client.ts";
import type { Platform } from "#platform/platform.tsx";
import { readJsonLines } from "#platform/read-json-lines.ts";
import type { PlanSide } from "../editor.queries.ts";

/** So many subscribers are shown one by one; the sums are of all. */
export const ROWS_SHOWN = 100;

/** What moving the subscribers of a plan to another version would change. */
export type MigrationReport = { rows: readonly MigrationRow[]; totals: MigrationTotals };
export type PlanMigration = Awaited<
  ReturnType<ApiClient["planMigrations"]["list"]>
>["items"][number];

export type PreviewInput = { planId: string; to: PlanSide };

const MIGRATION_KEY = "plan-migrations";
/** A migration that runs is asked for again in so many milliseconds. */
const RUNNING_REFRESH_MS = 2_000;

export const migrationQueries = {
  preview: ({ config, session }: Pick<Platform, "config" | "session">, input: PreviewInput) =>
    queryOptions({
      queryKey: [MIGRATION_KEY, "preview", input],
      queryFn: async ({ signal }): Promise<MigrationReport> => {
        const path = `/v1/plans/${encodeURIComponent(input.planId)}/migration-preview`;
        return await collect(
          readJsonLines({
            getIdToken: session.getIdToken,
            url: `${config.urls.api}${path}?to=${String(input.to)}`,
            signal,
          }),
        );
      },
      staleTime: 0,
      gcTime: 0,
    }),

  list: (api: ApiClient, planId: string) =>
    queryOptions({
      queryKey: [MIGRATION_KEY, "list", planId],
      queryFn: async ({ signal }): Promise<PlanMigration[]> =>
        (await api.planMigrations.list({ planId }, { signal })).items,
      staleTime: 0,
      refetchInterval: ({ state }) =>
        state.data?.some((migration) => migration.state === "running") === true
          ? RUNNING_REFRESH_MS
          : false,
    }),
};

/** Only the first rows are kept: a plan may have any number of subscribers. */
async function collect(lines: AsyncIterable<unknown>): Promise<MigrationReport> {
  const rows: MigrationRow[] = [];
  for await (const line of lines) {
    const part = line as MigrationRow | MigrationTotals;
    if (part.kind === "totals") {
      return { rows, totals: part };
    }
    if (rows.length < ROWS_SHOWN) {
      rows.push(part);
    }
  }
  throw new Error("The preview broke off before its end. Try again.");
}
