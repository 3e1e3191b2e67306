import { createHash } from "node:crypto";
import { usageQuery } from "@turnpike/contract/usage-query";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import { toId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import { periodAt } from "@turnpike/domain/time/period";
import { queryUsage } from "#modules/analytics/index.ts";
import { getEntitlement } from "#modules/entitlements/index.ts";
import { createForecasterHere, findIncidentsHere, scanAll } from "#modules/intelligence/index.ts";
import { commitGroups, getLimits, rollUpUsage, type UsageGroup } from "#modules/metering/index.ts";
import type { CommandSession } from "../run-command.ts";
import { toBillingDeps } from "../to-billing-deps.ts";
import {
  findWindow,
  type InstalledTenant,
  installTenant,
  readHardQuotas,
} from "./demo-installation.ts";
import { listDemoTenants } from "./demo-tenants.ts";
import {
  countHours,
  DAY_MS,
  type DemoHour,
  type DemoUsageInput,
  type DemoWindow,
  generateUsage,
  instantAt,
  MINUTE_MS,
  STORY,
} from "./demo-usage.ts";
import { fillAlerts } from "./fill-alerts.ts";
import { fillBilling, readPlanId } from "./fill-billing.ts";
import { fillDocuments, installCustomers } from "./fill-documents.ts";
import { fillMeters } from "./fill-meters.ts";
import { fillExport, fillViews } from "./fill-views.ts";
import { joinOperators } from "./join-operators.ts";

export type DemoInput = {
  tenants: number;
  days: number;
  seed: number;
  /** How many invoices of each kind. */
  invoices: number;
};

export type DemoProgress = {
  hoursDone: number;
  hoursTotal: number;
  entriesWritten: number;
};

export type DemoResult = {
  seed: number;
  /** ISO 8601, UTC. */
  from: string;
  to: string;
  tenants: { tenantId: string; slug: string; planId: string }[];
  keys: number;
  /** Operators, all of whom own the tenants. */
  operators: number;
  /** What this run added; 0 when nothing was missing. */
  groups: number;
  entries: number;
  calls: number;
  meters: number;
  events: number;
  invoices: number;
  alerts: number;
  views: number;
  exports: number;
};

/** Entries of one transaction: some thousand rows, well within the time limit of a statement. */
const BATCH_ENTRIES = 2_000;
const BATCH_GROUPS = 200;

function chooseWindow(nowMs: number, days: number): DemoWindow {
  const fromMs = Math.floor((nowMs - days * DAY_MS) / DAY_MS) * DAY_MS;
  return { fromMs, untilMs: Math.floor(nowMs / MINUTE_MS) * MINUTE_MS };
}

/** Derives the id of an hour's group from its identity, so that it counts once however often it is written. */
function groupIdOf(input: DemoUsageInput, hour: DemoHour): UsageGroup["groupId"] {
  const words = [input.seed, input.tenantId, input.window.fromMs, hour.startMs].join("|");
  return toId("group", createHash("sha256").update(words).digest("hex").slice(0, 32));
}

function toGroup(input: DemoUsageInput, hour: DemoHour): UsageGroup {
  const processHash = createHash("sha256")
    .update(`demo|${String(input.seed)}`)
    .digest("hex");
  return {
    groupId: groupIdOf(input, hour),
    processId: toId("process", processHash.slice(0, 32)),
    // The last millisecond of the hour lies in the hour's own billing period.
    recordedAtMs: hour.endMs - 1,
    entries: hour.entries,
    spends: [],
  };
}

/**
 * Finds how much of the current period's balance is not the demo's: real calls, leases, forfeited units. The demo must leave it,
 * or it would overshoot a hard quota.
 */
async function findUsedByOthers(
  session: CommandSession,
  installed: InstalledTenant,
  periodStart: Date,
): Promise<(environment: Environment) => number> {
  const { deps, context } = session;
  const { tenantId } = installed.reply;
  const { quotas } = await getLimits(deps, context, { tenantId });
  const question = { tenantId, measures: "billable", dimensions: "key", meter: REQUESTS_METER };
  const { rows } = await queryUsage(
    deps,
    context,
    usageQuery.parse({ ...question, from: periodStart.toISOString() }),
  );
  const ofDemo = new Map(rows.map((row) => [row.group.key, Number(row.values.billable)]));
  return (environment) => {
    const balance = quotas.find(
      (quota) => quota.meter === REQUESTS_METER && quota.environment === environment,
    );
    const taken =
      Number(balance?.used ?? 0) + Number(balance?.leased ?? 0) + Number(balance?.forfeited ?? 0);
    const own = installed.keys
      .filter((key) => key.environment === environment)
      .reduce((sum, key) => sum + (ofDemo.get(key.keyId) ?? 0), 0);
    return Math.max(0, taken - own);
  };
}

async function toUsageInput(
  session: CommandSession,
  installed: InstalledTenant,
  input: { seed: number; window: DemoWindow; hardQuota: number | null },
): Promise<DemoUsageInput> {
  const { tenant, reply, joinedAtMs, keys } = installed;
  const { seed, window, hardQuota } = input;
  const { deps, context } = session;
  const { periodAnchor, periodUnit } = await getEntitlement(deps, context, reply);
  const current = periodAt(periodAnchor, periodUnit, deps.clock.now()).start;
  const byOthers = await findUsedByOthers(session, installed, current);
  const upgradedAtMs = tenant.story === "upgrade" ? instantAt(window, STORY.upgrade) : Infinity;
  return {
    seed,
    window,
    tenantId: reply.tenantId,
    tenant,
    joinedAtMs,
    periodAnchor,
    periodUnit,
    keys,
    hardQuotaOf: (environment, periodStartMs) => {
      const isUpgradedWithin = periodStartMs + 31 * DAY_MS > upgradedAtMs;
      if (hardQuota === null || isUpgradedWithin) {
        return null;
      }
      return periodStartMs === current.getTime()
        ? Math.max(0, hardQuota - byOthers(environment))
        : hardQuota;
    },
  };
}

type Batch = { groups: UsageGroup[]; ledgerEntries: number };

/**
 * Collects the groups of a tenant into batches, so that memory holds one batch at a time. Every run cuts them the same way, and
 * each is one transaction.
 */
function* toBatches(input: DemoUsageInput): Generator<Batch> {
  let batch: Batch = { groups: [], ledgerEntries: 0 };
  let entries = 0;
  for (const hour of generateUsage(input)) {
    batch.groups.push(toGroup(input, hour));
    batch.ledgerEntries += hour.ledgerEntries;
    entries += hour.entries.length;
    if (entries >= BATCH_ENTRIES || batch.groups.length >= BATCH_GROUPS) {
      yield batch;
      batch = { groups: [], ledgerEntries: 0 };
      entries = 0;
    }
  }
  yield batch;
}

function* toAllBatches(inputs: readonly DemoUsageInput[]): Generator<Batch> {
  for (const input of inputs) {
    yield* toBatches(input);
  }
}

async function writeUsage(
  session: CommandSession,
  inputs: readonly DemoUsageInput[],
  onProgress: (progress: DemoProgress) => void,
): Promise<{ groups: number; entries: number; calls: number }> {
  const hoursTotal = inputs.reduce((sum, input) => sum + countHours(input), 0);
  const added = { groups: 0, entries: 0, calls: 0 };
  let hoursDone = 0;
  for (const batch of toAllBatches(inputs)) {
    session.signal.throwIfAborted();
    const { groups } = batch;
    const fresh = await commitGroups(session.deps, groups);
    hoursDone += groups.length;
    if (fresh === groups.length) {
      const entries = groups.flatMap((group) => group.entries);
      added.entries += batch.ledgerEntries;
      added.calls += entries.reduce((sum, entry) => sum + entry.calls, 0);
    }
    added.groups += fresh;
    onProgress({ hoursDone, hoursTotal, entriesWritten: added.entries });
  }
  return added;
}

/**
 * Adds what was written to the rollups at once. The jobs would do so within ten minutes; until then, every chart would add up
 * months of commits.
 */
async function rollUpAll({ deps, signal }: CommandSession): Promise<void> {
  await rollUpUsage(deps, "minutes", { signal });
  await rollUpUsage(deps, "hours", { signal });
}

/**
 * Fills the installation with tenants, keys and usage generated from a seed, through the use cases of the API and the
 * transaction of the gateway. An interrupted run continues with the next one of the same seed; a run after a finished one adds
 * nothing.
 */
export async function fillDemo(
  session: CommandSession,
  input: DemoInput,
  onProgress: (progress: DemoProgress) => void,
): Promise<DemoResult> {
  const { seed } = input;
  const hardQuotas = await readHardQuotas(session);
  const window =
    (await findWindow(session, seed)) ??
    chooseWindow(session.deps.clock.now().getTime(), input.days);
  const installed: InstalledTenant[] = [];
  for (const [index, tenant] of listDemoTenants(input.tenants).entries()) {
    session.signal.throwIfAborted();
    installed.push(await installTenant(session, { tenant, seed, index, window }));
  }
  const customers = await installCustomers(session, { seed, window, count: input.invoices });
  const operators = await joinOperators(
    session,
    [...installed, ...customers].map(({ reply }) => reply.tenantId),
  );
  // Tenants with a hard quota first, so that real calls have little time to get in between.
  const ordered = [...installed].sort(
    (a, b) =>
      Number(hardQuotas[a.tenant.planId] === null) - Number(hardQuotas[b.tenant.planId] === null),
  );
  const usage: DemoUsageInput[] = [];
  for (const one of ordered) {
    const hardQuota = hardQuotas[one.tenant.planId];
    usage.push(await toUsageInput(session, one, { seed, window, hardQuota }));
  }
  const added = await writeUsage(session, usage, onProgress);
  const counted = await fillMeters(session, installed, { seed, window });
  await rollUpAll(session);
  const invoices =
    (await fillBilling(session, installed, window)) +
    (await fillDocuments(session, customers, { window, count: input.invoices }));
  const tenants: DemoResult["tenants"] = [];
  for (const one of [...installed, ...customers]) {
    const { tenantId, slug } = one.reply;
    tenants.push({ tenantId, slug, planId: await readPlanId(session, one) });
  }
  const alerts = await fillAlerts(session, installed, window);
  const views = await fillViews(session, installed, window);
  const exports = await fillExport(session, installed, window);
  // The job of the next hour would find the same.
  await scanAll(
    {
      ...toBillingDeps(session),
      findIncidents: findIncidentsHere,
      forecaster: createForecasterHere(),
    },
    session.signal,
  );
  return {
    seed,
    from: new Date(window.fromMs).toISOString(),
    to: new Date(window.untilMs).toISOString(),
    tenants,
    keys: installed.reduce((sum, { keys }) => sum + keys.length, 0),
    operators,
    ...added,
    ...counted,
    invoices,
    alerts,
    views,
    exports,
  };
}
