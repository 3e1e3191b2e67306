import {
  type CallLogState,
  type CopyProgress,
  copyUsage,
  countCopies,
  getCallLogState,
  openCallLog,
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

type Status = CopyProgress & {
  url: string;
  trouble: string | null;
  /** Null where calls are not logged, or ClickHouse does not answer. */
  callLog: CallLogState | null;
};

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

async function readStatus(
  { config, deps }: CommandSession,
  { clickhouse, url }: { clickhouse: ClickHouse; url: string },
): Promise<Status> {
  const trouble = (await clickhouse.findTrouble()) ?? null;
  const days = config.clickhouse?.callsDays ?? 0;
  const callLog =
    days === 0 || trouble !== null
      ? null
      : await getCallLogState({ ...deps, callLog: openCallLog({ ...deps, clickhouse }, days) });
  return { url, trouble, ...(await countCopies(deps)), callLog };
}

function toLogLines({ callLog }: Status): [string, string][] {
  return callLog === null
    ? []
    : [
        ["Calls are kept", `${String(callLog.days)} days`],
        ["Newest call", callLog.newestAt ?? "none"],
        ["Left out in 24 hours", String(callLog.leftOutOfDay)],
      ];
}

/** `turnpike clickhouse …`: copies of usage for questions over all tenants. */
export function addClickHouseCommands(cli: Cli): void {
  const command = cli.program
    .command("clickhouse")
    .description("usage and calls in ClickHouse, for questions over all tenants");
  command
    .command("status")
    .description(
      "whether it answers, how many hours of usage wait to be copied, and how far the log of calls is",
    )
    .addHelpText("after", examples("clickhouse status"))
    .action(async () => {
      await cli.run(
        (session) =>
          withClickHouse(session, (clickhouse, url) => readStatus(session, { clickhouse, url })),
        (status) =>
          toRecord([
            ["ClickHouse", status.url],
            ["Answers", status.trouble ?? "yes"],
            ["Hours of usage", String(status.all)],
            ["Not copied yet", String(status.waiting)],
            ...toLogLines(status),
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
