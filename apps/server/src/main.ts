import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openLocalFileStore } from "#modules/files/index.ts";
import { offerSetupCode } from "#modules/identity/index.ts";
import { startMetering } from "#modules/metering/index.ts";
import { CHANGES_CHANNEL, createChangeFeed } from "#platform/change-feed.ts";
import { openDataFolder } from "#platform/data-folder.ts";
import { startDemoUpstreams } from "#platform/demo-upstream.ts";
import { closeServer, listen, probePort, toPortError } from "#platform/listen.ts";
import { createOutbound } from "#platform/outbound.ts";
import { createListen } from "#platform/postgres-listen.ts";
import { ensureSecretFile } from "#platform/secret-file.ts";
import { StartupError, toStartupLine } from "#platform/startup-error.ts";
import { onStopSignal } from "#platform/stop-signals.ts";
import { buildApp } from "./app.ts";
import { type Config, readConfig } from "./config.ts";
import { dataPath, type Installation, openInstallation } from "./deps.ts";
import { openIdentityProvider } from "./open-identity-provider.ts";
import { toPublicUrls } from "./public-urls.ts";
import { startJobs } from "./start-jobs.ts";

/** Time for calls under way, once asked to stop. */
const DRAIN_MS = 10_000;
/** Then for usage to be committed, and again for leases to be given back. */
const COMMIT_MS = 5_000;
/** For everything: whoever asked will not wait longer before it kills. What was not committed by then is in the journal. */
const STOP_MS = 30_000;

type Running = {
  /** Printed when everything listens. */
  banner: string;
  stop(): Promise<void>;
};

function readVersion(checkout: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8"));
  return typeof manifest === "object" && manifest !== null && "version" in manifest
    ? String(manifest.version)
    : "unknown";
}

function toBanner(input: {
  config: Config;
  urls: { console: string; gateway: string };
  upstream: string;
  setupCode: string | undefined;
}): string {
  const { urls } = input;
  const lines = [
    `${input.config.brand.name} is ready.`,
    `  Console  ${urls.console}`,
    `  API      ${urls.console}/v1 (reference: ${urls.console}/v1/reference)`,
    `  Gateway  ${urls.gateway} -> ${input.upstream}`,
    `  Data     ${input.config.databaseUrl === undefined ? input.config.dataFolder : `${input.config.dataFolder}, database by DATABASE_URL`}`,
  ];
  if (input.setupCode !== undefined) {
    lines.push(
      `  Setup    ${urls.console}/register#setup=${input.setupCode} (makes you the operator, once)`,
    );
  }
  return `\n${lines.join("\n")}\n`;
}

async function startUpstreams(config: Config) {
  if (config.upstreams !== undefined) {
    const names = config.upstreams.map((upstream) => upstream.name).join(", ");
    return { upstreams: config.upstreams, label: names, stop: () => Promise.resolve() };
  }
  const demo = await startDemoUpstreams();
  return { upstreams: demo.upstreams, label: "the demo API", stop: demo.stop };
}

async function serve(
  installation: Installation,
  ports: { people: number; programs: number },
): Promise<Running> {
  const { config, services, logger, database } = installation;
  const urls = toPublicUrls(config, ports);
  const draining = new AbortController();

  const changes = createChangeFeed({
    transact: services.transact,
    listen: createListen(database.target, CHANGES_CHANNEL),
    clock: services.clock,
    logger,
  });
  const metering = await startMetering(
    { ...services, folder: config.dataFolder },
    { groupIntervalMs: config.metering.groupIntervalMs },
  );
  const jobs = await startJobs(installation);
  const upstreams = await startUpstreams(config);
  const outbound = createOutbound();
  const builtinProvider = await openIdentityProvider({
    installation,
    jobs: jobs.queue,
    consoleUrl: urls.console,
  });
  const app = buildApp({
    installation,
    metering,
    changes,
    upstreams: upstreams.upstreams,
    signingSecret:
      config.signingSecret ??
      (await ensureSecretFile(dataPath(config, "secrets"), "signing-secret")),
    urls,
    version: readVersion(config.checkout),
    jobs,
    builtinProvider,
    outbound,
    fileStore: await openLocalFileStore(dataPath(config, "files"), services.clock.now()),
    draining: draining.signal,
  });
  await changes.start();
  const setupCode = await offerSetupCode(services);

  await listen(app.people, { port: ports.people, host: config.listen.host, variable: "PORT" });
  const programs = { port: ports.programs, host: config.listen.host, variable: "GATEWAY_PORT" };
  await app.gateway.server.listen(programs).catch((error: unknown) => {
    throw toPortError(error, programs);
  });

  return {
    banner: toBanner({ config, urls, upstream: upstreams.label, setupCode }),
    stop: async () => {
      draining.abort();
      // Keys are verified on the listener for people: both must be over before the last group of usage is closed.
      await Promise.all([
        closeServer(app.people, DRAIN_MS),
        app.gateway.server.close(DRAIN_MS),
        app.gateway.proxy.close(DRAIN_MS),
      ]);
      await builtinProvider?.stop();
      await metering.stop(COMMIT_MS);
      await Promise.all([changes.stop(), jobs.stop(), upstreams.stop(), outbound.close()]);
      await installation.close();
    },
  };
}

async function probePorts(config: Config): Promise<{ people: number; programs: number }> {
  const { host } = config.listen;
  return {
    people: await probePort({ port: config.port, host, variable: "PORT" }),
    programs: await probePort({ port: config.gatewayPort, host, variable: "GATEWAY_PORT" }),
  };
}

async function main(): Promise<void> {
  const config = readConfig(process.env, {
    isRoot: process.getuid?.() === 0,
    workingFolder: process.cwd(),
  });
  // Before the ports: started twice, it is Turnpike itself that has them, and no other program.
  const folder = await openDataFolder(config.dataFolder);
  let ports: { people: number; programs: number };
  try {
    ports = await probePorts(config);
  } catch (error) {
    await folder.release();
    throw error;
  }
  const installation = await openInstallation(config, folder);
  let running: Running;
  try {
    running = await serve(installation, ports);
  } catch (error) {
    await installation.close();
    throw error;
  }
  process.stdout.write(running.banner);

  onStopSignal(installation.services.clock.monotonicMs, (signal) => {
    installation.logger.info({ signal }, "Stopping: calls under way are finished first");
    setTimeout(() => {
      installation.logger.error({}, "Stopping took too long: the rest is left to the next start");
      process.exit(1);
    }, STOP_MS);
    running.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        installation.logger.error({ err: error }, "Stopping failed");
        process.exit(1);
      },
    );
  });
}

main().catch((error: unknown) => {
  const isKnown = error instanceof StartupError;
  process.stderr.write(isKnown ? `${toStartupLine(error)}\n` : "");
  if (!isKnown) {
    process.stderr.write(`turnpike: it did not start, and this is a fault of ours:\n`);
    process.stderr.write(
      `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
  }
  process.exit(1);
});
