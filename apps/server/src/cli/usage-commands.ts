import { USAGE_DIMENSIONS, usageQuery } from "@turnpike/contract/usage";
import { getLimits, queryUsage, queryUsageOfAll, reconcile } from "#modules/metering/index.ts";
import { getTenantByName, listTenants } from "#modules/tenants/index.ts";
import { type Cli, examples, optionParser } from "./cli.ts";
import { parseInput, parseInstant } from "./parse-input.ts";
import { toGrouped, toRecord, toShortInstant, toTable } from "./print.ts";
import { EXIT_FAILED } from "./report-failure.ts";
import type { CommandSession } from "./run-command.ts";
import { TENANT_TEXT } from "./tenants-commands.ts";

type Usage = Awaited<ReturnType<typeof queryUsage>>;
type Limits = Awaited<ReturnType<typeof getLimits>>;
type Reconciled = Awaited<ReturnType<typeof reconcile>>;

/** Names the tenant that is meant: the one asked for, the only one there is, or null for all together. */
async function findSubject({ deps, context }: CommandSession, tenant: string | undefined) {
  if (tenant !== undefined) {
    return await getTenantByName(deps, context, { idOrSlug: tenant });
  }
  const { items } = await listTenants(deps, context, { limit: 2 });
  return items.length === 1 ? (items[0] ?? null) : null;
}

function toUsageTable(usage: Usage & { by: string }): string {
  if (usage.by === "total") {
    return toRecord([
      ["Calls", toGrouped(usage.calls)],
      ["Billable units", toGrouped(usage.quantity)],
    ]);
  }
  return toTable(
    [...usage.rows, { group: "total", calls: usage.calls, quantity: usage.quantity }],
    [
      { header: usage.by.toUpperCase(), value: (row) => row.group },
      { header: "CALLS", value: (row) => toGrouped(row.calls), align: "right" },
      { header: "BILLABLE UNITS", value: (row) => toGrouped(row.quantity), align: "right" },
    ],
    "",
  );
}

function toUsageText(usage: Usage & { by: string; tenant: string | null }): string {
  const subject = usage.tenant === null ? "All tenants" : `Tenant ${usage.tenant}`;
  const more = usage.truncated ? "\nThere is more: narrow the range with --from and --to." : "";
  return `${subject}\n${toUsageTable(usage)}${more}`;
}

function toLimitsText(limits: Limits): string {
  const rates = limits.rateLimits.map(
    (rate) =>
      `Rate limit ${rate.name}: ${toGrouped(rate.limit)} calls in ${String(rate.windowSeconds)} s`,
  );
  const quotas = toTable(
    limits.quotas,
    [
      { header: "METER", value: (quota) => quota.meter },
      { header: "ENVIRONMENT", value: (quota) => quota.environment },
      { header: "KIND", value: (quota) => quota.kind },
      { header: "LIMIT", value: (quota) => toGrouped(quota.limit), align: "right" },
      { header: "USED", value: (quota) => toGrouped(quota.used), align: "right" },
      { header: "LEASED", value: (quota) => toGrouped(quota.leased), align: "right" },
      { header: "FORFEITED", value: (quota) => toGrouped(quota.forfeited), align: "right" },
      { header: "LEFT", value: (quota) => toGrouped(quota.remaining), align: "right" },
      { header: "RESETS (UTC)", value: (quota) => toShortInstant(quota.resetAt) },
    ],
    "No quotas.",
  );
  return [`Plan ${limits.planId}, version ${String(limits.planVersion)}`, ...rates, quotas].join(
    "\n",
  );
}

function toReconcileText(result: Reconciled): string {
  const findings = result.findings.map(
    (finding) =>
      `  ${finding.what} ${JSON.stringify(finding.place)}: ledger ${finding.ledger}, derived ${finding.derived}`,
  );
  return [
    toRecord([
      ["Drift", toGrouped(result.drift)],
      ["Entries", toGrouped(result.entries)],
      ["Calls", toGrouped(result.calls)],
      ["Rollups", toGrouped(result.rollups)],
      ["Balances", toGrouped(result.balances)],
      ["Forfeited units", toGrouped(result.forfeited)],
    ]),
    ...findings,
  ].join("\n");
}

/** `turnpike usage`, `limits` and `reconcile`: what the ledger says. */
export function addUsageCommands(cli: Cli): void {
  cli.program
    .command("usage")
    .description("sum usage from the ledger: of a tenant, of the only one there is, or of all")
    .option("--tenant <tenant>", TENANT_TEXT)
    .option("--by <dimension>", USAGE_DIMENSIONS.join(", "), "total")
    .option("--meter <meter>", "what is counted", "requests")
    .option("--from <instant>", "calls from here on, inclusive", optionParser(parseInstant))
    .option("--to <instant>", "calls before this", optionParser(parseInstant))
    .addHelpText(
      "after",
      examples(
        "usage --by status",
        "usage --tenant blue-heron-maps --by day --from 2026-01-01 --to 2026-02-01",
      ),
    )
    .action(async ({ tenant, ...options }) => {
      const query = parseInput(usageQuery.omit({ tenantId: true }), options);
      await cli.run(async (session) => {
        const { deps, context } = session;
        const subject = await findSubject(session, tenant);
        const usage =
          subject === null
            ? await queryUsageOfAll(deps, context, query)
            : await queryUsage(deps, context, { ...query, tenantId: subject.tenantId });
        const tenantId = subject?.tenantId ?? null;
        return { tenantId, tenant: subject?.slug ?? null, by: query.by, ...usage };
      }, toUsageText);
    });

  cli.program
    .command("limits")
    .description("show the limits of a tenant with what is used and left in this period")
    .requiredOption("--tenant <tenant>", TENANT_TEXT)
    .addHelpText("after", examples("limits --tenant blue-heron-maps"))
    .action(async ({ tenant }) => {
      await cli.run(async ({ deps, context }) => {
        const { tenantId } = await getTenantByName(deps, context, { idOrSlug: tenant });
        return await getLimits(deps, context, { tenantId });
      }, toLimitsText);
    });

  cli.program
    .command("reconcile")
    .description(
      "recompute rollups and balances from the raw entries; exit code 1 when one of them differs",
    )
    .addHelpText("after", examples("reconcile", "reconcile --json"))
    .action(async () => {
      const result = await cli.run(
        ({ deps, context }) => reconcile(deps, context),
        toReconcileText,
      );
      if (result.drift !== 0) {
        cli.environment.setExitCode(EXIT_FAILED);
      }
    });
}
