import type { BillingClock } from "@turnpike/contract/sandbox";
import { advanceClock, getClock } from "#modules/billing/index.ts";
import { getTenantByName } from "#modules/tenants/index.ts";
import { type Cli, examples, optionParser } from "./cli.ts";
import { toInstant } from "./parse-input.ts";
import { toRecord, toShortInstant, toTable } from "./print.ts";
import { TENANT_TEXT } from "./tenants-commands.ts";
import { toBillingDeps } from "./to-billing-deps.ts";
import { UsageError } from "./usage-error.ts";

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const LENGTH = /^([1-9]\d{0,5})([mhdw])$/;

/** Reads a length of time such as `14d`, milliseconds. @throws {UsageError} */
function parseLength(text: string): number {
  const [, count, unit] = LENGTH.exec(text) ?? [];
  if (count === undefined || unit === undefined) {
    throw new UsageError(
      `"${text}" is no length of time: write minutes, hours, days or weeks, such as 90m, 36h, 14d or 4w`,
    );
  }
  return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}

function toAhead(aheadMs: number): string {
  if (aheadMs === 0) {
    return "not at all: it shows the real time";
  }
  const days = Math.floor(aheadMs / UNIT_MS.d);
  const hours = Math.floor((aheadMs % UNIT_MS.d) / UNIT_MS.h);
  const minutes = Math.floor((aheadMs % UNIT_MS.h) / UNIT_MS.m);
  return `${String(days)} d ${String(hours)} h ${String(minutes)} min`;
}

function toClockText({ now, realNow, aheadMs, events }: BillingClock): string {
  const clock = toRecord([
    ["Time in the sandbox", `${toShortInstant(now)} UTC`],
    ["Real time", `${toShortInstant(realNow)} UTC`],
    ["Ahead", toAhead(aheadMs)],
  ]);
  const happened = toTable(
    events,
    [
      { header: "AT (UTC)", value: ({ at }) => toShortInstant(at) },
      { header: "WHAT HAPPENED", value: ({ text }) => text },
    ],
    "",
  );
  return happened === "" ? clock : `${clock}\n\n${happened}`;
}

/** `turnpike clock`: the time in the sandbox of a tenant. */
export function addClockCommand(cli: Cli): void {
  cli.program
    .command("clock")
    .description("show the time in the sandbox of a tenant, or let time pass there")
    .requiredOption("--tenant <tenant>", TENANT_TEXT)
    .option("--to <instant>", "let time pass up to this instant", optionParser(toInstant))
    .option(
      "--by <length>",
      "let so much time pass, such as 36h, 14d or 4w",
      optionParser(parseLength),
    )
    .addHelpText(
      "after",
      `
The sandbox is the subscription of a tenant in the environment test. While time passes, trials end, periods close and invoices are
issued there, as they would; nothing of it is owed. Its clock goes forward only, by two years at most at once, and without a
subscription in the sandbox there is nothing to advance.
${examples("clock --tenant acme", "clock --tenant acme --by 14d", "clock --tenant acme --to 2027-03-01")}`,
    )
    .action(async ({ tenant, to, by }) => {
      if (to !== undefined && by !== undefined) {
        throw new UsageError("--to and --by exclude each other");
      }
      await cli.run(async (session) => {
        const { context } = session;
        const deps = toBillingDeps(session);
        const { tenantId } = await getTenantByName(deps, context, { idOrSlug: tenant });
        if (to === undefined && by === undefined) {
          return await getClock(deps, context, { tenantId });
        }
        const { now } = await getClock(deps, context, { tenantId });
        const until = to ?? new Date(Date.parse(now) + (by ?? 0)).toISOString();
        return await advanceClock(deps, context, { tenantId, to: until });
      }, toClockText);
    });
}
