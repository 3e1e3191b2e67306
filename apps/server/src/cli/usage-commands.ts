import { meter as meterShape } from "@turnpike/contract/catalog";
import { usageReport } from "@turnpike/contract/usage";
import {
  allUsageQuery,
  USAGE_DIMENSIONS,
  type UsageQuestion,
} from "@turnpike/contract/usage-query";
import { USAGE_CLASSES } from "@turnpike/domain/metering/usage-history";
import { USAGE_RANGE_DAYS_MAX } from "@turnpike/domain/metering/usage-range";
import { toGrouped } from "@turnpike/domain/text/to-grouped";
import { DAY_MS, GRAINS } from "@turnpike/domain/time/zoned-buckets";
import { z } from "zod";
import { queryUsage, queryUsageOfAll } from "#modules/analytics/index.ts";
import { reconcileInvoices } from "#modules/billing/index.ts";
import { listMeters } from "#modules/catalog/index.ts";
import { getLimits, reconcile } from "#modules/metering/index.ts";
import { getTenantByName, listTenants } from "#modules/tenants/index.ts";
import { type Cli, examples, optionParser } from "./cli.ts";
import { parseInput, toInstant } from "./parse-input.ts";
import { toRecord, toShortInstant, toTable } from "./print.ts";
import type { RemoteApi } from "./remote/remote-api.ts";
import { EXIT_FAILED } from "./report-failure.ts";
import type { CommandSession } from "./run-command.ts";
import { TENANT_TEXT } from "./tenants-commands.ts";

const metersShape = z.object({ items: z.array(meterShape) });

type Report = Awaited<ReturnType<typeof queryUsage>>;
type Limits = Awaited<ReturnType<typeof getLimits>>;
type Reconciled = Awaited<ReturnType<typeof reconcileAll>>;

/** Compares the ledger with what is derived from it, and then invoices with the ledger. */
async function reconcileAll({ deps, context }: CommandSession) {
  const usage = await reconcile(deps, context);
  const { invoices, findings } = await reconcileInvoices(deps, context);
  return {
    ...usage,
    drift: usage.drift + findings.length,
    invoices,
    findings: [...usage.findings, ...findings],
  };
}

/** Names the tenant that is meant: the one asked for, the only one there is, or null for all together. */
async function findSubject({ deps, context }: CommandSession, tenant: string | undefined) {
  if (tenant !== undefined) {
    return await getTenantByName(deps, context, { idOrSlug: tenant });
  }
  const { items } = await listTenants(deps, context, { limit: 2 });
  return items.length === 1 ? (items[0] ?? null) : null;
}

/** By what the command sums: nothing, one dimension, or buckets of time in UTC. */
const BY = ["total", ...USAGE_DIMENSIONS, ...GRAINS] as const;

const usageOptions = z.strictObject({
  ...allUsageQuery.pick({ meter: true, from: true, to: true }).shape,
  by: z.enum(BY),
});
type UsageOptions = z.output<typeof usageOptions>;

/** One row of the command: a value of what is summed by, with its calls and billable units. */
type UsageLine = { group: string; calls: number; quantity: string };
type Usage = {
  rows: UsageLine[];
  calls: number;
  quantity: string;
  truncated: boolean;
  /** What the field `calls` counts: the meter of calls is one of many. */
  counted: "calls" | "events";
  /** What was summed, `[from, to)`. */
  from: string;
  to: string;
};

/** Left out, the range is all that is kept, by time as far as the grain reaches. */
function toQuestion({ by, meter, from, to }: UsageOptions, now: Date): UsageQuestion {
  const asked = allUsageQuery.parse({ measures: "requests,billable" });
  const question = { ...asked, dimensions: [], meter, from, to };
  const grain = GRAINS.find((name) => name === by);
  const dimension = USAGE_DIMENSIONS.find((name) => name === by);
  if (grain !== undefined) {
    const toMs = to === undefined ? now.getTime() : Date.parse(to);
    const earliestMs = Math.max(0, toMs - USAGE_RANGE_DAYS_MAX[grain] * DAY_MS);
    const reach = new Date(earliestMs).toISOString();
    return { ...question, grain, from: from ?? reach, order: ["time"] };
  }
  return dimension === undefined
    ? question
    : { ...question, dimensions: [dimension], order: [dimension] };
}

