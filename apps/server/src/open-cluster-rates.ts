import { type ClusterRates, createClusterRates } from "#platform/cluster-rates.ts";
import { openPostgresRateStore } from "#platform/postgres-rate-store.ts";
import type { RateStore } from "#platform/rate-store.ts";
import { openValkeyRateStore } from "#platform/valkey-rate-store.ts";
import type { Config } from "./config.ts";
import type { Installation } from "./deps.ts";

function openStore({ config, database }: Pick<Installation, "config" | "database">) {
  const { store, prefix } = config.rateLimits;
  const stores: Record<Config["rateLimits"]["store"], () => RateStore | undefined> = {
    memory: () => undefined,
    postgres: () => openPostgresRateStore(database.target),
    valkey: () => openValkeyRateStore({ url: config.valkeyUrl ?? "", prefix }),
  };
  return stores[store]();
}

/**
 * Opens the store that the nodes share their rate limits in.
 *
 * @returns Undefined where each process has its own, as on one node.
 */
export async function openClusterRates(
  installation: Pick<Installation, "config" | "database" | "logger" | "services">,
): Promise<ClusterRates | undefined> {
  const store = openStore(installation);
  if (store === undefined) {
    return;
  }
  const { clock, newId } = installation.services;
  const rates = createClusterRates({
    store,
    member: newId("process"),
    answerMs: installation.config.rateLimits.timeoutMs,
    monotonicMs: clock.monotonicMs,
    logger: installation.logger,
  });
  await rates.start();
  return rates;
}
