import type { Check, CheckState, Checks } from "@turnpike/contract/checks";
import { readAddresses } from "#platform/addresses-file.ts";
import { systemClock } from "#platform/clock.ts";
import { readVersion } from "#platform/read-version.ts";
import { runChecks } from "../checks/run-checks.ts";
import type { Config } from "../config.ts";
import type { PublicUrls } from "../public-urls.ts";
import { type Cli, examples } from "./cli.ts";
import { readOwnUrls } from "./read-own-urls.ts";
import { CommandInterrupted, runCommand } from "./run-command.ts";

const EXIT_FAILED = 1;
const MARKS: Readonly<Record<CheckState, string>> = {
  ok: "ok     ",
  warning: "WARNING",
  failed: "FAILED ",
  unknown: "UNKNOWN",
};

function toLines({ state, title, seen, advice, docs }: Check, consoleUrl: string): string[] {
  const indent = " ".repeat(MARKS.ok.length + 2);
  const way = advice === null ? [] : [`${indent}${advice}`, `${indent}${consoleUrl}/docs/${docs}`];
  return [`${MARKS[state]}  ${title}: ${seen}`, ...way];
}

function toText({ checks, version }: Checks, consoleUrl: string): string {
  const count = (state: CheckState) => checks.filter((check) => check.state === state).length;
  return [
    `Turnpike ${version}`,
    "",
    ...checks.flatMap((check) => toLines(check, consoleUrl)),
    "",
    `${String(count("ok"))} ok, ${String(count("warning"))} to look at, ${String(count("failed"))} failed, ${String(count("unknown"))} unknown`,
  ].join("\n");
}

async function examine(cli: Cli, config: Config, urls: PublicUrls): Promise<Checks> {
  const addresses = await readAddresses(config.dataFolder).catch(() => undefined);
  const input = {
    started: addresses?.upstreams,
    config,
    urls,
    clock: systemClock,
    version: readVersion(config.checkout),
  };
  let isOpen = false;
  try {
    return await runCommand(
      { config, log: cli.environment.errors, timeoutSeconds: cli.timeoutSeconds() },
      ({ deps }) => {
        isOpen = true;
        return runChecks({ ...input, services: deps });
      },
    );
  } catch (error) {
    if (isOpen || error instanceof CommandInterrupted || !(error instanceof Error)) {
      throw error;
    }
    return await runChecks({ ...input, services: null, databaseTrouble: error.message });
  }
}

/** `turnpike doctor`: whether the installation is ready for customers. */
export function addDoctorCommand(cli: Cli): void {
  cli.program
    .command("doctor")
    .description(
      "check whether the installation is ready for customers: addresses, database, disk, files, clock, backups, secrets, mail, sign-in, name, plans, seller, terms, payment, your API",
    )
    .addHelpText("after", examples("doctor", "--json doctor"))
    .action(async () => {
      const config = cli.environment.readConfig();
      const urls = await readOwnUrls(config);
      const result = await examine(cli, config, urls);
      cli.print(result, () => toText(result, urls.console));
      if (result.checks.some(({ state }) => state === "failed")) {
        cli.environment.setExitCode(EXIT_FAILED);
      }
    });
}