function toLine(group: string, values: Report["totals"]): UsageLine {
  return { group, calls: values.requests ?? 0, quantity: values.billable ?? "0" };
}

/** Instants of this command have no milliseconds: buckets begin on whole minutes. */
function toGroupText({ time, group }: Report["rows"][number]): string {
  return time === null ? (Object.values(group)[0] ?? "total") : time.replace(".000Z", "Z");
}

function toUsage(report: Report, counted: Usage["counted"]): Usage {
  const { calls, quantity } = toLine("", report.totals);
  const rows = report.rows.map((row) => toLine(toGroupText(row), row.values));
  const { truncated, from, to } = report;
  return { rows, calls, quantity, truncated, counted, from, to };
}

/** Events that came with a service key belong to no key of the tenant. */
function toRowText(by: string, group: string): string {
  return by === "key" && group === "" ? "Sent by the operator" : group;
}

function toUsageTable(usage: Usage & { by: string }): string {
  const counted = usage.counted === "calls" ? "Calls" : "Events";
  if (usage.by === "total") {
    return toRecord([
      [counted, toGrouped(usage.calls)],
      ["Billable units", toGrouped(usage.quantity)],
    ]);
  }
  return toTable(
    [...usage.rows, { group: "total", calls: usage.calls, quantity: usage.quantity }],
    [
      { header: usage.by.toUpperCase(), value: (row) => toRowText(usage.by, row.group) },
      { header: counted.toUpperCase(), value: (row) => toGrouped(row.calls), align: "right" },
      { header: "BILLABLE UNITS", value: (row) => toGrouped(row.quantity), align: "right" },
    ],
    "",
  );
}

function toUsageText(usage: Usage & { by: string; tenant: string | null }): string {
  const subject = usage.tenant === null ? "All tenants" : `Tenant ${usage.tenant}`;
  const more = usage.truncated ? "\nThere is more: narrow the range with --from and --to." : "";
  const isByTime = GRAINS.some((grain) => grain === usage.by);
  // Without --from it begins as far back as the grain reaches, which may be after all there is.
  const range = isByTime
    ? `, ${toShortInstant(usage.from)} to ${toShortInstant(usage.to)} UTC`
    : "";
  return `${subject}${range}\n${toUsageTable(usage)}${more}`;
}

const LEASED_EXPLAINED =
  "LEASED: held by running processes for the calls to come. It is part of LEFT until it is used, and what is not used goes back.";

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
      { header: "LOCKED", value: (quota) => toGrouped(quota.locked), align: "right" },
      { header: "FORFEITED", value: (quota) => toGrouped(quota.forfeited), align: "right" },
      { header: "LEFT", value: (quota) => toGrouped(quota.remaining), align: "right" },
      { header: "RESETS (UTC)", value: (quota) => toShortInstant(quota.resetAt) },
    ],
    "No quotas.",
  );
  const atOnce =
    limits.concurrency === null ? [] : [`Calls at once: ${toGrouped(limits.concurrency)}`];
  const plan = `Plan ${limits.planId}, version ${String(limits.planVersion)}`;
  const words = limits.quotas.some(({ leased }) => Number(leased) > 0) ? [LEASED_EXPLAINED] : [];
  return [plan, ...rates, ...atOnce, quotas, ...words].join("\n");
}

