import { setTimeout as delay } from "node:timers/promises";
import { openFileStore } from "#modules/files/index.ts";
import { startMetering } from "#modules/metering/index.ts";
import { CHANGES_CHANNEL, createChangeFeed } from "#platform/change-feed.ts";
import { openClickHouse } from "#platform/clickhouse.ts";
import { closeServer, listen, toPortError } from "#platform/listen.ts";
import { watchLoop } from "#platform/loop-watch.ts";
import { createOutbound } from "#platform/outbound.ts";
import { createListen } from "#platform/postgres-listen.ts";
import { buildApp } from "./app.ts";
import type { AppInput } from "./app-input.ts";
import { createAttempts } from "./create-attempts.ts";
import { openClusterRates } from "./open-cluster-rates.ts";
import { openIdentityProvider } from "./open-identity-provider.ts";
import { openKeyPlaces } from "./open-key-places.ts";
import { toNodeName } from "./open-nodes.ts";
import { openSso, readIdentitySecret } from "./open-sso.ts";
import { openWebhooks, readWebhookSettings } from "./open-webhooks.ts";
import { readSigningSecret } from "./read-signing-secret.ts";
import type { ServingHealth } from "./serving-health.ts";
import { toClickHouseSettings } from "./to-clickhouse-settings.ts";
import { toFileSettings } from "./to-file-settings.ts";

/** Time for calls under way, once asked to stop. */
const DRAIN_MS = 10_000;
/** Then for usage to be committed, and again for leases to be given back. */
const COMMIT_MS = 5_000;
/** Then for calls to be logged. */
const LOG_MS = 2_000;
/** All of it, with what follows: closing connections. */
export const SERVING_STOP_MS = DRAIN_MS + 2 * COMMIT_MS + LOG_MS + 3_000;

export type ServeInput = Pick<
  AppInput,
  "installation" | "upstreams" | "urls" | "version" | "jobs" | "worker" | "shared"
> & {
  ports: { people: number; programs: number };
  /** Of the journal, and of what tells the next start who wrote it; this thread's own. */
  folder: string;
};

/** A thread that serves both listeners and meters what it serves. */
export type Serving = {
  health(): ServingHealth;
  /** Lets calls under way finish, commits usage and gives leases back. */
  stop(): Promise<void>;
};

/**
 * Opens everything that serves calls and people, and listens.
 *
 * @throws {StartupError} `PORT_TAKEN`, `SECRET_FILE_UNUSABLE`, `CELL_REFUSED`.
 */
export async function serve(input: ServeInput): Promise<Serving> {
  const { installation, urls, ports, worker } = input;
  const { config, services, logger, database } = installation;
  const leaving = new AbortController();
  const draining = new AbortController();
  const changes = createChangeFeed({
    transact: services.transact,
    listen: createListen(database.target, CHANGES_CHANNEL),
    clock: services.clock,
    logger,
  });
  const nodeName = toNodeName(ports.people);
  const metering = await startMetering(
    { ...services, folder: input.folder, nodeName },
    config.metering,
  );
  const outbound = createOutbound();
  const clusterRates = await openClusterRates(installation);
  const clickhouseSettings = toClickHouseSettings(config);
  const clickhouse = clickhouseSettings && openClickHouse(clickhouseSettings);
  const identitySecret = await readIdentitySecret(config);
  const keyPlaces = await openKeyPlaces(installation, urls);
  const sso = openSso(installation, { consoleUrl: urls.console, identitySecret });
  const builtinProvider = await openIdentityProvider({
    installation,
    sso,
    identitySecret,
    jobs: input.jobs.queue,
    consoleUrl: urls.console,
    attempts: createAttempts({ ...input, clusterRates })("sign-in"),
  });
  const files = await openFileStore(toFileSettings(config), services);
  const app = buildApp({
    ...input,
    metering,
    changes,
    signingSecret: await readSigningSecret(config),
    builtinProvider,
    sso,
    outbound,
    fileStore: files.fileStore,
    webhooks: openWebhooks(await readWebhookSettings(config)),
    leaving: leaving.signal,
    draining: draining.signal,
    clusterRates,
    clickhouse,
    keyPlaces,
  });
  await changes.start();

  const { host } = config.listen;
  const reusePort = worker !== undefined;
  await listen(app.people, { port: ports.people, host, variable: "PORT", reusePort });
  const programs = { port: ports.programs, host, variable: "GATEWAY_PORT", reusePort };
  await app.gateway.server.listen(programs).catch((error: unknown) => {
    throw toPortError(error, programs);
  });

  const endWatch = watchLoop({
    logger,
    monotonicMs: services.clock.monotonicMs,
    recent: app.recent,
  });

  return {
    health: app.health,
    stop: async () => {
      endWatch();
      leaving.abort();
      // Load balancers hear of it first and send further calls elsewhere; what still comes is served.
      await delay(config.listen.drainSeconds * 1_000);
      draining.abort();
      // Keys are verified on the listener for people: both must be over before the last group of usage is closed.
      await Promise.all([
        closeServer(app.people, DRAIN_MS),
        app.gateway.server.close(DRAIN_MS),
        app.gateway.proxy.close(DRAIN_MS),
      ]);
      await builtinProvider?.stop();
      await app.recentCalls?.stop();
      await metering.stop(COMMIT_MS);
      await app.callLogger?.stop(LOG_MS);
      await Promise.all([
        changes.stop(),
        outbound.close(),
        files.close(),
        clusterRates?.close(),
        clickhouse?.close(),
        keyPlaces?.stop(),
      ]);
    },
  };
}
