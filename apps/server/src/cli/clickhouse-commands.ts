import {
  type CopyProgress,
  copyUsage,
  countCopies,
  rebuildCopies,
} from "#modules/analytics/index.ts";
import { type ClickHouse, openClickHouse } from "#platform/clickhouse.ts";
import { toClickHouseSettings } from "../to-clickhouse-settings.ts";
import { type Cli, examples } from "./cli.ts";
import { toRecord } from "./print.ts";
import { type CommandSession, runCommand } from "./run-command.ts";
import { UsageError } from "./usage-error.ts";

/** A batch is small; what follows it goes on at the next start. */
const GRACE_MS = 5_000;

type Status = CopyProgress & { url: string; trouble: string | null };

async function withClickHouse<Result>(
  { config }: Pick<CommandSession, "config">,
  work: (clickhouse: ClickHouse, url: string) => Promise<Result>,
): Promise<Result> {
  const settings = toClickHouseSettings(config);
  if (settings === undefined) {
    throw new UsageError("turnpike.yaml has no section clickhouse");
  }
  const clickhouse = openClickHouse(settings);
  try {
    return await work(clickhouse, settings.url);
  } finally {
    await clickhouse.close();
  }
}

/** Copies in the foreground what waits, or everything. */
async function copyNow(cli: Cli, make: typeof copyUsage): Promise<void> {
  const progress = cli.startProgress("clickhouse");
  const result = await runCommand(
    {
      config: cli.environment.readConfig(),
      log: cli.environment.errors,
      timeoutSeconds: null,
      graceMs: GRACE_MS,
    },
    (session) =>
      withClickHouse(session, async (clickhouse) => ({
        hours: await make(
          { ...session.deps, clickhouse },
          {
            signal: session.signal,
            onProgress: ({ waiting, all }) => {
              progress.update({
                done: all - waiting,
                total: all,
                note: `${String(all - waiting)} of ${String(all)} hours`,
              });
            },
          },
        ),
      })),
  ).finally(progress.end);
  cli.print(result, () => toRecord([["Hours copied", String(result.hours)]]));
}

/** `turnpike clickhouse …`: copies of usage for questions over all tenants. */
export function addClickHouseCommands(cli: Cli): void {
  const command = cli.program
    .command("clickhouse")
    .description("usage in ClickHouse, for questions over all tenants");
  command
    .command("status")
    .description("whether it answers, and how many hours of usage wait to be copied")
    .addHelpText("after", examples("clickhouse status"))
    .action(async () => {
      await cli.run(
        (session) =>
          withClickHouse(session, async (clickhouse, url): Promise<Status> => {
            const trouble = (await clickhouse.findTrouble()) ?? null;
            return { url, trouble, ...(await countCopies(session.deps)) };
          }),
        ({ url, trouble, waiting, all }) =>
          toRecord([
            ["ClickHouse", url],
            ["Answers", trouble ?? "yes"],
            ["Hours of usage", String(all)],
            ["Not copied yet", String(waiting)],
          ]),
      );
    });
  command
    .command("copy")
    .description("copy now what the job would copy within a minute; stop and repeat it at will")
    .addHelpText("after", examples("clickhouse copy"))
    .action(() => copyNow(cli, copyUsage));
  command
    .command("rebuild")
    .description(
      "throw the copies away and make all of them anew from PostgreSQL, which answers meanwhile; what is left when you stop it, the job does",
    )
    .addHelpText("after", examples("clickhouse rebuild"))
    .action(() => copyNow(cli, rebuildCopies));
}
