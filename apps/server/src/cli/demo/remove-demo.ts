import { type DeletedMeter, deleteMeter, listMeters } from "#modules/catalog/index.ts";
import { removeInventedUsers } from "#modules/identity/index.ts";
import { isMeterUsed, removeDemoUsage } from "#modules/metering/index.ts";
import { listDemoTenants, removeDemoTenant } from "#modules/tenants/index.ts";
import type { CommandSession } from "../run-command.ts";
import { DEMO_ISSUER } from "./demo-installation.ts";
import { archiveDemoPlans } from "./demo-plans.ts";
import { isDemoMeter } from "./fill-meters.ts";

export type DemoRemoval = {
  tenants: { tenantId: string; slug: string }[];
  users: number;
  /** What the ledger had of these tenants. */
  entries: number;
  calls: number;
  /** Meters that were removed. */
  meters: string[];
  /** Plans that were archived: a published version stays. */
  plans: string[];
  /** Meters that stay, and why. */
  metersKept: { meterId: string; reason: Exclude<DeletedMeter, "deleted" | "not there"> }[];
};

async function removeMeters(
  session: CommandSession,
): Promise<Pick<DemoRemoval, "meters" | "metersKept">> {
  const { deps, context, signal } = session;
  const { items } = await listMeters(deps, context);
  const meters: string[] = [];
  const metersKept: DemoRemoval["metersKept"] = [];
  for (const { meterId } of items.filter(isDemoMeter)) {
    signal.throwIfAborted();
    const outcome = await deleteMeter({ ...deps, isMeterUsed }, context, { meterId });
    if (outcome === "deleted") {
      meters.push(meterId);
    } else if (outcome !== "not there") {
      metersKept.push({ meterId, reason: outcome });
    }
  }
  return { meters, metersKept };
}

/**
 * Removes every demo that was filled in, regardless of its seed: its tenants with their keys and usage, its people and its meters.
 * Meters that other tenants use, or that a plan names, stay. Interrupted, it goes on when called again.
 */
export async function removeDemo(
  session: CommandSession,
  onProgress: (progress: { done: number; total: number }) => void,
): Promise<DemoRemoval> {
  const { deps, context, signal } = session;
  const tenants = await listDemoTenants(deps, context);
  const removed = { entries: 0, calls: 0 };
  for (const [index, { tenantId }] of tenants.entries()) {
    signal.throwIfAborted();
    onProgress({ done: index, total: tenants.length });
    const usage = await removeDemoTenant({ ...deps, removeUsage: removeDemoUsage }, context, {
      tenantId,
    });
    removed.entries += usage.entries;
    removed.calls += usage.calls;
  }
  const users = await removeInventedUsers(deps, context, { issuer: DEMO_ISSUER, prefix: "ten_" });
  return {
    tenants: tenants.map(({ tenantId, slug }) => ({ tenantId, slug })),
    users,
    ...removed,
    plans: await archiveDemoPlans(session),
    ...(await removeMeters(session)),
  };
}
