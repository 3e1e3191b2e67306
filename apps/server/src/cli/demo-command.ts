import { toGrouped } from "@turnpike/domain/text/to-grouped";
import { listOperatorUsers } from "#modules/identity/index.ts";
import { type Cli, examples, optionParser } from "./cli.ts";
import { type DemoResult, fillDemo } from "./demo/fill-demo.ts";
import { type DemoRemoval, removeDemo } from "./demo/remove-demo.ts";
import { parseWhole } from "./parse-input.ts";
import { toRecord, toTable } from "./print.ts";
import { readOwnUrls } from "./read-own-urls.ts";
import { type CommandSession, runCommand } from "./run-command.ts";
import { UsageError } from "./usage-error.ts";

const TENANTS = { min: 1, max: 100, value: 12 } as const;
const DAYS = { min: 1, max: 730, value: 90 } as const;
const INVOICES = { min: 0, max: 300, value: 20 } as const;
const SEED = { min: 0, max: 1_000_000, value: 1 } as const;
/** Time for the current transaction to end after Ctrl+C. */
const GRACE_MS = 10_000;

function toOperatorsText(operators: number, consoleUrl: string): string {
  return operators === 0
    ? `There is no operator yet. Become one at ${consoleUrl}, then run this command again to own these tenants.`
    : `The operators own these tenants: open ${consoleUrl}/overview`;
}

/** Says before minutes of work what would otherwise be learnt after them. */
async function tellBefore(cli: Cli, session: CommandSession, consoleUrl: string): Promise<void> {
  if (cli.isJson()) {
    return;
  }
  const operators = await listOperatorUsers(session.deps, session.context, {
    configured: session.config.identity.operators,
  });
  const owners =
    operators.length === 0
      ? `There is no operator yet to own the demo's tenants: become one at ${consoleUrl}, now and start again, or afterwards. `
      : "";
  cli.environment.errors.write(`${owners}The demo takes a few minutes.\n`);
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
    ["Invoices added", toGrouped(result.invoices)],
    ["Alerts added", toGrouped(result.alerts)],
    ["Views added", toGrouped(result.views)],
    ["Exports added", toGrouped(result.exports)],
  ]);
  const { groups, meters, events, invoices, alerts, views, exports } = result;
  const added = groups + meters + events + invoices + alerts + views + exports;
  const note = added === 0 ? "\nNothing was missing." : "";
  return `${tenants}\n\n${summary}${note}\n\n${toOperatorsText(result.operators, consoleUrl)}`;
}

const KEPT_BECAUSE = {
  "in a plan": "a plan has a quota of it",
  "in use": "other tenants have usage of it",
} as const;

function toRemovalText(removal: DemoRemoval): string {
  const { tenants, users, entries, calls, meters, metersKept, plans } = removal;
  if (tenants.length + users + meters.length + metersKept.length + plans.length === 0) {
    return "There is no demo to remove.";
  }
  const table = toTable(
    tenants,
    [
      { header: "TENANT REMOVED", value: (tenant) => tenant.tenantId },
      { header: "SLUG", value: (tenant) => tenant.slug },
    ],
    "No demo tenants were left.",
  );
  const summary = toRecord([
    ["Tenants removed", toGrouped(tenants.length)],
    ["People removed", toGrouped(users)],
    ["Entries removed", toGrouped(entries)],
    ["Calls removed", toGrouped(calls)],
    ["Meters removed", meters.length === 0 ? "none" : meters.join(", ")],
    ...metersKept.map(
      ({ meterId, reason }) => ["Meter kept", `${meterId}: ${KEPT_BECAUSE[reason]}`] as const,
    ),
  ]);
  const archived = plans.length === 0 ? "" : `Plans archived: ${plans.join(", ")}. `;
  return `${table}\n\n${summary}\n\n${archived}The audit trail stays.`;
}

async function runRemoval(cli: Cli, options: { yes?: true | undefined }): Promise<void> {
  if (options.yes !== true) {
    throw new UsageError(
      "--remove deletes the demo's tenants with everything in them, keys of your own included: add --yes to confirm",
    );
  }
  const progress = cli.startProgress("demo --remove");
  const result = await runCommand(
    {
      config: cli.environment.readConfig(),
      log: cli.environment.errors,
      timeoutSeconds: null,
      graceMs: GRACE_MS,
    },
    (session) =>
      removeDemo(session, ({ done, total }) => {
        progress.update({ done, total, note: `${toGrouped(total)} tenants` });
      }),
  ).finally(progress.end);
  cli.print(result, () => toRemovalText(result));
}

/** `turnpike demo`: an installation with data to look at. */
export function addDemoCommand(cli: Cli): void {
  const whole = (bounds: { min: number; max: number }) =>
    optionParser((text) => parseWhole(text, bounds));
  cli.program
    .command("demo")
    .description(
      "fill the installation with invented tenants, keys, months of usage, invoices, meters and alerts",
    )
    .option("--tenants <count>", "how many tenants", whole(TENANTS), TENANTS.value)
    .option("--days <count>", "days of usage", whole(DAYS), DAYS.value)
    .option(
      "--invoices <count>",
      "invoices of each kind, such as reverse charge, discounts, credit notes, yen; 0 for none",
      whole(INVOICES),
      INVOICES.value,
    )
    .option("--seed <number>", "another seed makes other tenants", whole(SEED), SEED.value)
    .option("--remove", "remove every demo: its tenants with their keys and usage, and its meters")
    .option("--yes", "confirm --remove")
    .addHelpText(
      "after",
      `
Its meters are published: every tenant sees them until the demo is removed. On an installation with customers, use a copy.

The data goes through the same code as the API and the gateway, so \`turnpike reconcile\` holds for it too. An interrupted run
continues when called again with the same seed; after a finished run, another one adds nothing, because the first run fixes the
time that a demo shows. Operators become owners of its tenants, including operators added since. It uses the plans free, pro and
scale of the sample catalogue, and private plans of its own (demo-growth and others). --remove removes every demo regardless of its
seed, and nothing else; meters that other tenants use and meters that a plan names stay, and the demo's own plans are archived.
${examples("demo", "demo --tenants 3 --days 14 --invoices 0 --seed 7", "demo --remove --yes")}`,
    )
    .action(async ({ remove, yes, ...options }) => {
      if (remove === true) {
        await runRemoval(cli, { yes });
        return;
      }
      const startedAtMs = performance.now();
      const progress = cli.startProgress("demo");
      const config = cli.environment.readConfig();
      const urls = await readOwnUrls(config);
      const result = await runCommand(
        {
          config,
          log: cli.environment.errors,
          timeoutSeconds: null,
          graceMs: GRACE_MS,
          mayCreate: true,
        },
        async (session) => {
          await tellBefore(cli, session, urls.console);
          return await fillDemo(session, options, ({ hoursDone, hoursTotal, entriesWritten }) => {
            const seconds = Math.max(0.001, (performance.now() - startedAtMs) / 1000);
            const rate = toGrouped(Math.round(entriesWritten / seconds));
            if (entriesWritten === 0 && !cli.environment.isTerminal) {
              return;
            }
            const note =
              entriesWritten === 0
                ? "nothing new so far"
                : `${toGrouped(entriesWritten)} entries, ${rate}/s`;
            progress.update({ done: hoursDone, total: hoursTotal, note });
          });
        },
      ).finally(progress.end);
      cli.print(result, () => toDemoText(result, urls.console));
    });
}