function toReconcileText(result: Reconciled): string {
  const findings = result.findings.map(
    (finding) =>
      `  ${finding.what} ${JSON.stringify(finding.place)}: ledger ${finding.ledger}, derived ${finding.derived}`,
  );
  const kept = USAGE_CLASSES.flatMap((name) => {
    const from = result.keptFrom[name];
    return from === null ? [] : [`  The ${name} before ${from.slice(0, 10)} are not kept.`];
  });
  return [
    toRecord([
      ["Drift", toGrouped(result.drift)],
      ["Entries", toGrouped(result.entries)],
      ["Calls and events", toGrouped(result.calls)],
      ["Rollups", toGrouped(result.rollups)],
      ["Balances", toGrouped(result.balances)],
      ["Invoices", toGrouped(result.invoices)],
      ["Locked units", toGrouped(result.locked)],
      ["Forfeited units", toGrouped(result.forfeited)],
    ]),
    ...kept,
    ...findings,
  ].join("\n");
}

/** It reads all there is: a minute for some ten million calls on a busy machine. `--timeout` says otherwise. */
const RECONCILE_TIMEOUT_SECONDS = 3_600;

/** `turnpike usage`, `limits` and `reconcile`: what the ledger says. */
export function addUsageCommands(cli: Cli): void {
  cli.program
    .command("usage")
    .description("sum usage from the ledger: of a tenant, of the only one there is, or of all")
    .option("--tenant <tenant>", TENANT_TEXT)
    .option("--by <dimension>", BY.join(", "), "total")
    .option("--meter <meter>", "what is counted", "requests")
    .option("--from <instant>", "calls or events from here on, inclusive", optionParser(toInstant))
    .option("--to <instant>", "calls or events before this", optionParser(toInstant))
    .addHelpText(
      "after",
      examples(
        "usage --by status",
        "usage --tenant blue-heron-maps --by day --from 2026-01-01 --to 2026-02-01",
      ),
    )
    .action(async ({ tenant, ...options }) => {
      const asked = parseInput(usageOptions, options);
      const here = async (session: CommandSession) => {
        const { deps, context } = session;
        const subject = await findSubject(session, tenant);
        const question = toQuestion(asked, deps.clock.now());
        const report =
          subject === null
            ? await queryUsageOfAll(deps, context, question)
            : await queryUsage(deps, context, { ...question, tenantId: subject.tenantId });
        const tenantId = subject?.tenantId ?? null;
        const { items: meters } = await listMeters(deps, context);
        const eventType = meters.find(({ meterId }) => meterId === asked.meter)?.eventType;
        const usage = toUsage(report, eventType === undefined ? "calls" : "events");
        return { tenantId, tenant: subject?.slug ?? null, by: asked.by, ...usage };
      };
      const there = async (api: RemoteApi) => {
        const subject = await (tenant === undefined ? api.getOnlyTenant() : api.getTenant(tenant));
        const { tenantId } = subject;
        const question = toQuestion(asked, new Date());
        const query = {
          ...{ meter: question.meter, from: question.from, to: question.to, grain: question.grain },
          measures: question.measures.join(","),
          dimensions: question.dimensions.join(","),
          order: question.order?.join(","),
        };
        const path = `/v1/tenants/${tenantId}/usage`;
        const report = await api.call({ method: "GET", path, query }, usageReport);
        const meters = await api.call({ method: "GET", path: "/v1/meters" }, metersShape);
        const eventType = meters.items.find(({ meterId }) => meterId === asked.meter)?.eventType;
        const usage = toUsage(report, eventType === undefined ? "calls" : "events");
        return { tenantId, tenant: subject.slug, by: asked.by, ...usage };
      };
      await cli.runAnywhere<Awaited<ReturnType<typeof here>>>({ here, there, toText: toUsageText });
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
      "recompute rollups, balances and invoices from the raw entries; exit code 1 when one of them differs",
    )
    .addHelpText("after", examples("reconcile", "reconcile --json"))
    .action(async () => {
      const result = await cli.run(reconcileAll, toReconcileText, RECONCILE_TIMEOUT_SECONDS);
      if (result.drift !== 0) {
        cli.environment.setExitCode(EXIT_FAILED);
      }
    });
}
