import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sql } from "@turnpike/db/client";
import type { Bench, BenchOptions, BenchResult } from "./rig/bench.ts";
import { makePatternTenant } from "./rig/make-pattern-tenant.ts";
import {
  cpuSecondsOfTree,
  nextMessage,
  pinningRemarks,
  startPinned,
} from "./rig/pinned-process.ts";
import { ROWS_PER_HOUR, seedWatchedUsage, TENANTS_PER_INCIDENT } from "./rig/seed-watched-usage.ts";
import { round } from "./rig/statistics.ts";
import { type BenchDatabase, withProductDatabase } from "./rig/with-product-database.ts";

const TENANTS = 1_000;
/** What an hourly job may take of the hour. */
const BOUND_SECONDS = 300;
const HOUR_MS = 60 * 60_000;
const MIB = 1024 ** 2;
const PROGRAM = join(import.meta.dirname, "programs/scan-insights.ts");

type Scan = { tenants: number; ms: number; maxRssBytes: number; coreSeconds: number };
type Claims = { incidents: number; byKey: number; others: number };

/** Puts the database server on the core of what serves: backends that it starts from now on inherit that. @returns Its pid. */
async function pinDatabase(folder: string): Promise<number> {
  const [pid = ""] = (await readFile(join(folder, "postgres/postmaster.pid"), "utf8")).split("\n");
  spawnSync("taskset", ["-a", "-cp", "0", pid], { stdio: "ignore" });
  return Number(pid);
}

async function countClaims(sql: Sql): Promise<Claims> {
  const [row] = await sql<[Claims]>`
    select count(*) filter (where facts #>> '{evidence,measure}' = 'requests')::int as incidents,
      count(*) filter (where facts #>> '{action,do}' = 'limit_key')::int as "byKey",
      count(*) filter (where facts #>> '{evidence,measure}' <> 'requests')::int as others
    from insights where kind = 'anomaly'`;
  return row;
}

async function measure(
  { database, sql, folder }: BenchDatabase,
  options: BenchOptions,
): Promise<BenchResult> {
  const endMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const pattern = await makePatternTenant(database);
  await seedWatchedUsage(sql, { pattern, count: TENANTS, endMs, note: options.note });
  const databasePid = await pinDatabase(folder);
  options.note("the scan");
  const before = cpuSecondsOfTree(databasePid);
  const scanning = startPinned([process.execPath, PROGRAM, JSON.stringify(database.target)], {
    core: "server",
  });
  const reported = (await nextMessage(scanning.child, {
    who: "The scan",
    signal: AbortSignal.timeout(HOUR_MS),
  })) as Omit<Scan, "coreSeconds">;
  const coreSeconds = cpuSecondsOfTree(databasePid) - before + scanning.cpuSeconds();
  scanning.child.send("read");
  const claims = await countClaims(sql);
  return toResult({ ...reported, coreSeconds }, claims);
}

function toResult({ tenants, ms, maxRssBytes, coreSeconds }: Scan, claims: Claims): BenchResult {
  const seconds = ms / 1000;
  if (tenants !== TENANTS) {
    throw new Error(`${String(tenants)} of ${String(TENANTS)} tenants were looked at.`);
  }
  const injected = TENANTS / TENANTS_PER_INCIDENT;
  return {
    table: [
      {
        tenants,
        seconds: round(seconds),
        "core seconds": round(coreSeconds),
        "core ms/tenant": round((coreSeconds * 1000) / tenants),
        "incidents found": `${String(claims.incidents)} of ${String(injected)}`,
        "by their key": claims.byKey,
        "other claims": claims.others,
        "peak MiB": Math.round(maxRssBytes / MIB),
      },
    ],
    ratios: { ofBound: round(coreSeconds / BOUND_SECONDS) },
    figures: { seconds: round(seconds), coreSeconds: round(coreSeconds) },
    remarks: [
      `Each tenant has four weeks by the hour, ${String(ROWS_PER_HOUR)} rows an hour; the scan and the database share one core. Everything is included: questions, detection, explanation, keys, quotas, invoices, the look at all tenants together, and storing.`,
      `“core seconds” are the processor time of the scan, its start included, and of the database; ofBound is that over the ${String(BOUND_SECONDS)} s that an hourly scan of ${String(TENANTS)} tenants may take. In one tenant of ${String(TENANTS_PER_INCIDENT)}, a key makes many more calls in the last hours.`,
      ...pinningRemarks(),
    ],
  };
}

function run(options: BenchOptions): Promise<BenchResult> {
  return withProductDatabase((bench) => measure(bench, options));
}

export const insightsBench: Bench = {
  name: "insights",
  summary: "The hourly look at 1,000 tenants on one core, against the five minutes it may take.",
  defaults: { seconds: 1, rounds: 1 },
  run,
};
