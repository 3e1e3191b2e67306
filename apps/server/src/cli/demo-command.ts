import { toPublicUrls } from "../public-urls.ts";
import { type Cli, examples, optionParser } from "./cli.ts";
import { type DemoResult, fillDemo } from "./demo/fill-demo.ts";
import { parseWhole } from "./parse-input.ts";
import { toGrouped, toRecord, toTable } from "./print.ts";
import { runCommand } from "./run-command.ts";

const TENANTS = { min: 1, max: 100, value: 12 } as const;
const DAYS = { min: 1, max: 730, value: 90 } as const;
const SEED = { min: 0, max: 1_000_000, value: 1 } as const;
/** Time for the transaction under way to end after Ctrl+C. */
const GRACE_MS = 10_000;

function toOperatorsText(operators: number, consoleUrl: string): string {
  return operators === 0
    ? `There is no operator yet: become one at ${consoleUrl}, then run this again to own these tenants.`
    : `The operators are owners of these tenants: open ${consoleUrl}/overview`;
}

function toDemoText(result: DemoResult, consoleUrl: string): string {
  const tenants = toTable(
    result.tenants,
    [
      { header: "TENANT", value: (tenant) => tenant.tenantId },
      { header: "SLUG", value: (tenant) => tenant.slug },
      { header: "PLAN", value: (tenant) => tenant.planId },
    ],
    "",
  );
  const summary = toRecord([
    ["Shown", `${result.from.slice(0, 10)} to ${result.to.slice(0, 10)}`],
    ["Keys", toGrouped(result.keys)],
    ["Entries added", toGrouped(result.entries)],
    ["Calls added", toGrouped(result.calls)],
    ["Meters added", toGrouped(result.meters)],
    ["Events added", toGrouped(result.events)],
    ["Alerts added", toGrouped(result.alerts)],
    ["Views added", toGrouped(result.views)],
    ["Exports added", toGrouped(result.exports)],
  ]);
  const { groups, meters, events, alerts, views, exports } = result;
  const added = groups + meters + events + alerts + views + exports;
  const note = added === 0 ? "\nEverything was there already." : "";
  return `${tenants}\n\n${summary}${note}\n\n${toOperatorsText(result.operators, consoleUrl)}`;
}

/** `turnpike demo`: an installation to look at. */
export function addDemoCommand(cli: Cli): void {
  const whole = (bounds: { min: number; max: number }) =>
    optionParser((text) => parseWhole(text, bounds));
  cli.program
    .command("demo")
    .description(
      "fill the installation with invented tenants, keys, months of usage, meters and alerts",
    )
    .option("--tenants <count>", "how many tenants", whole(TENANTS), TENANTS.value)
    .option("--days <count>", "how far back usage begins", whole(DAYS), DAYS.value)
    .option("--seed <number>", "another one makes other tenants", whole(SEED), SEED.value)
    .addHelpText(
      "after",
      `
It goes through the same code as the API and the gateway, so \`turnpike reconcile\` holds for it too. Stopped anywhere, it
goes on where it was when called again with the same seed; called again after its end, it adds nothing: the time that a
demo shows is fixed by its first run. Operators become owners of its tenants, also those who came since. It uses the plans free, pro and scale of the sample catalogue.
${examples("demo", "demo --tenants 3 --days 14 --seed 7")}`,
    )
    .action(async (options) => {
      const startedAtMs = performance.now();
      const progress = cli.startProgress("demo");
      const config = cli.environment.readConfig();
      const urls = toPublicUrls(config, { people: config.port, programs: config.gatewayPort });
      const result = await runCommand(
        { config, timeoutSeconds: null, graceMs: GRACE_MS, mayCreate: true },
        (session) =>
          fillDemo(session, options, ({ hoursDone, hoursTotal, entriesWritten }) => {
            const seconds = Math.max(0.001, (performance.now() - startedAtMs) / 1000);
            const rate = toGrouped(Math.round(entriesWritten / seconds));
            if (entriesWritten === 0 && !cli.environment.isTerminal) {
              return;
            }
            const note =
              entriesWritten === 0
                ? "so far everything is there"
                : `${toGrouped(entriesWritten)} entries, ${rate}/s`;
            progress.update({ done: hoursDone, total: hoursTotal, note });
          }),
      ).finally(progress.end);
      cli.print(result, () => toDemoText(result, urls.console));
    });
}
