import { setTimeout as delay } from "node:timers/promises";
import { usageQuery } from "@turnpike/contract/usage-query";
import type { CallContext } from "@turnpike/domain/access/actor";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import type { Config } from "../../apps/server/src/config.ts";
import { commandContext, openForCommand } from "../../apps/server/src/deps.ts";
import { queryUsage } from "../../apps/server/src/modules/analytics/index.ts";
import { applyCatalog } from "../../apps/server/src/modules/catalog/index.ts";
import { createKey, revokeKey } from "../../apps/server/src/modules/keys/index.ts";
import { createTenant, getTenantByName } from "../../apps/server/src/modules/tenants/index.ts";
import type { AppServices } from "../../apps/server/src/platform/app-services.ts";

type CreateTenantDeps = Parameters<typeof createTenant>[0];
type Open = { deps: CreateTenantDeps & AppServices; context: CallContext };

/** The tenant of one replay and the key it sends with. */
export type ReplayTenant = { tenantId: TenantId; slug: string; keyId: KeyId; key: string };

const LEDGER_POLL_MS = 50;

/** For replays only: no limit may come between the log and the ledger. */
const REPLAY_PLAN = {
  planId: "replay",
  name: "Replay",
  description: "Without limits, for access logs that are sent again.",
  currency: "USD",
  pricePerMonth: "0",
  visibility: "private",
  rateLimits: [],
  quotas: [],
} as const;

/** Opens the installation of the running server for as long as `work` takes. */
async function withInstallation<Result>(
  config: Config,
  work: (open: Open) => Promise<Result>,
): Promise<Result> {
  const installation = await openForCommand(config);
  try {
    const { services, plans } = installation;
    return await work({ deps: { ...services, plans }, context: commandContext(services) });
  } finally {
    await installation.close();
  }
}

async function createReplayKey({ deps, context }: Open, tenantId: TenantId) {
  return await createKey(deps, context, {
    tenantId,
    name: "replay",
    environment: "live",
    scopes: [],
    metadata: {},
  });
}

/** Makes a tenant for one replay of a log, on a plan without limits. */
export async function createReplayTenant(
  config: Config,
  input: { logName: string; externalId: string },
): Promise<ReplayTenant> {
  return await withInstallation(config, async (open) => {
    const { deps, context } = open;
    await applyCatalog(deps, context, { meters: [], plans: [REPLAY_PLAN] });
    const { tenantId, slug } = await createTenant(deps, context, {
      name: `Replay of ${input.logName}`.slice(0, 100),
      externalId: input.externalId,
      planId: REPLAY_PLAN.planId,
    });
    const { keyId, key } = await createReplayKey(open, tenantId);
    return { tenantId, slug, keyId, key };
  });
}

/** Gives the tenant of a replay that stopped a new key: the text of the old one was never kept. */
export async function reopenReplayTenant(
  config: Config,
  tenantId: TenantId,
): Promise<ReplayTenant> {
  return await withInstallation(config, async (open) => {
    const { slug } = await getTenantByName(open.deps, open.context, { idOrSlug: tenantId });
    const { keyId, key } = await createReplayKey(open, tenantId);
    return { tenantId, slug, keyId, key };
  });
}

/** Revokes the key of a run, whose text is gone. */
export async function closeReplayTenant(config: Config, tenant: ReplayTenant): Promise<void> {
  await withInstallation(config, async ({ deps, context }) => {
    await revokeKey(deps, context, tenant);
  });
}

/**
 * Reads what the ledger holds of a replay, asking again until it holds `calls` calls, has not changed for `settleMs`, or
 * the time is up: what the gateway answered is committed a group interval later.
 */
export async function readLedger(
  config: Config,
  input: {
    tenantId: TenantId;
    calls: number;
    settleMs: number;
    waitMs: number;
    signal: AbortSignal;
  },
): Promise<Map<number, number>> {
  return await withInstallation(config, async ({ deps, context }) => {
    const deadline = performance.now() + input.waitMs;
    const { tenantId } = input;
    let last = { calls: -1, sinceMs: 0 };
    for (;;) {
      input.signal.throwIfAborted();
      const { rows, totals } = await queryUsage(
        deps,
        context,
        usageQuery.parse({ tenantId, dimensions: "status" }),
      );
      const calls = totals.requests ?? 0;
      const nowMs = performance.now();
      if (calls !== last.calls) {
        last = { calls, sinceMs: nowMs };
      }
      const isSettled = nowMs - last.sinceMs >= input.settleMs;
      if (calls >= input.calls || isSettled || nowMs > deadline) {
        return new Map(rows.map((row) => [Number(row.group.status), row.values.requests ?? 0]));
      }
      await delay(LEDGER_POLL_MS);
    }
  });
}
